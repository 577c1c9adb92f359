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
// The few kernels that touch the caller's memory are told where it lies, if it
// is not where one of up to three graphs knows it to be, so nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>
#include <utility>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// A program that runs once or twice does not pay for a graph.
static constexpr uint64_t kRunsBeforeGraph = 2;

/// Callers bring memory in some places, in turn: a caller of PyTorch in three,
/// as it has a result, the next one is written, and memory for the one after
/// that is asked for. To tell a graph of another place takes as long as to
/// launch it. All graphs are made in the first runs: later ones allocate
/// nothing.
static constexpr size_t kMostRunGraphs = 3;

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

/// Tells the kernels of a graph where the caller's memory lies in this run, if
/// they do not know that.
Error Instance::tellRunGraph(StepGraph &graph) {
  bool isTold = std::exchange(graph.isTold, false);
  auto hasMoved = [&](const Launch::Patch &patch) {
    return !isTold || graph.addresses[patch.buffer] != addresses[patch.buffer];
  };
  for (uint32_t index : graph.changing) {
    const std::vector<Launch::Patch> &patches = launches[index].patches;
    if (std::none_of(patches.begin(), patches.end(), hasMoved))
      continue;
    fillBlock(index);
    ExtraParams extra(launches[index]);
    CUresult result = graph.graph.setKernel(graph.nodes[index],
                                            makeNodeParams(index, extra.get));
    if (result != CUDA_SUCCESS)
      return check(result, getStepName(index));
  }
  graph.addresses = addresses;
  graph.isTold = true;
  return Error::success();
}

/// Puts a graph that knows where the caller's memory lies last in `runGraphs`.
Error Instance::findRunGraph() {
  auto known =
      std::find_if(runGraphs.begin(), runGraphs.end(), [&](auto &graph) {
        return graph->isTold && graph->addresses == addresses;
      });
  if (known != runGraphs.end()) {
    std::rotate(known, known + 1, runGraphs.end());
    return Error::success();
  }
  if (runGraphs.empty() || numRuns <= kRunsBeforeGraph + kMostRunGraphs) {
    std::unique_ptr<StepGraph> made;
    Error error = makeStepGraph(made);
    if (!error)
      runGraphs.push_back(std::move(made));
    if (!error || runGraphs.empty())
      return error;
  }
  // The one that was launched the longest time ago.
  std::rotate(runGraphs.begin(), runGraphs.begin() + 1, runGraphs.end());
  return tellRunGraph(*runGraphs.back());
}

Error Instance::launchRunGraph(CUstream stream) {
  return check(runGraphs.back()->graph.launch(stream), "launching the graph");
}

void Instance::dropGraphs() {
  runGraphs.clear();
  capturedGraph.reset();
  numRuns = 0;
}
