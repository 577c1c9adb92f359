//===- Verification.h - checks that operations share ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_VERIFICATION_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_VERIFICATION_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"

namespace mlir::sparseconv {

/// Offsets have the dimension of the finer set `fine`, and no offset times its
/// stride passes the guard of the packing.
LogicalResult verifyOffsets(Operation *op, OffsetSetInterface offsets,
                            CoordsType fine);

/// `points` has a batch column and one for each axis of `coords`.
LogicalResult verifyPointColumns(Operation *op, RankedTensorType points,
                                 CoordsType coords);

/// Whether `op` may stand in an epilogue: scalar arithmetic that cannot fail,
/// and constants.
bool isEpilogueOperation(Operation &op);

/// Whether `op` divides integers, and not by a constant that is neither 0 nor
/// -1.
bool isDivision(Operation &op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_VERIFICATION_H
