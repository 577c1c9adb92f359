//===- Reductions.td - passes on reductions ----------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_REDUCTIONS_TD
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_REDUCTIONS_TD

include "mlir/Pass/PassBase.td"

def SparseConvFuseReductions
    : Pass<"sparseconv-fuse-reductions", "::mlir::func::FuncOp"> {
  let summary = "fuses reductions of short rows with what reads their results";
  let description = [{
    A group norm is a sum along the channels of a group, a sum of squares that
    reads the first sum, and an elementwise operation that reads both. On buffers
    these become one loop nest, in which a thread has a row and group: the sums
    stay in registers, and features are read from memory once.

    ```mlir
    linalg.generic .. iterator_types = ["parallel", "parallel", "reduction"]
        ins(%x) outs(%sum)
    linalg.generic .. iterator_types = ["parallel", "parallel", "parallel"]
        ins(%x, %sum) outs(%y)
    // becomes
    scf.parallel (%row, %group) = .. {
      %s = scf.for %channel = .. iter_args(..)
      scf.for %channel = .. { vector.store .. %y[%row, %group, %channel] }
    }
    ```

    It applies where the reductions run along the last loop, of 2 to 128
    iterations, begin with a number that the function writes, and nothing else
    reads their results. Sums are added up in the order that they had. A row of up
    to four vectors has a thread for each of them, which all add up the whole row,
    unless the result is stored where the features are.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SparseConvInterchangeLoops
    : Pass<"sparseconv-interchange-loops", "::mlir::func::FuncOp"> {
  let summary = "puts the parallel loops of an operation in front";
  let description = [{
    Upstream lowers the loops of a `linalg` operation in their order, so that a sum
    over rows becomes a loop over rows in which channels run in parallel. Here such
    an operation gets its parallel loops first, and those of a kind stay in their
    order: each thread takes channels, and walks all rows.

    ```mlir
    linalg.generic .. iterator_types = ["reduction", "parallel"] ins(%x) outs(%sum)
    // becomes, with other indexing maps
    linalg.generic .. iterator_types = ["parallel", "reduction"] ins(%x) outs(%sum)
    ```
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::linalg::LinalgDialect"];
}

def SparseConvMergeReductions
    : Pass<"sparseconv-merge-reductions", "::mlir::func::FuncOp"> {
  let summary = "writes reductions over the rows of one tensor as one";
  let description = [{
    The gradients of the scale and the shift of a norm are two sums over the same
    rows. Two such `linalg.generic` on tensors become one with two results, so
    that the rows are read once, where they have the same loops, some of a number
    of iterations that is not known; read one tensor in the same way; have
    results of known sizes; and the second needs nothing that is computed after
    the first.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def SparseConvReduceInRegisters
    : Pass<"sparseconv-reduce-in-registers", "::mlir::func::FuncOp"> {
  let summary = "writes reductions as loops that carry their sums";
  let description = [{
    Upstream's loops for a `linalg.generic` that reduces load a sum from memory and
    store it again for each term. This pass writes such an operation on buffers as
    parallel loops over its results, in which loops over the terms carry the sums.
    A thread has the sums of neighbouring results, if all operands allow vectors
    for them. On a GPU these are up to 16 bytes of numbers, as here. On a CPU they
    are one vector, which fills half of the vector registers.

    ```mlir
    linalg.generic .. iterator_types = ["parallel", "parallel", "reduction"]
        ins(%x, %w) outs(%sum)
    linalg.generic .. iterator_types = ["parallel", "parallel"]
        ins(%sum, %bias) outs(%y)
    // becomes
    scf.parallel (%row, %column) = .. step (%c1, %c4) {
      %sums:4 = scf.for %term = .. iter_args(..) { .. }
      vector.store .. %y[%row, %column]
    }
    ```

    It applies where the operation has one result with an element for each
    iteration of the parallel loops; where each index of an operand is a loop, and
    no loop comes twice; and where no operand lies in the buffer of the result. An
    elementwise operation behind it is part of the loops where it alone reads the
    sums, in their order, and stores to a buffer that neither of the two reads.
    Terms are added up in the order that they had.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect",
                           "::mlir::vector::VectorDialect"];
}

def SparseConvSplitReductions
    : Pass<"sparseconv-split-reductions", "::mlir::func::FuncOp"> {
  let summary = "shares reductions of many rows among all threads";
  let description = [{
    Lowered to loops, a reduction such as the gradient of a scale has one thread
    for each element of its result, and an error that grows with the number of
    rows. This pass writes a `linalg.generic` on buffers in two steps: threads
    combine a part of the terms each into a buffer of partial results, and then
    these are combined with what the destination holds. On a GPU both are kernels,
    whose threads add up what they have in shared memory.

    It applies where one operation with a neutral element combines (`addf`,
    `maximumf`, `muli`, ...), the loops that reduce have 4096 iterations or a
    number that is not known, and the result at most 16384 elements. The order of
    a sum depends on the number of rows alone, so that equal input gives equal
    bits.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_REDUCTIONS_TD
