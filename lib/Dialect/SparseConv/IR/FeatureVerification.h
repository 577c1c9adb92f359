//===- FeatureVerification.h - checks of feature tensors --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the operations on features have in common: checks that say what was
// expected and what was found, result types and reified row counts.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_IR_FEATUREVERIFICATION_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_IR_FEATUREVERIFICATION_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// tensor<?xCxT>: features of a set whose size is known at run time.
RankedTensorType getFeatureType(int64_t channels, Type element);

/// The type of `value` where it is a tensor of one of `ranks`; otherwise null
/// with an error that names it. Inference meets operands that no verifier saw.
RankedTensorType inferRankedType(std::optional<Location> loc, StringRef name,
                                 Value value, ArrayRef<int64_t> ranks);

/// No encoding, and a static number of channels of at least 1.
LogicalResult verifyFeatures(Operation *op, StringRef name,
                             RankedTensorType type);

/// `type` has the element type of `other`.
LogicalResult verifySameElement(Operation *op, StringRef name,
                                RankedTensorType type, StringRef otherName,
                                RankedTensorType other);

/// `type` has the channels (its last dimension) and the element type of
/// `other`.
LogicalResult verifySameChannels(Operation *op, StringRef name,
                                 RankedTensorType type, StringRef otherName,
                                 RankedTensorType other);

/// Two tensors with one row for each point differ in no row count known here.
LogicalResult verifySameRows(Operation *op, StringRef name,
                             RankedTensorType type, StringRef otherName,
                             RankedTensorType other);

/// An epilogue, if there is one, takes the f32 accumulator and an element of
/// each of `extras`, computes with scalars what cannot fail, and
/// yields one value.
LogicalResult verifyEpilogue(Operation *op, Region &epilogue,
                             ValueRange extras);

/// `found` is exactly `expected`.
LogicalResult verifyResultType(Operation *op, StringRef name, Type found,
                               Type expected);

/// The shape of the features that `op` results in, which have `rows` rows.
LogicalResult reifyFeatures(OpBuilder &builder, Operation *op,
                            OpFoldResult rows,
                            ReifiedRankedShapedTypeDims &shapes);

/// The same with the rows of a side of a map, and of a set.
LogicalResult reifyMapFeatures(OpBuilder &builder, Operation *op, MapSide side,
                               Value map, ReifiedRankedShapedTypeDims &shapes);
LogicalResult reifySetFeatures(OpBuilder &builder, Operation *op, Value coords,
                               ReifiedRankedShapedTypeDims &shapes);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_IR_FEATUREVERIFICATION_H
