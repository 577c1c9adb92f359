//===- SparseConvKernelMapOps.cpp - verifiers of kernels on maps ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// search, search_hits
//===----------------------------------------------------------------------===//

/// Checks what the coordinates of a set are multiples of.
static void checkStride(KernelVerifier &v, PackingAttr packing, StringRef name,
                        std::optional<ArrayRef<int64_t>> stride) {
  if (stride && stride->size() != packing.getDim())
    v.report("'" + name + "' with one number for each of " +
             Twine(packing.getDim()) + " axes")
        << stride->size();
  else if (stride)
    for (int64_t step : *stride)
      v.checkRange(name, step, 1, std::numeric_limits<int64_t>::max());
}

/// Checks what both searches take.
template <typename OpTy> static void checkQueries(KernelVerifier &v, OpTy op) {
  PackingAttr packing = op.getPacking();
  v.checkKeys({"in_keys", op.getInKeys()}, packing);
  v.checkKeys({"out_keys", op.getOutKeys()}, packing);
  v.checkDisplacements(op.getDisplacements(), packing);
  if (v.failed())
    return;
  checkStride(v, packing, "in_stride", op.getInStride());
  checkStride(v, packing, "out_stride", op.getOutStride());
}

/// Checks that half of the displacements of a search say what all find.
static void checkHalf(KernelVerifier &v, SearchOp op) {
  if (op.getInKeys() != op.getOutKeys())
    v.report("a search with 'half' to have the same 'in_keys' and 'out_keys'")
        << "two values";
  else if (!getMirrors(op.getDisplacements(), op.getPacking().getDim()))
    v.report("a search with 'half' to have distinct 'displacements' that are "
             "symmetric about 0")
        << "others";
}

/// Checks the table of a search.
template <typename OpTy>
static void checkTable(KernelVerifier &v, OpTy op, NamedOperand table) {
  v.checkColumns(table);
  v.checkSize(table, 1, op.getDisplacements().size() / op.getPacking().getDim(),
              "one for each displacement");
  v.checkSameRows(table, {"out_keys", op.getOutKeys()});
}

LogicalResult SearchOp::verify() {
  KernelVerifier v(*this);
  checkQueries(v, *this);
  checkTable(v, *this, {"table", getTable()});
  if (!v.failed() && getSearch().getHalf())
    checkHalf(v, *this);
  return v.getResult();
}

/// Checks that hits say all, of sets whose last coordinates are multiples of
/// `common`.
static void checkColumns(KernelVerifier &v, const SearchColumns &columns,
                         int64_t common) {
  if (!columns.fitHits(common))
    v.report("at most " + Twine(kMaxHits) +
             " 'displacements', distinct ones, in at most " +
             Twine(kMaxHitColumns) + " columns of at most " + Twine(kMaskBits) +
             ", where they differ by what they and the last numbers of the "
             "strides are multiples of")
        << columns.getNumOffsets() << " in " << columns.getNumColumns()
        << " columns";
}

/// Checks the buffers through which hits pass.
static void checkHits(KernelVerifier &v, const SearchColumns &columns,
                      NamedOperand masks, NamedOperand records,
                      NamedOperand counts, int64_t sampleRows) {
  int64_t words = getMaskWords(columns.getNumOffsets());
  v.checkSize(masks, 0, words, "the words of a mask");
  v.checkSameRows(records, masks, /*otherAxis=*/1);
  v.checkSize(records, 1, columns.getRecordSize(),
              "the words of a record of " + Twine(columns.getNumColumns()) +
                  " columns");
  v.checkSize(counts, 0, kMaxSample, "the most runs of rows of a sample");
  v.checkSize(counts, 1, words * kMaskBits, "the bits of a mask");
  if (sampleRows != 64 && sampleRows != 128 && sampleRows != 256)
    v.report("'sample_rows' of 64, 128 or 256") << sampleRows;
}

/// Checks what a sort of rows adds to.
static void checkTotals(KernelVerifier &v, const SearchColumns &columns,
                        std::optional<RowOrder> order, NamedOperand totals) {
  int64_t passes = getNumSortPasses(
      getRowKeyBits(columns.getNumOffsets(), order.value_or(RowOrder::Gray)));
  v.checkSize(totals, 0, passes + 1, "one more than the digits of the keys");
  v.checkSize(totals, 1, kDigits, "the values of a digit");
}

