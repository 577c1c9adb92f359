//===- LowerToGpu.h - from a network to GPU kernels ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOGPU_H
#define SPARSECONV_PIPELINES_LOWERTOGPU_H

#include "sparseconv/Pipelines/SelectionOptions.h"

namespace mlir {
class OpPassManager;

namespace sparseconv {

struct LowerToGpuOptions : public PassPipelineOptions<LowerToGpuOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("cuda, or with a chip: cuda:sm_80, cuda:sm_86, "
                     "cuda:sm_89, cuda:sm_90a"),
      llvm::cl::init("cuda")};
  Option<bool> comparedArguments{
      *this, "compared-arguments",
      llvm::cl::desc("whoever calls the functions compares the rows of their "
                     "arguments first, as plans do"),
      llvm::cl::init(false)};
  SelectionFlags selection{*this};
};

/// From a network to host functions that allocate buffers by capacity and
/// launch the kernels of one `gpu.module`.
void buildLowerToGpuPipeline(OpPassManager &pm,
                             const LowerToGpuOptions &options);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_LOWERTOGPU_H
