//===- SparseConvDialect.td - the dialect -----------------*- tablegen -*--===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT
#define SPARSECONV_DIALECT

include "mlir/IR/DialectBase.td"

def SparseConv_Dialect : Dialect {
  let name = "sparseconv";
  let cppNamespace = "::mlir::sparseconv";
  let summary = "Spatially sparse convolutions";
  let description = [{
    Networks over voxels: coordinate sets (`!sparseconv.coords`), the kernel
    maps that relate two of them (`!sparseconv.kernel_map`), and dense feature
    tensors with one row per voxel (`tensor<?xCxT>`).

    Words, each with one meaning:

    - A *coordinate* is a point of Z^D, D = 1..4, with a batch index >= 0, in
      units of the finest grid. Negative coordinates are legal.
    - A *coordinate set* holds distinct coordinates in ascending key order:
      batch first, then first axis, last axis fastest. *Row* i of a feature
      tensor belongs to the i-th coordinate of its set.
    - The *stride* S of a set (per axis, part of its type): all coordinates are
      multiples of S, and coordinate c stands for the cell c .. c+S-1.
    - An *offset* is a displacement in units of the finer of the two sets that
      a kernel map relates; a kernel map has at most one input row for each
      (output row, offset).

    Elementwise operations and normalisation are upstream's (`linalg`, `arith`
    and `math` on tensors).

    The dialect has two levels. *Network* operations work on tensors, sets and
    maps, and say what is computed. *Kernel* operations (`sparseconv.kernel.*`)
    are in destination-passing style on tensors or buffers of keys, rows and
    features; each is one kernel, or one named group of kernels, of a target.

    No network operation has memory effects. Operations that can fail at run
    time are not speculatable; they report to the status record of the compiled
    function.
  }];
  let useDefaultTypePrinterParser = 1;
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let hasRegionResultAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Version of the bytecode encoding; the producer's is stored in each file.
    static constexpr int64_t kBytecodeVersion = 1;
    /// A module's attribute that says what it is compiled for.
    static constexpr llvm::StringLiteral kTargetAttrName = "sparseconv.target";
    /// Marks, during the conversion to kernels, an operation whose set grows,
    /// with how many coordinates of it one of its input can make.
    static constexpr llvm::StringLiteral kReachAttrName = "sparseconv.reach";
    /// Marks, in a kernel of a GPU, an operation that does no more with memory
    /// than to read where its operands point.
    static constexpr llvm::StringLiteral kLoadAttrName = "sparseconv.load";
    /// Marks a parameter of a GPU's kernel: what lies there is the same behind
    /// the kernel as before it.
    static constexpr llvm::StringLiteral kRestoredAttrName =
        "sparseconv.restored";
    void registerTypes();
    void registerAttributes();
    void registerOps();
  }];
}

#endif // SPARSECONV_DIALECT
