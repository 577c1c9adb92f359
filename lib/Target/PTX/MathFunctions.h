//===- MathFunctions.h - functions of one or two f32 ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PTX_MATHFUNCTIONS_H
#define SPARSECONV_LIB_TARGET_PTX_MATHFUNCTIONS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::sparseconv {

/// Writes `op`, a math operation or arith.remf on f32, as arithmetic on f64,
/// which is exact enough that one rounding to f32 is all that is left of its
/// error. Returns false for an operation or type that it does not know.
bool expandInDouble(RewriterBase &rewriter, Operation *op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PTX_MATHFUNCTIONS_H
