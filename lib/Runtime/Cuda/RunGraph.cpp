//===- RunGraph.cpp - ordinary runs as CUDA graphs ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To issue hundreds of steps takes a host longer than a device takes to run
// many networks. An instance that is run again launches its steps as a graph.
// The few kernels that touch the caller's memory are told where it lies in each
// run, so nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>
#include <utility>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// A program that runs once or twice does not pay for a graph.
static constexpr uint64_t kRunsBeforeGraph = 2;

/// Whether the next run is one. Flags that look at single steps need steps, so
/// do sizes that differ from run to run, and the compiler writes nothing but
/// launches.
bool Instance::takesGraph() const {
  if (flags & (SPARSECONV_POISON | SPARSECONV_SYNCHRONOUS | SPARSECONV_EXACT))
    return false;
  return numRuns >= kRunsBeforeGraph && !Program::isShort(function) &&
         std::all_of(function.steps.begin(), function.steps.end(),
                     [](const plan::Step &step) {
                       return step.kind == plan::Step::Kind::Launch;
                     });
}

/// Tells kernels where the caller's memory lies in this run, if they do not
/// know that of the last one.
Error Instance::updateRunGraph() {
  if (runGraph->isTold && runGraph->addresses == addresses)
    return Error::success();
  bool isTold = std::exchange(runGraph->isTold, false);
  auto hasMoved = [&](const Launch::Patch &patch) {
    return !isTold ||
           runGraph->addresses[patch.buffer] != addresses[patch.buffer];
  };
  for (uint32_t index : runGraph->changing) {
    const std::vector<Launch::Patch> &patches = launches[index].patches;
    if (std::none_of(patches.begin(), patches.end(), hasMoved))
      continue;
    fillBlock(index);
    ExtraParams extra(launches[index]);
    CUresult result = runGraph->graph.setKernel(
        runGraph->nodes[index], makeNodeParams(index, extra.get));
    if (result != CUDA_SUCCESS)
      return check(result, getStepName(index));
  }
  runGraph->addresses = addresses;
  runGraph->isTold = true;
  return Error::success();
}

Error Instance::launchRunGraph(CUstream stream) {
  if (Error error = updateRunGraph())
    return error;
  return check(runGraph->graph.launch(stream), "launching the graph");
}

void Instance::dropGraphs() {
  runGraph.reset();
  capturedGraph.reset();
  numRuns = 0;
}
