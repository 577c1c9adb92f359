//===- IndexingKernels.h - kernels on keys and maps -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function writes the kernel of one operation on buffers, before it.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_INDEXING_INDEXINGKERNELS_H
#define SPARSECONV_KERNELS_INDEXING_INDEXINGKERNELS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// Coordinates and their keys.
void emitQuantise(LoopBuilder &b, QuantiseKernelOp op);
void emitEncode(LoopBuilder &b, EncodeOp op);
void emitDecode(LoopBuilder &b, DecodeOp op);
void emitFloor(LoopBuilder &b, FloorOp op);
void emitRescale(LoopBuilder &b, RescaleKernelOp op);
void emitCoarsen(LoopBuilder &b, CoarsenOp op);
void emitSpread(LoopBuilder &b, SpreadOp op);
void emitSubdivide(LoopBuilder &b, SubdivideKernelOp op);
void emitCover(LoopBuilder &b, CoverOp op);

/// Lists of keys. A CPU sorts in a function of the runtime, a GPU by digits.
void emitSortCall(LoopBuilder &b, SortOp op);
void emitRadixSort(LoopBuilder &b, SortOp op);
/// The same as a part of another kernel: see `sort`.
void emitRadixSort(LoopBuilder &b, Value keys, Value sorted, Value permutation,
                   ArrayRef<int64_t> fields);
void emitCountKeys(LoopBuilder &b, CountKeysOp op);
void emitUnique(LoopBuilder &b, UniqueOp op);
void emitSelect(LoopBuilder &b, SelectOp op);
void emitIntersect(LoopBuilder &b, IntersectOp op);

/// Encodings of kernel maps. Searches must have passed `verifySearches`.
void emitSearchLoops(LoopBuilder &b, SearchOp op);
void emitSearchKernels(LoopBuilder &b, SearchOp op);
void emitSearchHits(LoopBuilder &b, SearchHitsOp op);
void emitTileRows(LoopBuilder &b, TileRowsOp op);
void emitTileRowsLoops(LoopBuilder &b, TileRowsOp op);
void emitUntileRows(LoopBuilder &b, UntileRowsOp op);
void emitTileHits(LoopBuilder &b, TileHitsOp op);
void emitTableFromPairs(LoopBuilder &b, TableFromPairsOp op);
void emitCheckTable(LoopBuilder &b, CheckTableOp op);
void emitInvertTable(LoopBuilder &b, InvertTableOp op);
void emitRenumberTable(LoopBuilder &b, RenumberTableKernelOp op);
void emitKeepOffsets(LoopBuilder &b, KeepOffsetsOp op);
void emitPairLists(LoopBuilder &b, PairListsOp op);
void emitOffsetLists(LoopBuilder &b, OffsetListsOp op);
void emitGroupPairs(LoopBuilder &b, GroupPairsOp op);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_INDEXING_INDEXINGKERNELS_H
