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
// run, so nothing is copied. The graph is built node by node: what other
// threads do may break a capture, but not this.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// A program that runs once or twice does not pay for a graph.
static constexpr uint64_t kRunsBeforeGraph = 2;

/// Whether a step reads or writes memory that each run says anew.
bool Instance::usesCallersMemory(uint32_t step) const {
  const std::vector<Launch::Patch> &patches = launches[step].patches;
  return std::any_of(
      patches.begin(), patches.end(), [&](const Launch::Patch &patch) {
        const plan::Buffer &buffer = function.buffers[patch.buffer];
        return buffer.kind == plan::Buffer::Kind::Output ||
               !boundInputs[buffer.index];
      });
}

/// Whether the next run is one. Flags that look at single steps need steps, and
/// the compiler writes nothing but launches.
bool Instance::takesGraph() const {
  if (flags & (SPARSECONV_POISON | SPARSECONV_SYNCHRONOUS))
    return false;
  return numRuns >= kRunsBeforeGraph &&
         std::all_of(function.steps.begin(), function.steps.end(),
                     [](const plan::Step &step) {
                       return step.kind == plan::Step::Kind::Launch;
                     });
}

static CUkernelNodeParams makeNodeParams(CUfunction kernel,
                                         const plan::Step &step,
                                         const plan::StepSizes &sizes,
                                         void **extra) {
  CUkernelNodeParams params = {};
  params.func = kernel;
  params.gridDimX = sizes.gridX;
  params.gridDimY = sizes.gridY;
  params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
  params.blockDimX = step.blockX;
  params.sharedMemBytes = step.dynamicSharedBytes;
  params.extra = extra;
  return params;
}

/// Adds a step behind the one before it in its stream and those it waits for.
Error Instance::addNode(uint32_t index,
                        std::vector<CUgraphNode> &lastOfStream) {
  const plan::Step &step = function.steps[index];
  std::vector<CUgraphNode> before;
  if (CUgraphNode last = lastOfStream[step.stream])
    before.push_back(last);
  for (uint32_t other : schedule.waits[index].steps)
    before.push_back(runGraph.nodes[other]);
  fillBlock(index);
  ExtraParams extra(launches[index]);
  CUkernelNodeParams params = makeNodeParams(
      program->getKernel(step.kernel), step, layout.steps[index], extra.get);
  CUgraphNode &node = runGraph.nodes[index];
  if (Error error = check(driver.cuGraphAddKernelNode(&node, runGraph.graph,
                                                      before.data(),
                                                      before.size(), &params),
                          getStepName(index)))
    return error;
  lastOfStream[step.stream] = node;
  if (usesCallersMemory(index))
    runGraph.changing.push_back(index);
  if (step.cluster == 1)
    return Error::success();
  CUlaunchAttribute attribute;
  attribute.value.clusterDim = {step.cluster, 1, 1};
  return check(
      driver.cuGraphKernelNodeSetAttribute(
          node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &attribute.value),
      getStepName(index));
}

Error Instance::addNodes() {
  if (Error error =
          check(driver.cuGraphCreate(&runGraph.graph, 0), "creating a graph"))
    return error;
  runGraph.nodes.resize(function.steps.size());
  std::vector<CUgraphNode> lastOfStream(function.numStreams);
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    if (!schedule.isStepPrepared(i))
      if (Error error = addNode(i, lastOfStream))
        return error;
  return check(
      driver.cuGraphInstantiateWithFlags(&runGraph.exec, runGraph.graph, 0),
      "instantiating the graph");
}

Error Instance::buildRunGraph() {
  Error error = addNodes();
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
  for (uint32_t index : runGraph.changing) {
    const plan::Step &step = function.steps[index];
    fillBlock(index);
    ExtraParams extra(launches[index]);
    CUkernelNodeParams params = makeNodeParams(
        program->getKernel(step.kernel), step, layout.steps[index], extra.get);
    if (Error error = check(driver.cuGraphExecKernelNodeSetParams(
                                runGraph.exec, runGraph.nodes[index], &params),
                            getStepName(index)))
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
