//===- Passes.td - passes that build gradients -------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIFFERENTIATION_PASSES
#define SPARSECONV_DIFFERENTIATION_PASSES

include "mlir/Pass/PassBase.td"

def SparseConvDifferentiate
    : Pass<"sparseconv-differentiate", "::mlir::ModuleOp"> {
  let summary = "builds the reverse-mode gradient of functions";
  let description = [{
    Beside a function it writes one that computes its gradient: from the
    arguments, and the gradients of some number by each result that is a tensor
    of floats, the gradients of that number by the arguments. For example

    ```mlir
    func.func @layer(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, ...)
        -> tensor<?x8xf32>
    ```

    gets the function

    ```mlir
    func.func @layer_gradient(%x: tensor<?x4xf32>, %w: tensor<27x4x8xf32>, ...,
                              %dy: tensor<?x8xf32>)
        -> (tensor<?x8xf32>, tensor<?x4xf32>, tensor<27x4x8xf32>)
    ```

    which returns the results, too. With `keep=results` there are two functions:
    `@layer_forward` returns, behind the results, the features that the backward
    pass reads. `@layer_backward` takes the arguments, these features and the
    gradients of the results, and returns the gradients of the arguments. It
    computes sets and kernel maps again.

    Functions that are called become a part of the gradient. What is not a float,
    such as a row number, a set or a map, has no gradient, and what the results
    do not depend on is left out.

    Every other operation on the way writes its own adjoint through
    `DifferentiableOpInterface`. Errors: an operation that has none, or whose
    adjoint does not exist by an operand that needs it (at the operation); a name
    that is taken; an argument in `wrt` that is not there, or no tensor of floats.
  }];
  let options = [
    ListOption<"functions", "functions", "std::string",
               "names of functions (default: every public function from tensors of "
               "floats to tensors of floats that uses the dialect)">,
    ListOption<"wrt", "wrt", "std::string",
               "positions or names of the arguments to differentiate by "
               "(default: every tensor of floats)">,
    Option<"keep", "keep", "Keep", /*default=*/"Keep::Recompute",
           "what the backward pass reads of the forward pass",
           "::llvm::cl::values("
           "clEnumValN(Keep::Recompute, \"recompute\", "
           "\"nothing: one function computes both\"), "
           "clEnumValN(Keep::Results, \"results\", "
           "\"results of the forward function\"))">];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::linalg::LinalgDialect",
    "::mlir::math::MathDialect", "::mlir::tensor::TensorDialect"];
}

#endif // SPARSECONV_DIFFERENTIATION_PASSES
