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
    it is `output_stationary`, with `split_k` where the mainloop that is fast for
    the shape can divide the offsets of few rows among thread blocks, and the
    module is given the attributes `sparseconv.target` and `sparseconv.chip`, which
    later passes read.
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

    Where the module is for a GPU (`sparseconv.target`, `sparseconv.chip`), every
    `conv` and `input_grad` gets a `#sparseconv.gemm_tiling`: the first of the
    mainloops known to be fast for its shape that fits the chip, or `fma` where
    tensor cores do not take it (f32, groups, mixed types).
  }];
  let options = [
    Option<"vectorBits", "vector-bits", "unsigned", /*default=*/"256",
           "bits of a vector register: 128, 256 or 512">];
  let dependentDialects = ["::mlir::sparseconv::SparseConvDialect"];
  let statistics = [
    Statistic<"numSelected", "selected", "operations given a tiling">];
}

def SparseConvVerifySelection
    : Pass<"sparseconv-verify-selection", "::mlir::ModuleOp"> {
  let summary = "checks tilings and dataflows against the chip";
  let description = [{
    An error for every `conv` and `input_grad` whose `#sparseconv.gemm_tiling` and
    dataflow cannot be run on the chip that the module names: shared memory,
    registers, instructions, offsets that can be split. Whoever wrote them, a
    pass or a person, learns which limit it is.
  }];
}

def SparseConvSeparateResults
    : Pass<"sparseconv-separate-results", "::mlir::func::FuncOp"> {
  let summary = "gives each result of a function a buffer of its own";
  let description = [{
    One-shot bufferization takes the results of a call for distinct buffers, so
    that a caller may write to one of them in place. Where a function returns one
    tensor twice, or two parts of one tensor, the later ones become copies. On a
    GPU a reshaped tensor becomes a copy, too: results are whole buffers there.
  }];
  let dependentDialects = ["::mlir::bufferization::BufferizationDialect"];
}

def SparseConvSeparateBuffers
    : Pass<"sparseconv-separate-buffers", "::mlir::func::FuncOp"> {
  let summary = "gives each use of an empty tensor one of its own";
  let description = [{
    CSE makes one `tensor.empty` of all that are alike, and bufferization one
    buffer of it for all who write to it one after the other. A device could run
    them side by side, and packs its memory by lifetimes anyway; so each use gets
    a copy of the `tensor.empty`.
  }];
  let dependentDialects = ["::mlir::tensor::TensorDialect"];
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
    An `index` argument that sizes of buffers depend on becomes a buffer of as
    many rows of no elements (`memref<?x0xi8>`), so that it has a bound as well.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::sparseconv::SparseConvDialect"];
}

def SparseConvAllowInlining
    : Pass<"sparseconv-allow-inlining", "::mlir::ModuleOp"> {
  let summary = "lets the inliner take every function";
  let description = [{
    For a target that has no calls. Removes the attribute `no_inline` from calls
    and from functions with a body.
  }];
}

def SparseConvUnrollLoops
    : Pass<"sparseconv-unroll-loops", "::mlir::func::FuncOp"> {
  let summary = "repeats the bodies of loops around kernels";
  let description = [{
    For a target whose host runs straight through its launches. An `scf.for` over
    sets, maps or tensors, whose bounds and step are constant, becomes as many
    copies of its body. Loops over numbers alone stay: a kernel runs them.
  }];
  let options = [Option<"maxTrips", "max-trips", "uint64_t", /*default=*/"256",
                        "loops of more iterations stay as they are">];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numUnrolled", "unrolled", "loops unrolled">];
}

def SparseConvFlattenBranches
    : Pass<"sparseconv-flatten-branches", "::mlir::func::FuncOp"> {
  let summary = "writes branches with tensors as selections";
  let description = [{
    For a target on whose host no branch can depend on a number of the device. An
    `scf.if` whose sides give tensors from before it, or fills, becomes a
    `linalg.generic` that reads each element from the side that is chosen, and
    fuses with its readers; so does an `arith.select` of tensors. What else the
    sides do (the report of an error) stays under the condition.

    A side that computes tensors runs in any case, but on no rows unless it is
    chosen: what it takes from before the branch loses its rows, and numbers
    become 0. An operation that could then fail, or that reads a place of a
    tensor of its own accord, is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

def SparseConvResolveReshapes
    : Pass<"sparseconv-resolve-reshapes", "::mlir::func::FuncOp"> {
  let summary = "computes sizes of reshaped buffers from those before";
  let description = [{
    A `memref.dim` of a `memref.collapse_shape` becomes the product of the sizes
    that were collapsed, so that sizes depend on buffers alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
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
