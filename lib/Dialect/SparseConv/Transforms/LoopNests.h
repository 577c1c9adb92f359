//===- LoopNests.h - loops of structured operations -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_LOOPNESTS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_LOOPNESTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::sparseconv {

/// Parallel loops from 0 over `ranges`, each with its step.
scf::ParallelOp createParallelLoops(OpBuilder &b, Location loc,
                                    ArrayRef<Range> ranges,
                                    ArrayRef<int64_t> steps);

/// Where an operand, each of whose indices is a loop, lies at an iteration.
SmallVector<Value> getIndices(OpOperand &operand, ValueRange ivs);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_LOOPNESTS_H
