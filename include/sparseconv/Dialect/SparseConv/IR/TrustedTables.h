//===- TrustedTables.h - tables that need no check --------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program checks the tables that it is given (`map_from_table`): an entry
// that is no row would be an access outside of the features. Whoever compiles a
// program may vouch for the tables of all its calls. A network cannot: it may
// come from strangers, and `sparseconv-verify-network` refuses the attribute.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_TRUSTEDTABLES_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_TRUSTEDTABLES_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// The attribute of a given map or of rows that are not checked, of a `pack` of
/// points in order that is not sorted, of a `gather` of rows that are there,
/// and of a `conv` whose features have the rows of its map.
inline constexpr llvm::StringLiteral kTrustedAttr = "sparseconv.trusted";

/// Takes all tables and tiles that a module is given as those of maps, rows by
/// which it renumbers tables as those of their sides, and all points that it
/// says are in order as those of sets.
inline void trustTables(Operation *module) {
  module->walk([](Operation *op) {
    auto pack = dyn_cast<PackOp>(op);
    if (isa<MapFromTableOp, MapFromTilesOp, RenumberTableOp>(op) ||
        (pack && pack.getInOrder()))
      op->setAttr(kTrustedAttr, UnitAttr::get(op->getContext()));
  });
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_TRUSTEDTABLES_H
