//===- WeightGradConfig.cpp - choosing and checking configurations --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "WeightGradLoops.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::divideCeil;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The table of main loops
//===----------------------------------------------------------------------===//

ArrayRef<const WeightGradLoop *> WeightGradLoop::getAll() {
  static const WeightGradLoop *const all[] = {
#define WEIGHT_GRAD_LOOP(name) &getWeightGrad##name##Loop(),
#include "WeightGradLoops.def"
  };
  return all;
}

//===----------------------------------------------------------------------===//
// WeightGradConfig
//===----------------------------------------------------------------------===//

int64_t WeightGradConfig::threads() const { return loop->threads(*this); }

int64_t WeightGradConfig::xPitch() const {
  return loop->rowPitch(*this, tileIn);
}

int64_t WeightGradConfig::dyPitch() const {
  return loop->rowPitch(*this, tileOut);
}

int64_t WeightGradConfig::sharedBytes() const {
  return ringBytes() + rowSlots() * 2 * pairs * 4;
}

/// Bytes of all splits of a gradient but for the one that there always is.
static constexpr int64_t mostSplitBytes = int64_t(1) << 30;

std::string WeightGradConfig::verifySizes(const TargetInfo &target) const {
  if (std::string problem = loop->verifyShape(*this); !problem.empty())
    return problem;
  if (tileIn % pieceIn || tileOut % pieceOut)
    return formatv("pieces of {0} x {1} channels do not divide tiles of {2} x "
                   "{3}",
                   pieceIn, pieceOut, tileIn, tileOut);
  if (tileGroups > groups)
    return formatv("expected tile_groups of at most {0}, found {1}", groups,
                   tileGroups);
  if (tiles() > 65535)
    return formatv("{0} tiles of {1} x {2} channels are more than the 65535 "
                   "that a grid has room for",
                   tiles(), tileIn, tileOut);
  int64_t splitBytes = elements() * 4;
  if (splitK > offsets && splits() > mostSplitBytes / splitBytes)
    return formatv("{0} splits of {1} bytes are more than {2} bytes", splits(),
                   splitBytes, mostSplitBytes);
  return loop->verify(*this, target);
}

std::string WeightGradConfig::verify(const TargetInfo &target) const {
  if (std::string problem = verifySizes(target); !problem.empty())
    return problem;
  if (std::string problem =
          verifyRegisters(divideCeil(threads(), target.lanes), blocks,
                          loop->estimateRegisters(*this), target);
      !problem.empty())
    return problem;
  // Where shared memory has room for fewer blocks, fewer run at a time.
  return verifySharedMemory(1, sharedBytes(), target);
}

int64_t WeightGradConfig::chooseSplitK(const TargetInfo &target) const {
  // As many as run at a time, or several times that where offsets would
  // otherwise have few each. No more splits than are cheap to add up.
  constexpr int64_t perOffset = 4, cheapBytes = 128 << 20;
  int64_t atATime = target.multiprocessors * blocks;
  int64_t times = divideCeil(perOffset * offsets * tiles(), atATime);
  int64_t cheap = cheapBytes / (slices * elements() * 4);
  return std::max<int64_t>(1, std::min(times * atATime / tiles(), cheap));
}

WeightGradConfig WeightGradConfig::choose(const WeightGradShape &shape,
                                          const TargetInfo &target) {
  WeightGradConfig config;
  for (const WeightGradLoop *loop : WeightGradLoop::getAll()) {
    if (!loop->verifyShape(shape).empty() || !loop->isChosen(shape))
      continue;
    config = WeightGradConfig(shape);
    config.loop = loop;
    loop->chooseSizes(config);
    config.splitK = config.chooseSplitK(target);
    if (config.verify(target).empty())
      break;
  }
  return config;
}

//===----------------------------------------------------------------------===//
// Configurations as attributes
//===----------------------------------------------------------------------===//

WeightGradConfig mlir::sparseconv::getWeightGrad(WeightGradTilingAttr tiling,
                                                 int64_t splitK,
                                                 const WeightGradShape &shape) {
  WeightGradConfig config(shape);
  config.loop = WeightGradLoop::find(tiling.getMainLoop());
  assert(config.loop && "verifyWeightGrad has refused it");
  config.tileGroups = tiling.getTileGroups();
  config.tileIn = tiling.getTileIn();
  config.tileOut = tiling.getTileOut();
  config.pieceIn = tiling.getPieceIn();
  config.pieceOut = tiling.getPieceOut();
  config.slices = tiling.getSlices();
  config.pairs = tiling.getPairs();
  config.stages = tiling.getStages();
  config.blocks = tiling.getBlocks();
  config.splitK = splitK;
  return config;
}

std::string mlir::sparseconv::verifyWeightGrad(WeightGradTilingAttr tiling,
                                               int64_t splitK,
                                               const WeightGradShape &shape,
                                               const TargetInfo &target) {
  StringRef name = tiling.getMainLoop();
  if (!WeightGradLoop::find(name))
    return WeightGradLoop::describeUnknown("main loop of a gradient by weights",
                                           name);
  return getWeightGrad(tiling, splitK, shape).verify(target);
}

WeightGradTilingAttr
mlir::sparseconv::getTiling(MLIRContext *context,
                            const WeightGradConfig &config) {
  return WeightGradTilingAttr::get(
      context, config.loop->getName(), config.tileGroups, config.tileIn,
      config.tileOut, config.pieceIn, config.pieceOut, config.slices,
      config.pairs, config.stages, config.blocks);
}

WeightGradShape mlir::sparseconv::getWeightGradShape(ShapedType weights,
                                                     Type xElement,
                                                     Type dyElement,
                                                     bool allowTf32) {
  ConvShape conv = ConvShape::get(weights);
  WeightGradShape shape;
  shape.xElement = xElement;
  shape.dyElement = dyElement;
  shape.offsets = conv.offsets;
  shape.groups = conv.groups;
  shape.inChannels = conv.in;
  shape.outChannels = conv.out;
  shape.allowTf32 = allowTf32;
  return shape;
}

WeightGradShape mlir::sparseconv::getWeightGradShape(const ConvTask &task) {
  // Both sides have the type of the weights.
  Type element = task.weights.getElementType();
  return getWeightGradShape(task.weights, element, element, task.allowsTf32);
}
