//===- StepGraph.cpp - the steps of a run as a graph ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

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

CUkernelNodeParams Instance::makeNodeParams(uint32_t index,
                                            void **extra) const {
  const plan::Step &step = function.steps[index];
  const plan::StepSizes &sizes = layout.steps[index];
  CUkernelNodeParams params = {};
  params.func = program->getKernel(step.kernel);
  params.gridDimX = sizes.gridX;
  params.gridDimY = sizes.gridY;
  params.gridDimZ = params.blockDimY = params.blockDimZ = 1;
  params.blockDimX = step.blockX;
  params.sharedMemBytes = step.dynamicSharedBytes;
  params.extra = extra;
  return params;
}

static CUmemsetNodeParams makeMemset(CUdeviceptr target, unsigned value,
                                     unsigned valueBytes, uint64_t count) {
  CUmemsetNodeParams params = {};
  params.dst = target;
  params.value = value;
  params.elementSize = valueBytes;
  params.width = count;
  params.height = 1;
  return params;
}

Error Instance::addStepNode(Graph &graph, uint32_t index,
                            const Graph::Nodes &before, CUgraphNode &node) {
  const plan::Step &step = function.steps[index];
  const plan::StepSizes &sizes = layout.steps[index];
  CUresult result = CUDA_SUCCESS;
  if (step.kind == plan::Step::Kind::Launch) {
    fillBlock(index);
    ExtraParams extra(launches[index]);
    auto waiting = !program->startsEarly(step.kernel) ? Graph::Waiting::InGraph
                   : step.hasPrologue ? Graph::Waiting::BehindPrologue
                                      : Graph::Waiting::AtStart;
    result = graph.addKernel(makeNodeParams(index, extra.get), step.cluster,
                             waiting, before, node);
  } else if (sizes.bytes == 0) {
    result = graph.addEmpty(before, node);
  } else {
    CUdeviceptr target = addresses[step.target] + sizes.targetOffset;
    if (step.kind == plan::Step::Kind::Copy)
      result =
          graph.addCopy(target, addresses[step.source] + sizes.sourceOffset,
                        sizes.bytes, before, node);
    else
      result = graph.addMemset(makeMemset(target, step.value, step.valueBytes,
                                          sizes.bytes / step.valueBytes),
                               before, node);
  }
  return result == CUDA_SUCCESS ? Error::success()
                                : check(result, getStepName(index));
}

/// Poisons what has to be before a step, or before all (plan::kNone), behind
/// `last`, which is the last of it afterwards.
Error Instance::addPoisonNodes(Graph &graph, uint32_t step, CUgraphNode &last) {
  for (uint32_t buffer : getPoisoned(step, schedule)) {
    uint64_t count = layout.bufferBytes[buffer] / 2;
    if (count == 0)
      continue;
    Graph::Nodes before;
    if (last)
      before.push_back(last);
    if (Error error = check(
            graph.addMemset(makeMemset(addresses[buffer], kPoison, 2, count),
                            before, last),
            "poisoning buffer '" + function.buffers[buffer].name + "'"))
      return error;
  }
  return Error::success();
}

/// Adds a step behind the one before it in its stream and those it waits for.
Error Instance::addStep(StepGraph &result, uint32_t index,
                        Graph::Nodes &lastOfStream) {
  CUgraphNode &last = lastOfStream[function.steps[index].stream];
  if (Error error = addPoisonNodes(result.graph, index, last))
    return error;
  Graph::Nodes before;
  if (last)
    before.push_back(last);
  for (uint32_t other : schedule.waits[index].steps)
    before.push_back(result.nodes[other]);
  if (Error error =
          addStepNode(result.graph, index, before, result.nodes[index]))
    return error;
  last = result.nodes[index];
  if (usesCallersMemory(index))
    result.changing.push_back(index);
  return Error::success();
}

/// For the memory of `addresses`.
Error Instance::makeStepGraph(std::unique_ptr<StepGraph> &made) {
  auto result = std::make_unique<StepGraph>(context);
  if (Error error = check(result->graph.create(), "creating a graph"))
    return error;
  CUgraphNode first = nullptr;
  if (Error error = addPoisonNodes(result->graph, plan::kNone, first))
    return error;
  result->nodes.resize(function.steps.size());
  Graph::Nodes lastOfStream(function.numStreams, first);
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    if (!schedule.isStepPrepared(i))
      if (Error error = addStep(*result, i, lastOfStream))
        return error;
  if (Error error =
          check(result->graph.instantiate(), "instantiating the graph"))
    return error;
  result->addresses = addresses;
  made = std::move(result);
  return Error::success();
}
