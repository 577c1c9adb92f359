//===- Backends.h - the backends that there are -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_SUPPORT_TARGETS_BACKENDS_H
#define SPARSECONV_LIB_SUPPORT_TARGETS_BACKENDS_H

#include "sparseconv/Support/TargetInfo.h"

namespace mlir::sparseconv {

extern const TargetBackend cpuBackend;
extern const TargetBackend cudaBackend;

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_SUPPORT_TARGETS_BACKENDS_H
