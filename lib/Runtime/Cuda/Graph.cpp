//===- Graph.cpp - CUDA graphs, built node by node ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Graph.h"

using namespace sparseconv::cuda;

Graph::~Graph() {
  if (exec)
    context.driver.cuGraphExecDestroy(exec);
  if (graph)
    context.driver.cuGraphDestroy(graph);
}

CUresult Graph::create() { return context.driver.cuGraphCreate(&graph, 0); }

/// The edge by which a kernel starts before another one ends.
CUresult Graph::overlap(CUgraphNode before, CUgraphNode node) const {
  CUgraphEdge edge = {};
  edge.fromPort = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
  edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
  return context.driver.cuGraphAddDependencies(graph, &before, &node, &edge, 1);
}

CUresult Graph::addKernel(const CUkernelNodeParams &params, unsigned cluster,
                          Waiting waiting, const Nodes &before,
                          CUgraphNode &node) {
  // It waits for the ends of all but the first as any other does.
  auto other = before.empty() ? kernels.end() : kernels.find(before.front());
  bool overlaps = waiting != Waiting::InGraph && other != kernels.end() &&
                  other->second == waiting &&
                  context.driver.cuGraphAddDependencies;
  CUresult result = context.driver.cuGraphAddKernelNode(
      &node, graph, before.data() + overlaps, before.size() - overlaps,
      &params);
  if (result == CUDA_SUCCESS && overlaps)
    result = overlap(before.front(), node);
  if (result != CUDA_SUCCESS)
    return result;
  kernels.emplace(node, waiting);
  if (cluster == 1)
    return CUDA_SUCCESS;
  CUlaunchAttribute attribute;
  attribute.value.clusterDim = {cluster, 1, 1};
  return context.driver.cuGraphKernelNodeSetAttribute(
      node, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION, &attribute.value);
}

CUresult Graph::addMemset(const CUmemsetNodeParams &params, const Nodes &before,
                          CUgraphNode &node) {
  return context.driver.cuGraphAddMemsetNode(
      &node, graph, before.data(), before.size(), &params, context.get());
}

CUresult Graph::addCopy(CUdeviceptr target, CUdeviceptr source, uint64_t bytes,
                        const Nodes &before, CUgraphNode &node) {
  CUmemcpy3D params = {};
  params.srcMemoryType = params.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  params.srcDevice = source;
  params.dstDevice = target;
  params.WidthInBytes = bytes;
  params.Height = params.Depth = 1;
  return context.driver.cuGraphAddMemcpyNode(
      &node, graph, before.data(), before.size(), &params, context.get());
}

CUresult Graph::addEvent(CUevent event, const Nodes &before,
                         CUgraphNode &node) {
  return context.driver.cuGraphAddEventRecordNode(&node, graph, before.data(),
                                                  before.size(), event);
}

CUresult Graph::addEmpty(const Nodes &before, CUgraphNode &node) {
  return context.driver.cuGraphAddEmptyNode(&node, graph, before.data(),
                                            before.size());
}

CUresult Graph::instantiate() {
  return context.driver.cuGraphInstantiateWithFlags(&exec, graph, 0);
}

CUresult Graph::setKernel(CUgraphNode node, const CUkernelNodeParams &params) {
  return context.driver.cuGraphExecKernelNodeSetParams(exec, node, &params);
}

CUresult Graph::launch(CUstream stream) const {
  return context.driver.cuGraphLaunch(exec, stream);
}
