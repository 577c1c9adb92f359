//===- GuardedOps.h - upstream operations that may fail ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream leaves undefined what these do with sizes or places that do not fit.
// In a network each is an operation that reports it instead: the conversion to
// kernels numbers them, and passes put a guard in front of them.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_GUARDEDOPS_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_GUARDEDOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlir::sparseconv {

/// Operations on elements that may lie outside of a tensor, of which
/// `sparseconv-guard-accesses` takes care.
inline bool isGuardedAccess(Operation *op) {
  return isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::ExtractOp,
             tensor::ExtractSliceOp, tensor::InsertOp, tensor::InsertSliceOp>(
      op);
}

/// Operations on tensors that need equal sizes, of which
/// `sparseconv-guard-shapes` takes care.
inline bool isGuardedShape(Operation *op) {
  return isa<linalg::LinalgOp, tensor::ConcatOp>(op);
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_GUARDEDOPS_H
