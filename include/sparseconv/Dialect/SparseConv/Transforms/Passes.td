//===- Passes.td - passes on the dialect -------------------*- tablegen -*-===////
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//


#ifndef SPARSECONV_TRANSFORMS_PASSES
#define SPARSECONV_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def SparseConvLimitParallelism
    : Pass<"sparseconv-limit-parallelism", "::mlir::func::FuncOp"> {
  let summary = "keeps one level and one dimension of parallel loops";
  let description = [{
    Threads pay where each gets much to do. Of nested `scf.parallel` loops the
    outermost stays parallel, of several dimensions the first; all others become
    `scf.for`. A sequential loop around nothing but a parallel one (a reduction
    over rows, as `linalg` lowers it) moves inside it.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

#endif // SPARSECONV_TRANSFORMS_PASSES
