//===- ScalarKernels.h - integers in registers ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_REFERENCE_SCALARKERNELS_H
#define SPARSECONV_LIB_REFERENCE_SCALARKERNELS_H

#include "Tape.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv::reference {

using KernelMaker = std::function<Kernel(Operation *)>;

/// Makers of the kernels of integer operations of arith, by operation name.
void addIntegerKernels(llvm::StringMap<KernelMaker> &makers);

inline unsigned getWidth(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
}

inline uint64_t toUnsigned(int64_t value, unsigned width) {
  return static_cast<uint64_t>(value) & llvm::maskTrailingOnes<uint64_t>(width);
}

inline int64_t toSigned(int64_t value, unsigned width) {
  return llvm::SignExtend64(static_cast<uint64_t>(value), width);
}

/// The form in which registers hold an integer: sign-extended, booleans 0 or 1.
inline int64_t canonicalise(uint64_t bits, unsigned width) {
  return width == 1 ? static_cast<int64_t>(bits & 1)
                    : llvm::SignExtend64(bits, width);
}

} // namespace mlir::sparseconv::reference

#endif // SPARSECONV_LIB_REFERENCE_SCALARKERNELS_H
