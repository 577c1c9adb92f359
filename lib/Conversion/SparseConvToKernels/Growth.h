//===- Growth.h - sets whose bounds multiply --------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_GROWTH_H
#define SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_GROWTH_H

#include "mlir/IR/BuiltinOps.h"

namespace mlir::sparseconv {

/// Gives each operation whose set may have more than twice the rows that it
/// stems from an attribute `sparseconv.reach`: how many coordinates of the set
/// one of an operand reaches. A set with a capacity of its own needs none.
void markGrowingSets(ModuleOp module);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_GROWTH_H
