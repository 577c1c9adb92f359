//===- Passes.td - conversion passes -----------------------*- tablegen -*-===////
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_CONVERSION_PASSES
#define SPARSECONV_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSparseConvToKernels
    : Pass<"convert-sparseconv-to-kernels", "::mlir::ModuleOp"> {
  let summary = "writes network operations as kernel operations on tensors";
  let description = [{
    A coordinate set becomes a tensor of sorted keys, a kernel map its neighbour
    table and the number of rows of its in set, in functions, calls, `scf`
    operations and everything between. Every function with a body gets one more
    argument, the status record. An `scf.while` ends once that holds an error.

    Network operations are numbered in program order; the module's attribute
    `sparseconv.op_table` holds the name and location of each.

    Searches, dataflows and tilings must have been selected. A dataflow that the
    module's target has no kernel for is an error.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::bufferization::BufferizationDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::memref::MemRefDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def ConvertSparseConvKernelsToLoops
    : Pass<"convert-sparseconv-kernels-to-loops", "::mlir::ModuleOp"> {
  let summary = "writes kernel operations on buffers as loop nests";
  let description = [{
    The CPU's kernels: every `sparseconv.kernel` operation on buffers becomes
    `scf` loops over `memref` and `vector` operations; work items that run on
    all threads are `scf.parallel`. Sorting becomes a call of the runtime.

    Each element of a result is computed by one work item in a fixed order, so
    results have the same bits for any number of threads.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect"];
}

def ConvertSparseConvKernelsToGpu
    : Pass<"convert-sparseconv-kernels-to-gpu", "::mlir::ModuleOp"> {
  let summary = "writes kernel operations on buffers as GPU kernels";
  let description = [{
    The kernels of a GPU, for the chip that the module's target names. Some
    `sparseconv.kernel` operations are carried out in a way of the GPU's own:
    sort, search, tiling of rows, implicit GEMM, gradients by the weights. They
    become `gpu.launch` or `gpu.launch_func` operations with their kernels. The
    others become `scf.parallel` loops with one thread for each iteration, of
    which `sparseconv-form-kernels` makes kernels.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::gpu::GPUDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"];
}

#endif // SPARSECONV_CONVERSION_PASSES
