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

/// The attribute of a `map_from_table` that is not checked.
inline constexpr llvm::StringLiteral kTrustedAttr = "sparseconv.trusted";

/// Takes all tables that a module is given as those of maps.
inline void trustTables(Operation *module) {
  module->walk([](MapFromTableOp op) {
    op->setAttr(kTrustedAttr, UnitAttr::get(op.getContext()));
  });
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_TRUSTEDTABLES_H
