//===- KeyLookup.h - searches that look up key by key -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the searches have in common that look for each neighbour by itself: they
// differ in how a key is looked up alone.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_KEYLOOKUP_H
#define SPARSECONV_LIB_KERNELS_INDEXING_KEYLOOKUP_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

/// A way to look keys up. The constructor writes what prepares that, before the
/// loops or the kernel of the search.
class KeyLookup {
public:
  virtual ~KeyLookup() = default;

  /// The rows of some keys, or -1 (i32). The keys are looked up side by side,
  /// so that their loads overlap.
  virtual SmallVector<Value> find(ArrayRef<Value> queries) = 0;
  /// Frees what the look-ups needed.
  virtual void release() {}
};

/// A search by look-ups.
class LookupSearch : public Search {
public:
  void emitLoops(LoopBuilder &b, const SearchTask &task) const override;
  void emitKernels(LoopBuilder &b, const SearchTask &task) const override;

protected:
  using Search::Search;

  virtual std::unique_ptr<KeyLookup> prepare(LoopBuilder &b,
                                             const SearchTask &task) const = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_KEYLOOKUP_H