LogicalResult SearchHitsOp::verify() {
  KernelVerifier v(*this);
  checkQueries(v, *this);
  if (v.failed())
    return failure();
  if (getSearch().getHalf())
    v.report("a search that finds all hits of a row") << "'half'";
  SearchColumns columns(getDisplacements(), getPacking());
  NamedOperand records("records", getRecords());
  v.checkSameRows(records, {"out_keys", getOutKeys()});
  checkColumns(v, columns, getCommonStride(*this));
  checkHits(v, columns, {"masks", getMasks()}, records, {"counts", getCounts()},
            getSampleRows());
  checkTotals(v, columns, RowOrder::Gray, {"totals", getTotals()});
  if (getTable())
    checkTable(v, *this, {"table", getTable()});
  // A thread block has its records in shared memory.
  int64_t words = columns.getRecordSize();
  int64_t most = getSearchRows(words, /*isSelf=*/false);
  if (static_cast<int64_t>(getSampleRows()) > most)
    v.report("'sample_rows' of at most " + Twine(most) + " for records of " +
             Twine(words) + " words")
        << getSampleRows();
  return v.getResult();
}

//===----------------------------------------------------------------------===//
// tile_rows, tile_hits
//===----------------------------------------------------------------------===//

/// Checks the tiles of a table of `offsets` columns.
template <typename OpTy>
static void checkTiles(KernelVerifier &v, OpTy op, int64_t offsets,
                       const Twine &reason) {
  NamedOperand tiled("tiled_table", op.getTiledTable()),
      masks("masks", op.getMasks());
  v.checkSize(tiled, 0, offsets, "the offsets of " + reason);
  v.checkSize({"order", op.getOrder()}, 0, tiled.getSize(1),
              "the slots of 'tiled_table'");
  if (!ShapedType::isDynamic(offsets))
    v.checkSize(masks, 1, getMaskWords(offsets),
                "the words of as many offsets as " + reason + " has");
  v.checkSize({"sizes", op.getSizes()}, 0, 3, "the rows and slots");
}

LogicalResult TileRowsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable());
  v.checkStaticColumns(table);
  checkTiles(v, *this, table.getSize(1), "'table'");
  return v.getResult();
}

/// The tiles of a table that was made of tiles are those, in whatever order
/// they have the rows, unless it matters which.
LogicalResult TileRowsOp::canonicalize(TileRowsOp op,
                                       PatternRewriter &rewriter) {
  auto untile = op.getTable().getDefiningOp<UntileRowsOp>();
  if (!untile || !untile.getTrusted() || op.getRowOrder())
    return failure();
  SmallVector<Value> tiles = {untile.getTiledTable(), untile.getOrder(),
                              untile.getMasks(), untile.getSizes()};
  if (TypeRange(ValueRange(tiles)) != op->getResultTypes())
    return failure();
  rewriter.replaceOp(op, tiles);
  return success();
}

LogicalResult UntileRowsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable());
  v.checkStaticColumns(table);
  checkTiles(v, *this, table.getSize(1), "'table'");
  return v.getResult();
}

LogicalResult TileHitsOp::verify() {
  KernelVerifier v(*this);
  v.checkDisplacements(getDisplacements(), getPacking());
  if (v.failed())
    return failure();
  SearchColumns columns(getDisplacements(), getPacking());
  // A record says the same, whatever keys are multiples of.
  checkColumns(v, columns, columns.spacing);
  checkHits(v, columns, {"hits", getHits()}, {"records", getRecords()},
            {"counts", getCounts()}, getSampleRows());
  checkTiles(v, *this, columns.getNumOffsets(), "'displacements'");
  if (getTotals())
    checkTotals(v, columns, getRowOrder(), {"totals", getTotals()});
  return v.getResult();
}

//===----------------------------------------------------------------------===//
// table_from_pairs, check_table
//===----------------------------------------------------------------------===//

LogicalResult TableFromPairsOp::verify() {
  KernelVerifier v(*this, getStatus());
  v.checkSize({"pairs", getPairs()}, 1, 3, "two rows and an offset");
  v.checkStaticColumns({"table", getTable()});
  return v.getResult();
}

