//===- LowerToKernels.h - from a network to GPU kernels ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOKERNELS_H
#define SPARSECONV_PIPELINES_LOWERTOKERNELS_H

#include "mlir/Pass/PassOptions.h"

namespace mlir {
class OpPassManager;

namespace sparseconv {

struct LowerToKernelsOptions
    : public PassPipelineOptions<LowerToKernelsOptions> {
  Option<std::string> chip{
      *this, "chip",
      llvm::cl::desc("what kernels are for: sm_80, sm_86, sm_89 or sm_90a"),
      llvm::cl::init("sm_90a")};
};

/// From a network to host functions that allocate buffers by capacity and
/// launch the kernels of one `gpu.module`.
void buildLowerToKernelsPipeline(OpPassManager &pm,
                                 const LowerToKernelsOptions &options);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_LOWERTOKERNELS_H
