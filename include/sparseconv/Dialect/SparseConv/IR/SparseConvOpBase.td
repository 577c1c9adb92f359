//===- SparseConvOpBase.td - what all operations share -----*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_OP_BASE
#define SPARSECONV_OP_BASE

include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.td"

class SparseConv_Op<string mnemonic, list<Trait> traits = []>
    : Op<SparseConv_Dialect, mnemonic, traits>;

/// Result types follow from operands and attributes.
defvar SparseConv_Infer = InferTypeOpAdaptor;

/// `tensor.dim` of a result folds to the size of a set, or to another dim.
def SparseConv_Reify
    : DeclareOpInterfaceMethods<ReifyRankedShapedTypeOpInterface,
                                ["reifyResultShapes"]>;

/// Names for the results of operations with several (`%coords, %order`).
def SparseConv_ResultNames
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>;

/// Names for the arguments of a region (`%acc, %channel, %row`).
def SparseConv_ArgumentNames
    : DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>;

#endif // SPARSECONV_OP_BASE
