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
    over rows, as `linalg` lowers it) moves inside it; with `only-sink` nothing
    else changes.
  }];
  let options = [Option<"onlySink", "only-sink", "bool", /*default=*/"false",
                        "keep all parallel loops">];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def SparseConvGuardShapes
    : Pass<"sparseconv-guard-shapes", "::mlir::func::FuncOp"> {
  let summary = "checks sizes that upstream operations take for granted";
  let description = [{
    A `linalg` operation or a concatenation on tensors whose sizes disagree at
    run time has no meaning upstream, and would leave its buffers. Where two
    sizes are not equal for sure, they are compared: a mismatch is reported to
    the status record (the last argument) and zeros of the expected size take the
    operand's place.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def SparseConvInstrumentKernels
    : Pass<"sparseconv-instrument-kernels", "::mlir::ModuleOp"> {
  let summary = "marks where each kernel begins and ends, for a profile";
  let description = [{
    Around every kernel operation and every `linalg` operation on buffers a call
    of the runtime with the kernel's number. The module's attribute
    `sparseconv.kernel_table` holds the name and location of each.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::func::FuncDialect"];
}

def SparseConvLowerRowGuards
    : Pass<"sparseconv-lower-row-guards", "::mlir::ModuleOp"> {
  let summary = "writes row guards as branches on the host";
  let description = [{
    `sparseconv.kernel.guard_rows` becomes a comparison of row counts and an
    `scf.if` that gives the features, or reports the mismatch and gives zeros.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::tensor::TensorDialect"];
}

def SparseConvParalleliseCopies
    : Pass<"sparseconv-parallelise-copies", "::mlir::func::FuncOp"> {
  let summary = "writes copies of buffers as linalg operations";
  let description = [{
    `memref.copy` becomes `linalg.copy`, which lowers to parallel loops for any
    layout; the copy of a strided buffer would otherwise call a library.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SparseConvSelectDataflow
    : Pass<"sparseconv-select-dataflow", "::mlir::ModuleOp"> {
  let summary = "decides how each convolution carries out its sum";
  let description = [{
    Gives every `conv`, `input_grad` and `weight_grad` without one a
    `#sparseconv.dataflow`; what is written stays. On the CPU the choice is
    `weight_stationary`: within a block of output rows the pairs of one offset
    fill the registers, where a dense tile would multiply mostly zeros. On a GPU
    it is `output_stationary`, and the module is given the
    attributes `sparseconv.target` and `sparseconv.chip`, which later passes read.
  }];
  let options = [
    Option<"target", "target", "std::string", /*default=*/"\"cpu\"",
           "what the decision is for: cpu, cuda">,
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_90a\"",
           "the GPU that the decision is for: sm_80, sm_86, sm_89, sm_90a">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "operations given a dataflow">];
}

def SparseConvSelectTiling
    : Pass<"sparseconv-select-tiling", "::mlir::ModuleOp"> {
  let summary = "decides the sizes that each convolution is compiled for";
  let description = [{
    Gives every `conv`, `input_grad` and `weight_grad` without one a
    `#sparseconv.tiling`; what is written stays. On the CPU:

    - `block`: 512 output rows for every layer, so that layers on one map share
      its pair lists, and a block's accumulators stay in the L2 cache;
    - `rows` x `columns`: the accumulators fill the vector registers but for the
      ones that hold weights and a broadcast input: 6 x 64 with 32 registers of
      512 bits, 6 x 16 with 16 of 256, 6 x 8 with 16 of 128; no wider than the
      output channels, padded to whole vectors.
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "bits of a vector register: 128, 256 or 512">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "operations given a tiling">];
}

def SparseConvSeparateResults
    : Pass<"sparseconv-separate-results", "::mlir::func::FuncOp"> {
  let summary = "gives each result of a function a buffer of its own";
  let description = [{
    One-shot bufferization takes the results of a call for distinct buffers, so
    that a caller may write to one of them in place. Where a function returns one
    tensor twice, or two parts of one tensor, the later ones become copies.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def SparseConvBoundCounts
    : Pass<"sparseconv-bound-counts", "::mlir::func::FuncOp"> {
  let summary = "makes counts and sizes numbers of the device, with bounds";
  let description = [{
    For a target whose sizes stay on the device. Kernel operations on buffers
    write each count to a buffer of its own; where it was read stands a
    `sparseconv.kernel.device_scalar`, bounded by the rows for which the
    operation's first destination has room. Each dynamic size of an argument is
    passed in a buffer, too (a new argument with the attribute
    `sparseconv.size_of`), bounded by the size of the buffer behind the argument.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::sparseconv::SparseConvDialect"];
}

def SparseConvFlattenBranches
    : Pass<"sparseconv-flatten-branches", "::mlir::func::FuncOp"> {
  let summary = "writes branches that only choose a tensor as a selection";
  let description = [{
    For a target on whose host no branch can depend on a size. An `scf.if` whose
    sides give tensors from before it, or fills, becomes a `linalg.generic` that
    reads each element from the side that is chosen, and fuses with its readers.
    What else the sides do (the report of an error) stays under the condition.
    Branches that compute tensors stay as they are.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SparseConvFormKernels
    : Pass<"sparseconv-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "divides a function into kernels and what the host does";
  let description = [{
    Every outermost `scf.parallel` becomes a `gpu.launch` with a thread for each
    iteration; code between such loops that reads or writes buffers becomes a
    launch of one thread. Numbers of the device are read inside the kernels that
    need them: what remains on the host are allocations, launches and arithmetic
    on capacities. Kernels take buffers without sizes and rebuild their shapes.
    Each dynamic size of a result is returned in a buffer (a new result).

    A branch on a number of the device around loops is a condition in each of
    their kernels; other control flow that would need such a number on the host
    is an error.
  }];
  let options = [Option<"blockSize", "block-size", "int64_t", /*default=*/"256",
                        "threads of a block of a parallel loop's kernel">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::sparseconv::SparseConvDialect"];
}

def SparseConvMergeKernels
    : Pass<"sparseconv-merge-kernels", "::mlir::ModuleOp"> {
  let summary = "gathers all kernels in one module, equal ones once";
  let description = [{
    Outlining makes a `gpu.module` for each launch. Kernels of one text (layers of
    one shape, passes of one sort) become one, and all stand in one module, which
    is compiled and loaded once.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // SPARSECONV_TRANSFORMS_PASSES
