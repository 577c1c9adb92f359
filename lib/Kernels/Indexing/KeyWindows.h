//===- KeyWindows.h - a search of a set in itself ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_KEYWINDOWS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_KEYWINDOWS_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

/// Whether the kernel below can carry out a search: of a set in itself, for
/// short columns in few groups.
bool fitsKeyWindows(const SearchTask &task);

/// Writes the kernel of such a search.
void emitKeyWindows(LoopBuilder &b, const SearchTask &task);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_KEYWINDOWS_H
