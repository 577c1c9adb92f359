//===- DifferentiableOpInterface.td - operations with adjoints -*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIFFERENTIABLE_OP_INTERFACE
#define SPARSECONV_DIFFERENTIABLE_OP_INTERFACE

include "mlir/IR/OpBase.td"

def SparseConv_DifferentiableOpInterface
    : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::mlir::sparseconv";
  let description = [{
    An operation that writes its own adjoint: from the gradients of a number by
    its results, the gradients of that number by its operands. An operation of
    another dialect gets it by an external model.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds the adjoint at `builder`, where all values that the operation reads
      and gives are at hand. `resultGradients` has one value for each result, of
      the result's type, or null where nothing depends on that result. What it
      contributes to the gradients of its operands goes to `gradients`, which says
      which operands are active: others need none. A failure has emitted an error
      at the operation.
      }],
      "::llvm::LogicalResult", "buildAdjoint",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultGradients,
           "::mlir::sparseconv::Gradients &":$gradients)>
  ];
}

#endif // SPARSECONV_DIFFERENTIABLE_OP_INTERFACE
