//===- Graph.h - CUDA graphs, built node by node ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What other threads do may break a capture of streams: to wait for the context
// is enough. Nothing breaks a graph that is built node by node.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_GRAPH_H
#define SPARSECONV_LIB_RUNTIME_CUDA_GRAPH_H

#include "Context.h"
#include <map>

namespace sparseconv::cuda {

/// A CUDA graph and what is launched of it.
class Graph {
public:
  using Nodes = std::vector<CUgraphNode>;

  explicit Graph(const Context &context) : context(context) {}
  ~Graph();
  Graph(const Graph &) = delete;
  Graph &operator=(const Graph &) = delete;

  CUresult create();
  /// How a kernel waits for what it comes behind: in the graph; by itself, at
  /// its start, so that it may be launched before that ends; or by itself,
  /// behind a prologue, which may overlap only with kernels that have one.
  enum class Waiting { InGraph, AtStart, BehindPrologue };

  // Each adds a node behind those of `before`. The first of these is that which
  // a kernel may overlap with.
  CUresult addKernel(const CUkernelNodeParams &params, unsigned cluster,
                     Waiting waiting, const Nodes &before, CUgraphNode &node);
  CUresult addMemset(const CUmemsetNodeParams &params, const Nodes &before,
                     CUgraphNode &node);
  CUresult addCopy(CUdeviceptr target, CUdeviceptr source, uint64_t bytes,
                   const Nodes &before, CUgraphNode &node);
  CUresult addEvent(CUevent event, const Nodes &before, CUgraphNode &node);
  /// Work of no bytes, which others may wait for.
  CUresult addEmpty(const Nodes &before, CUgraphNode &node);
  /// Makes what is launched; nodes that come later are not in it.
  CUresult instantiate();

  CUresult setKernel(CUgraphNode node, const CUkernelNodeParams &params);
  CUresult launch(CUstream stream) const;

private:
  CUresult overlap(CUgraphNode before, CUgraphNode node) const;

  const Context &context;
  CUgraph graph = nullptr;
  CUgraphExec exec = nullptr;
  std::map<CUgraphNode, Waiting> kernels;
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_GRAPH_H
