//===- RunGraph.cpp - ordinary runs as CUDA graphs ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// To issue hundreds of steps takes a host longer than a device takes to run
// many networks. An instance that is run again captures its steps as a graph.
// The few kernels that touch the caller's memory are told where it lies in each
// run, so nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// A program that runs once or twice does not pay for a graph.
static constexpr uint64_t kRunsBeforeGraph = 2;

bool Instance::usesCallersMemory(const plan::Step &step) const {
  bool result = false;
  plan::forEachBuffer(step, [&](uint32_t b) {
    const plan::Buffer &buffer = function.buffers[b];
    result |= buffer.kind == plan::Buffer::Kind::Output ||
              (buffer.kind == plan::Buffer::Kind::Input &&
               !boundInputs[buffer.index]);
  });
  return result;
}

/// Whether this run is one. Flags that look at single steps need steps.
bool Instance::takesGraph() {
  if (flags & (SPARSECONV_POISON | SPARSECONV_SYNCHRONOUS))
    return false;
  if (numRuns < kRunsBeforeGraph) {
    ++numRuns;
    return false;
  }
  // Kernels alone can be told new addresses.
  return std::all_of(function.steps.begin(), function.steps.end(),
                     [&](const plan::Step &step) {
                       return step.kind == plan::Step::Kind::Launch ||
                              !usesCallersMemory(step);
                     });
}

/// Notes the node of a step that has just been captured, if it has to be told
/// addresses.
Error Instance::noteNode(uint32_t step, CUstream stream) {
  if (!usesCallersMemory(function.steps[step]))
    return Error::success();
  int status = 0;
  unsigned long long id = 0;
  CUgraph graph = nullptr;
  const CUgraphNode *nodes = nullptr;
  size_t numNodes = 0;
  if (Error error = check(driver.cuStreamGetCaptureInfo(
                              stream, &status, &id, &graph, &nodes, &numNodes),
                          "looking at the captured step"))
    return error;
  if (numNodes != 1)
    return Error(SPARSECONV_CUDA_ERROR,
                 "function '" + function.name + "': " + getStepName(step) +
                     " was captured as " + std::to_string(numNodes) + " nodes");
  runGraph.nodes.push_back({step, nodes[0]});
  return Error::success();
}

Error Instance::buildRunGraph() {
  Capture capture{*this};
  if (Error error = capture.begin())
    return error;
  isBuildingRunGraph = true;
  Error error = issue(ownStream, /*capturing=*/true);
  isBuildingRunGraph = false;
  if (!error)
    error = capture.finish(runGraph.graph, runGraph.exec);
  if (error)
    dropRunGraph();
  else
    runGraph.addresses = addresses;
  return error;
}

/// Tells kernels where the caller's memory lies in this run.
Error Instance::updateRunGraph() {
  if (runGraph.addresses == addresses)
    return Error::success();
  runGraph.addresses.clear(); // until all know
  for (const RunGraph::Node &node : runGraph.nodes) {
    const plan::Step &step = function.steps[node.step];
    const plan::StepSizes &sizes = layout.steps[node.step];
    Launch &launch = launches[node.step];
    fillBlock(node.step);
    // NOLINTBEGIN(performance-no-int-to-ptr): what the driver takes for
    // pointers.
    void *extra[] = {reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_POINTER),
                     launch.block.data(),
                     reinterpret_cast<void *>(CU_LAUNCH_PARAM_BUFFER_SIZE),
                     &launch.blockBytes,
                     reinterpret_cast<void *>(CU_LAUNCH_PARAM_END)};
    // NOLINTEND(performance-no-int-to-ptr)
    CUkernelNodeParams params = {};
    params.func = program->getKernel(step.kernel);
    params.gridDimX = sizes.gridX;
    params.gridDimY = sizes.gridY;
    params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
    params.blockDimX = step.blockX;
    params.sharedMemBytes = step.dynamicSharedBytes;
    params.extra = extra;
    if (Error error = check(driver.cuGraphExecKernelNodeSetParams(
                                runGraph.exec, node.node, &params),
                            getStepName(node.step)))
      return error;
  }
  runGraph.addresses = addresses;
  return Error::success();
}

Error Instance::launchRunGraph(CUstream stream) {
  if (Error error = updateRunGraph())
    return error;
  return check(driver.cuGraphLaunch(runGraph.exec, stream),
               "launching the graph");
}

void Instance::dropRunGraph() {
  if (runGraph.exec)
    driver.cuGraphExecDestroy(runGraph.exec);
  if (runGraph.graph)
    driver.cuGraphDestroy(runGraph.graph);
  runGraph = {};
  numRuns = 0;
}
