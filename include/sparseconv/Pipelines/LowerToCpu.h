//===- LowerToCpu.h - from a network to the LLVM dialect --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOCPU_H
#define SPARSECONV_PIPELINES_LOWERTOCPU_H

#include "sparseconv/Pipelines/SelectionOptions.h"

namespace mlir {
class OpPassManager;

namespace sparseconv {

struct LowerToCpuOptions : public PassPipelineOptions<LowerToCpuOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("cpu, or with the level of its vectors: cpu:sse2, "
                     "cpu:avx2, cpu:avx512"),
      llvm::cl::init("cpu")};
  Option<bool> instrument{
      *this, "instrument",
      llvm::cl::desc("mark where kernels begin and end, for a profile"),
      llvm::cl::init(false)};
  SelectionFlags selection{*this};
};

/// A network to the LLVM dialect, for the CPU: decisions, kernels, buffers,
/// loops, threads. Also the flag `sparseconv-lower-to-cpu`.
void buildLowerToCpuPipeline(OpPassManager &pm,
                             const LowerToCpuOptions &options);

/// The second half of it: from what `buildLowerToBuffersPipeline` leaves,
/// kernel operations and others on buffers, to the LLVM dialect. A host's own
/// passes stand between the two. Also the flag
/// `sparseconv-lower-buffers-to-cpu`.
void buildLowerBuffersToCpuPipeline(OpPassManager &pm);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_LOWERTOCPU_H
