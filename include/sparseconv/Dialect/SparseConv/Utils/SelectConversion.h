//===- SelectConversion.h - choices of several values ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_SELECTCONVERSION_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_SELECTCONVERSION_H

#include "mlir/Transforms/DialectConversion.h"

namespace mlir::sparseconv {

/// `arith.select` of two sets or maps chooses each of the values that they
/// become.
void populateSelectTypeConversionPattern(const TypeConverter &converter,
                                         RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_SELECTCONVERSION_H
