//===- RowStages.cpp - rows of several offsets on their way ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowStages.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

std::string RowStages::verify(const ImplicitGemmConfig &config) {
  if (config.stages < 1 || config.stages > kMost)
    return formatv("expected 1 to {0} stages, found {1}", kMost, config.stages);
  if (config.stages > 1 && config.tileK < config.inChannels)
    return formatv("{0} stages take all {1} input channels per step, found {2}",
                   config.stages, config.inChannels, config.tileK);
  return "";
}

RowStages::RowStages(ImplicitGemmEmitter &e, const OffsetWalk &walk,
                     int64_t count)
    : stages(count) {
  OffsetWalk left = walk;
  for (Stage &stage : stages)
    stage.at.offset = e.nextOffset(left);
  for (Stage &stage : stages)
    stage.at.next = e.nextOffset(left);
  stages.front().at.walk = left;
  for (Stage &stage : stages)
    stage.at.rows = e.loadNeighbours(stage.at.offset);
  for (Stage &stage : stages)
    stage.at.nextRows = e.loadNeighbours(stage.at.next);
}

void RowStages::gather(ImplicitGemmEmitter &e) {
  e.waitForKernels();
  for (Stage &stage : stages) {
    stage.rows = e.gatherFirst(stage.at);
    if (e.layout.chunks > 1)
      stage.at.chunk = e.b.i32(0);
  }
}

void RowStages::step(GpuBuilder &b,
                     function_ref<void(Stage &stage, Value offset)> body) {
  OffsetWalk walk = stages.front().at.walk;
  // Behind the last offset there is -1.
  Value least = b.i32(0);
  for (Stage &stage : stages) {
    Value offset = b.max(stage.at.offset, least);
    if (&stage == &stages.front())
      least = offset;
    stage.at.walk = walk;
    body(stage, offset);
    walk = stage.at.walk;
    stage.at.walk = {};
  }
  stages.front().at.walk = walk;
}
