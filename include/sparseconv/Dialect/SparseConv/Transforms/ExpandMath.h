//===- ExpandMath.h - math operations that no target has --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EXPANDMATH_H
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EXPANDMATH_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::sparseconv {

/// Patterns that write `math.clampf`, `math.isinf`, `math.isnormal` and
/// `math.ipowi`, on scalars and vectors, by operations that have a form in the
/// LLVM dialect.
void populateExpandMathPatterns(RewritePatternSet &patterns);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_EXPANDMATH_H
