//===- Searches.h - entries of Searches.def ------------------- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_SEARCHES_H
#define SPARSECONV_LIB_KERNELS_INDEXING_SEARCHES_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {
/// Each is defined in the file of its entry.
#define SEARCH(name) const Search &get##name##Search();
#include "Searches.def"
} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_SEARCHES_H
