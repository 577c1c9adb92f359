//===- ItemReduction.h - rows of batch items combined on a GPU --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a batch item lie together. They are cut into row blocks by
// their number alone, the threads of a thread block combine neighbouring rows
// of a row block, and then neighbouring row blocks of an item: the result is
// the same on every run, and of equal rows the first one is known.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_ROWS_ITEMREDUCTION_H
#define SPARSECONV_LIB_KERNELS_ROWS_ITEMREDUCTION_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

struct ItemRows {
  /// Features, and the number of the items.
  Value x, items;
  /// Where the rows of each item begin, and the end of the last.
  Value begins;
  PackingAttr packing;
  Value keys;
};

/// Whether `combineItems` can do it: the number of channels is static.
bool canCombineItems(LoopBuilder &b, Value x);

/// Calls `store` for each item and chunk of channels, with the combination of
/// the item's rows (f32 lanes; what `getPoolStart` gives for no rows) and, if
/// `findsRows`, the row that a maximum comes from (i32 lanes; -1 for none).
void combineItems(
    LoopBuilder &b, const ItemRows &rows, PoolKind kind, bool findsRows,
    function_ref<void(Value item, Value channel, Value result, Value row)>
        store);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_ROWS_ITEMREDUCTION_H
