//===- LowerToBuffers.h - from a network to kernels on buffers --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_LOWERTOBUFFERS_H
#define SPARSECONV_PIPELINES_LOWERTOBUFFERS_H

#include "sparseconv/Pipelines/SelectionOptions.h"

namespace mlir {
class OpPassManager;

namespace sparseconv {

struct LowerToBuffersOptions
    : public PassPipelineOptions<LowerToBuffersOptions> {
  Option<std::string> target{
      *this, "target",
      llvm::cl::desc("cpu or cuda, or with a chip: cpu:avx512, cuda:sm_80"),
      llvm::cl::init("cpu")};
  Option<bool> comparedArguments{
      *this, "compared-arguments",
      llvm::cl::desc("whoever calls the functions compares the rows of their "
                     "arguments first, as plans do"),
      llvm::cl::init(false)};
  SelectionFlags selection{*this};
};

/// The first part of what all targets share: up to where decisions are made.
/// After it a module is a network still, in which each layer that will be
/// decided on is one operation.
void buildPrepareSelectionPipeline(OpPassManager &pm, StringRef target);

/// What all targets share: sets the target, fuses what follows convolutions
/// into their epilogues, decides how each operation is carried out, and writes
/// a network as kernel operations on buffers. Also the flag
/// `sparseconv-lower-to-buffers`.
void buildLowerToBuffersPipeline(OpPassManager &pm,
                                 const LowerToBuffersOptions &options);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_PIPELINES_LOWERTOBUFFERS_H
