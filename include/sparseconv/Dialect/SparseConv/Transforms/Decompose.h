//===- Decompose.h - features without operations of ours -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_DECOMPOSE_H
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_DECOMPOSE_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::sparseconv {

/// A kernel map becomes its neighbour table and the number of its in rows; of a
/// map that an operation makes, that is what other operations say of it.
void addDecomposeTypeConversions(TypeConverter &converter);

/// Patterns that write operations on features, given a neighbour table, by
/// `linalg`, `tensor`, `scf` and `arith`.
void populateDecomposePatterns(const TypeConverter &converter,
                               RewritePatternSet &patterns);

/// What these patterns and conversions leave is legal: everything but such
/// operations, and values of maps that no operation makes.
void configureDecomposeTarget(const TypeConverter &converter,
                              ConversionTarget &target);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_DECOMPOSE_H
