//===- ImplicitGemms.h - the operations that are implicit GEMMs -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_IMPLICITGEMMS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_IMPLICITGEMMS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// Calls `visit(op, weights, features, isTransposed)` for each `conv` and
/// `input_grad` in `root`, with the type of its weights and the element type of
/// what they multiply.
template <typename Visit>
void forEachImplicitGemm(Operation *root, Visit visit) {
  root->walk([&](ConvOp op) {
    visit(op, op.getW().getType(), op.getX().getType().getElementType(),
          /*isTransposed=*/false);
  });
  root->walk([&](InputGradOp op) {
    visit(op, op.getW().getType(), op.getDy().getType().getElementType(),
          /*isTransposed=*/true);
  });
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_IMPLICITGEMMS_H
