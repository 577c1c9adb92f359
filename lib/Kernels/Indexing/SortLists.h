//===- SortLists.h - what the passes of a sort read and write ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_SORTLISTS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_SORTLISTS_H

#include "KeyDigits.h"

namespace mlir::sparseconv {

/// Keys, and where each was before the sort.
struct KeyList {
  Value keys, positions;
};

/// The lists that the passes of a sort move keys between: the first reads the
/// keys as they came, the last writes the result, and those between take turns
/// with a list beside it.
class SortLists {
public:
  SortLists(LoopBuilder &b, Value keys, const KeyDigits &digits);

  void alloc(const KeyList &result, Value numKeys);
  void dealloc();
  /// Keys, and then where each was before the sort, by their positions before
  /// the pass (i32).
  SmallVector<Value> load(Value pass, ValueRange positions);
  /// A key, or where it was before the sort, by its position after the pass.
  void storeKey(Value pass, Value key, Value position);
  void storePosition(Value pass, Value from, Value position);

private:
  /// The list that a pass writes: the result or the one beside it.
  KeyList getTarget(Value pass);
  bool hasSide() const { return digits.getMaxPasses() > 1; }

  LoopBuilder &b;
  const KeyDigits &digits;
  Value keys;
  Type keyType;
  KeyList sorted, side;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_SORTLISTS_H
