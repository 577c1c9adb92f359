//===- SharedRows.h - rows of a table in shared memory ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread works on a row, but a warp moves its 32 rows together: those that
// follow each other word after word, and others in pieces of words.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_SHAREDROWS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_SHAREDROWS_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Copies the rows of a block of `threads` threads between a table (rows x
/// columns, of 32-bit elements) and `stage`, a shared buffer with a row for
/// each thread. All threads of a warp must come here, and each warp sees its
/// rows afterwards (`read`) or has filled them before (`write`). Where elements
/// of the stage are vectors of 4, it is written in pieces of their size, which
/// are where `getPiecePlace` says.
void readWarpRows(LoopBuilder &b, const LoopBuilder::Thread &t, int64_t threads,
                  Value table, Value stage);
void writeWarpRows(LoopBuilder &b, const LoopBuilder::Thread &t,
                   int64_t threads, Value stage, Value table);

/// Returns the words of the row of `table` (rows x columns of i32, in whole
/// pieces of 4) that each thread names by `row` (i32); those of a row that is
/// not there are any. The lanes of a warp load its rows together, so that
/// neighbours read neighbouring pieces, and pass them on through `stage`, a
/// shared buffer of `getGatherType`. All threads of a warp must come here.
SmallVector<Value> gatherWarpRows(LoopBuilder &b, const LoopBuilder::Thread &t,
                                  Value row, Value table, Value stage);
/// The stage of a block of `threads` threads, for rows of so many columns.
MemRefType getGatherType(LoopBuilder &b, int64_t threads, int64_t columns);

/// Where piece number `piece`, counted row by row from the stage's first, is in
/// a stage of rows of `pieces` pieces (index). `row` is the number of its row.
/// Pieces at the same place of rows that follow each other are in different
/// banks.
Value getPiecePlace(LoopBuilder &b, Value piece, Value row, int64_t pieces);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_SHAREDROWS_H
