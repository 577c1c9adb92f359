//===- GradientFunction.h - functions that compute gradients ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_GRADIENTFUNCTION_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_GRADIENTFUNCTION_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"

namespace mlir::sparseconv {

/// A function that computes the results of another one and behind them the
/// gradients by its arguments.
struct GradientFunction {
  func::FuncOp function;
  /// The arguments of the other function; gradients of results follow them.
  unsigned numArguments;
  /// The results of the other function; gradients of arguments follow them.
  unsigned numResults;
};

/// Writes such a function behind `original`, which has one block, by the
/// arguments `wrt`. Its name is that of `original` and `suffix`. A failure has
/// emitted an error, and leaves no function.
FailureOr<GradientFunction> buildGradientFunction(func::FuncOp original,
                                                  ArrayRef<unsigned> wrt,
                                                  StringRef suffix);

/// Makes a function of it that computes the gradients alone, and takes what it
/// reads of the forward pass; writes @NAME_forward, which returns that.
LogicalResult keepResults(func::FuncOp original, GradientFunction gradient);

/// Puts `function` behind `original`, named as it is and `suffix`. A failure
/// has emitted an error, and leaves neither a function nor a name.
LogicalResult insertBehind(func::FuncOp original, func::FuncOp function,
                           StringRef suffix);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_DIFFERENTIATION_GRADIENTFUNCTION_H
