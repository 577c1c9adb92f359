//===- Epilogue.h - the bodies of epilogues ---------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_EPILOGUE_H
#define SPARSECONV_KERNELS_BUILDERS_EPILOGUE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::sparseconv {

/// Clones the body of an epilogue, on vectors where there are `lanes`: the
/// accumulator and the values of the extra operands are its arguments.
Value cloneEpilogue(ImplicitLocOpBuilder &b, Block &body, ValueRange arguments,
                    int64_t lanes = 0);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_EPILOGUE_H
