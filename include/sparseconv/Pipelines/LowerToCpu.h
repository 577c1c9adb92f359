//===- LowerToCpu.h - from a network to the LLVM dialect --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOCPU_H
#define SPARSECONV_PIPELINES_LOWERTOCPU_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace sparseconv {

struct LowerToCpuOptions : public PassPipelineOptions<LowerToCpuOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("what the decisions are for: cpu or cuda"),
      llvm::cl::init("cpu")};
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("of cuda: sm_80, ..., sm_90a"),
                           llvm::cl::init("sm_90a")};
  Option<unsigned> vectorBits{
      *this, "vector-bits",
      llvm::cl::desc("bits of a vector register: 128, 256 or 512"),
      llvm::cl::init(256)};
  Option<bool> instrument{
      *this, "instrument",
      llvm::cl::desc("mark where kernels begin and end, for a profile"),
      llvm::cl::init(false)};
};

/// A network to the LLVM dialect, for the CPU: decisions, kernels, buffers,
/// loops, threads. Also the flag `sparseconv-lower-to-cpu`.
void buildLowerToCpuPipeline(OpPassManager &pm,
                             const LowerToCpuOptions &options);

/// The part up to kernel operations on buffers: `sparseconv-lower-to-buffers`.
void buildLowerToBuffersPipeline(OpPassManager &pm,
                                 const LowerToCpuOptions &options);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_LOWERTOCPU_H
