//===- Launches.td - passes towards launches of kernels ----*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_LAUNCHES_TD
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_LAUNCHES_TD

include "mlir/Pass/PassBase.td"

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
    write each count to a buffer of its own. Where it was read stands a
    `sparseconv.kernel.device_scalar`, whose bound is the rows for which the
    operation's first destination has room, and the capacity and the cells of a
    `unique`, whose destinations get no more memory than that. Where a `unique`
    says how many keys one coordinate reaches, they get a
    `sparseconv.kernel.growable_capacity` in place of their bound. Each dynamic
    size of an argument is passed in a buffer, too (a new argument with the
    attribute `sparseconv.size_of`), bounded by the size of the buffer behind
    the argument. A scalar argument becomes a buffer of one element. An `index`
    argument that sizes of buffers depend on becomes a buffer of as many rows of
    no elements (`memref<?x0xi8>`), so that it has a bound as well.
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

    Loops of too many iterations stay as well, and so does what is left where the
    loops of a function, nested ones multiplied, would make too many copies.
  }];
  let options = [Option<"maxTrips", "max-trips", "uint64_t", /*default=*/"256",
                        "loops of more iterations stay as they are">,
                 Option<"maxCopies", "max-copies", "uint64_t",
                        /*default=*/"1024",
                        "the most copies of bodies in a function">];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
  let statistics = [Statistic<"numUnrolled", "unrolled", "loops unrolled">];
}

def SparseConvFlattenBranches
    : Pass<"sparseconv-flatten-branches", "::mlir::func::FuncOp"> {
  let summary = "writes branches with tensors as selections";
  let description = [{
    For a target on whose host no branch can depend on a number of the device.
    An `scf.if` whose sides give tensors from before it, or fills, becomes a
    `linalg.generic`, and so does an `arith.select` of tensors. It reads each
    element from the side that is chosen, and fuses with its readers. What else
    the sides do (the report of an error) stays under the condition.

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
    that were collapsed, and that of a `memref.expand_shape` the size that it was
    given, so that sizes depend on buffers alone.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def SparseConvFormKernels
    : Pass<"sparseconv-form-kernels", "::mlir::func::FuncOp"> {
  let summary = "divides a function into kernels and what the host does";
  let description = [{
    Every outermost `scf.parallel` becomes a `gpu.launch` with one thread for
    each iteration, or for several where there would be more than 4096 thread
    blocks. Code between such loops that reads or writes buffers becomes a
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
    is compiled and loaded once. A kernel that does not say how many of its thread
    blocks have to fit a multiprocessor at once (`nvvm.minctasm`) gets a number: 2
    with 512 threads; 6 with 128, which leaves a thread 80 registers, for which few
    kernels spill; else 1, so that ptxas spills nothing to make room for more.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect"];
}

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_LAUNCHES_TD
