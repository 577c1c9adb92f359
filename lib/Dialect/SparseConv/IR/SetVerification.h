//===- SetVerification.h - operations on sets -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operations on points and on coordinate sets have in common.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_IR_SETVERIFICATION_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_IR_SETVERIFICATION_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// tensor<?xi32>: one number for each row of a set.
RankedTensorType getRowsType(MLIRContext *context);

/// The rows of a set, or of a tensor.
OpFoldResult getSize(OpBuilder &builder, Location loc, Value coords);
OpFoldResult getDim0(OpBuilder &builder, Location loc, Value tensor);

/// `clip` has as many axes as the set that it clips.
LogicalResult verifyClip(Operation *op, std::optional<RegionAttr> clip,
                         CoordsType coords);

/// Sizes of voxels are above 0, and all numbers finite.
LogicalResult verifyVoxels(Operation *op, ArrayRef<float> origin,
                           ArrayRef<float> voxelSize);

/// As many cells as a coordinate is divided into `by` are a box of offsets,
/// which must not be too large.
LogicalResult verifyNumCells(Operation *op, ArrayRef<int64_t> by);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_IR_SETVERIFICATION_H