LogicalResult CheckTableOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand table("table", getTable());
  v.checkStaticColumns(table);
  v.checkSize({"given", getGiven()}, 1, table.getSize(1),
              "the offsets of 'table'");
  return v.getResult();
}

//===----------------------------------------------------------------------===//
// invert_table, renumber_table, keep_offsets, pair_lists, group_pairs
//===----------------------------------------------------------------------===//

LogicalResult InvertTableOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable()), inverse("inverse", getInverse());
  v.checkColumns(table);
  v.checkSize(inverse, 1, table.getSize(1), "the offsets of 'table'");
  return v.getResult();
}

LogicalResult RenumberTableKernelOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand table("table", getTable()), made("renumbered", getRenumbered());
  v.checkStaticColumns(table);
  v.checkSize(made, 1, table.getSize(1), "the offsets of 'table'");
  v.checkSameRows(made, getSide() == MapSide::Out
                            ? NamedOperand("rows", getRows())
                            : table);
  return v.getResult();
}

LogicalResult KeepOffsetsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable()), kept("kept", getKept());
  int64_t volume = table.getSize(1), last = -1;
  v.checkStaticColumns(table);
  v.checkSize(kept, 1, volume, "the offsets of 'table'");
  v.checkSameRows(kept, table);
  for (int64_t offset : getOffsets()) {
    if (offset <= last || offset >= volume)
      v.report("ascending numbers below the " + Twine(volume) +
               " offsets of 'table' in 'offsets'")
          << offset;
    last = std::max(last, offset);
  }
  return v.getResult();
}

LogicalResult PairListsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable()), segments("segments", getSegments());
  int64_t rows = table.getSize(0), volume = table.getSize(1);
  int64_t rowBlock = getRowBlock();
  v.checkColumns(table);
  v.checkRange("row_block", rowBlock, 1, std::numeric_limits<int64_t>::max());
  if (v.failed())
    return failure();
  int64_t bounds = ShapedType::isDynamic(volume) ? volume : volume + 1;
  int64_t room = multiplySizes(rows, volume);
  StringRef reason = "one for each entry of 'table'";
  v.checkRoom({"in_rows", getInRows()}, room, reason);
  v.checkRoom({"out_rows", getOutRows()}, room, reason);
  v.checkSize(segments, 1, bounds, "one more than the offsets of 'table'");
  if (!ShapedType::isDynamic(rows))
    v.checkSize(segments, 0, llvm::divideCeil(rows, rowBlock),
                "the blocks of " + Twine(rowBlock) + " rows of 'table'");
  return v.getResult();
}

LogicalResult OffsetListsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable());
  v.checkStaticColumns(table);
  v.checkColumns(table);
  if (v.failed())
    return failure();
  int64_t room = multiplySizes(table.getSize(0), table.getSize(1));
  StringRef reason = "one for each entry of 'table'";
  v.checkRoom({"in_rows", getInRows()}, room, reason);
  v.checkRoom({"out_rows", getOutRows()}, room, reason);
  v.checkSize({"counts", getCounts()}, 0, table.getSize(1),
              "the offsets of 'table'");
  return v.getResult();
}

LogicalResult GroupPairsOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand table("table", getTable()), places("places", getPlaces());
  NamedOperand rows("rows", getRows()), segments("segments", getSegments());
  constexpr int64_t most = std::numeric_limits<int64_t>::max();
  v.checkStaticColumns(table);
  v.checkColumns(table);
  v.checkRange("row_block", getRowBlock(), 1, 1 << 20);
  v.checkRange("epsilon", getEpsilon(), 0, 100);
  v.checkRange("s", getS(), 0, most);
  if (v.failed())
    return failure();
  v.checkSize(places, 1, table.getSize(1), "the offsets of 'table'");
  v.checkSameRows(places, table);
  v.checkSize(segments, 1, table.getSize(1) + 1,
              "one more than the offsets of 'table'");
  if (!ShapedType::isDynamic(rows.getSize(0)))
    v.checkSize(segments, 0, rows.getSize(0) / getRowBlock(),
                "the blocks of " + Twine(getRowBlock()) + " rows of 'rows'");
  return v.getResult();
}
