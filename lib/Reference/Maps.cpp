//===- Maps.cpp - kernel maps ---------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/Support/Parallel.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

KernelMap KernelMap::transpose() const {
  KernelMap result;
  result.inRows = outRows;
  result.outRows = inRows;
  result.volume = volume;
  result.table.assign(inRows * volume, -1);
  for (int64_t r = 0; r < outRows; ++r)
    for (int64_t k = 0; k < volume; ++k)
      if (int64_t row = find(r, k); row >= 0)
        result.table[row * volume + k] = static_cast<int32_t>(r);
  return result;
}

static llvm::Error runKernelMap(KernelMapOp op, Frame &frame) {
  const CoordinateSet &in = frame.getSet(op.getIn());
  const CoordinateSet &out = frame.getSet(op.getOut());
  SmallVector<int64_t> offsets = op.getOffsets().getFlatOffsets();
  unsigned dim = in.getDim();
  auto map = std::make_shared<KernelMap>();
  map->inRows = in.size();
  map->outRows = out.size();
  map->volume = op.getOffsets().getVolume();
  if (llvm::Error error = checkElementCount(op, {map->outRows, map->volume}))
    return error;
  map->table.resize(map->outRows * map->volume);
  // Forward, in = out + S_in * d; transposed, out = in + S_out * d.
  ArrayRef<int64_t> finer =
      op.getTransposed() ? out.type.getStride() : in.type.getStride();
  int64_t direction = op.getTransposed() ? -1 : 1;
  llvm::parallelFor(0, map->outRows, [&](size_t r) {
    for (int64_t k = 0; k < map->volume; ++k) {
      Point point = out.points[r];
      for (unsigned axis = 0; axis < dim; ++axis)
        point[axis + 1] += direction * finer[axis] * offsets[k * dim + axis];
      map->table[r * map->volume + k] = static_cast<int32_t>(in.find(point));
    }
  });
  frame.set(op.getMap(), KernelMapRef(std::move(map)));
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Maps that are given
//===----------------------------------------------------------------------===//

/// An empty map between the sets of an operation.
template <typename OpTy>
static llvm::Expected<std::shared_ptr<KernelMap>> makeMap(OpTy op,
                                                          Frame &frame) {
  auto map = std::make_shared<KernelMap>();
  map->inRows = frame.getSet(op.getIn()).size();
  map->outRows = frame.getSet(op.getOut()).size();
  map->volume = op.getMap().getType().getVolume();
  for (int64_t rows : {map->inRows, map->outRows})
    if (llvm::Error error = checkElementCount(op, {rows, map->volume}))
      return std::move(error);
  map->table.assign(map->outRows * map->volume, -1);
  return map;
}

static llvm::Error makeRepeated(Operation *op, int64_t number, int64_t side,
                                int64_t row, int64_t offset) {
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::RepeatedPair);
  record.row = number;
  record.axis = side;
  record.value = row;
  record.lower = offset;
  return makeFailure(op, record);
}

static llvm::Error runMapFromPairs(MapFromPairsOp op, Frame &frame) {
  const DenseValue &pairs = frame.getDense(op.getPairs());
  auto map = makeMap(op, frame);
  if (!map)
    return map.takeError();
  KernelMap &made = **map;
  const int64_t limits[] = {made.inRows, made.outRows, made.volume};
  std::vector<bool> hasIn(made.inRows * made.volume);
  for (int64_t p = 0; p < pairs.getRows(); ++p) {
    int64_t pair[3];
    for (int64_t column = 0; column < 3; ++column) {
      pair[column] = static_cast<int64_t>(pairs[3 * p + column]);
      if (pair[column] >= 0 && pair[column] < limits[column])
        continue;
      StatusRecord record;
      record.code = static_cast<int64_t>(StatusCode::PairOutOfRange);
      record.row = p;
      record.axis = column;
      record.value = pair[column];
      record.upper = limits[column] - 1;
      return makeFailure(op, record);
    }
    auto [in, out, k] = std::tuple(pair[0], pair[1], pair[2]);
    int32_t &entry = made.table[out * made.volume + k];
    if (entry >= 0)
      return makeRepeated(op, p, 1, out, k);
    if (hasIn[in * made.volume + k])
      return makeRepeated(op, p, 0, in, k);
    entry = static_cast<int32_t>(in);
    hasIn[in * made.volume + k] = true;
  }
  frame.set(op.getMap(), KernelMapRef(std::move(*map)));
  return llvm::Error::success();
}

/// The map of a table, whose rows are as many as those of the out set.
template <typename OpTy, typename TableTy>
static llvm::Error takeTable(OpTy op, Frame &frame,
                             std::shared_ptr<KernelMap> map,
                             const TableTy &table) {
  KernelMap &made = *map;
  std::vector<bool> hasIn(made.inRows * made.volume);
  for (int64_t i = 0; i < made.outRows * made.volume; ++i) {
    int64_t in = static_cast<int64_t>(table[i]), k = i % made.volume;
    if (in < -1 || in >= made.inRows) {
      StatusRecord record;
      record.code = static_cast<int64_t>(StatusCode::NeighbourOutOfRange);
      record.row = i / made.volume;
      record.axis = k;
      record.value = in;
      record.lower = -1;
      record.upper = made.inRows - 1;
      return makeFailure(op, record);
    }
    if (in < 0)
      continue;
    if (hasIn[in * made.volume + k])
      return makeRepeated(op, i / made.volume, 0, in, k);
    hasIn[in * made.volume + k] = true;
    made.table[i] = static_cast<int32_t>(in);
  }
  frame.set(op.getMap(), KernelMapRef(std::move(map)));
  return llvm::Error::success();
}

static llvm::Error runMapFromTable(MapFromTableOp op, Frame &frame) {
  const DenseValue &table = frame.getDense(op.getTable());
  auto map = makeMap(op, frame);
  if (!map)
    return map.takeError();
  if (llvm::Error error =
          checkRows(op, 0, table, (*map)->outRows, StatusSide::OutSet))
    return error;
  return takeTable(op, frame, std::move(*map), table);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

/// Rows are in tiles in their own order.
static llvm::Error runMapTiles(MapTilesOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  int64_t slots = llvm::alignTo(map.outRows, 256);
  int64_t words = getMaskWords(map.volume), tiles = slots / kMaskRows;
  if (llvm::Error error = checkElementCount(op, {map.volume, slots}))
    return error;
  Elements table(map.volume * slots, -1), rows(slots, -1);
  std::vector<uint32_t> masks(tiles * words);
  for (int64_t r = 0; r < map.outRows; ++r) {
    rows[r] = static_cast<double>(r);
    for (int64_t k = 0; k < map.volume; ++k) {
      int64_t in = map.find(r, k);
      table[k * slots + r] = static_cast<double>(in);
      if (in >= 0)
        masks[r / kMaskRows * words + k / kMaskBits] |= 1u << k % kMaskBits;
    }
  }
  Elements bits;
  for (uint32_t mask : masks)
    bits.push_back(static_cast<int32_t>(mask));
  Elements sizes = {double(map.inRows), double(map.outRows), double(slots)};
  if (llvm::Error error =
          frame.setDense(op.getTable(), {map.volume, slots}, std::move(table)))
    return error;
  if (llvm::Error error = frame.setDense(op.getRow(), {slots}, std::move(rows)))
    return error;
  if (llvm::Error error =
          frame.setDense(op.getMasks(), {tiles, words}, std::move(bits)))
    return error;
  return frame.setDense(op.getSizes(), {3}, std::move(sizes));
}

static llvm::Error runMapFromTiles(MapFromTilesOp op, Frame &frame) {
  const DenseValue &tiled = frame.getDense(op.getTable());
  const DenseValue &rows = frame.getDense(op.getRow());
  const DenseValue &masks = frame.getDense(op.getMasks());
  auto map = makeMap(op, frame);
  if (!map)
    return map.takeError();
  int64_t volume = (*map)->volume, words = getMaskWords(volume);
  int64_t width = tiled.getNumElements() / volume;
  int64_t slots = std::min(
      {rows.getRows(), width, masks.getNumElements() / words * kMaskRows});
  Elements table((*map)->outRows * volume, -1);
  for (int64_t p = 0; p < slots; ++p) {
    auto row = static_cast<int64_t>(rows[p]);
    if (row < 0 || row >= (*map)->outRows)
      continue;
    for (int64_t k = 0; k < volume; ++k) {
      auto word =
          static_cast<int64_t>(masks[p / kMaskRows * words + k / kMaskBits]);
      if (word >> k % kMaskBits & 1)
        table[row * volume + k] = tiled[k * width + p];
    }
  }
  return takeTable(op, frame, std::move(*map), table);
}

static llvm::Error runTransposeMap(TransposeMapOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  if (llvm::Error error = checkElementCount(op, {map.inRows, map.volume}))
    return error;
  frame.set(op.getResult(),
            KernelMapRef(std::make_shared<KernelMap>(map.transpose())));
  return llvm::Error::success();
}

static llvm::Error runMapSize(MapSizeOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  frame.set(op.getSize(),
            op.getSide() == MapSide::In ? map.inRows : map.outRows);
  return llvm::Error::success();
}

static llvm::Error runNeighbourTable(NeighbourTableOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  if (llvm::Error error = checkElementCount(op, {map.outRows, map.volume}))
    return error;
  return frame.setDense(op.getTable(), {map.outRows, map.volume},
                        Elements(map.table.begin(), map.table.end()));
}

static llvm::Error runRenumberTable(RenumberTableOp op, Frame &frame) {
  const DenseValue &table = frame.getDense(op.getTable());
  const DenseValue &rows = frame.getDense(op.getRows());
  bool isOut = op.getSide() == MapSide::Out;
  int64_t volume = op.getTable().getType().getDimSize(1);
  int64_t size = isOut ? rows.getRows() : table.getRows();
  int64_t limit = isOut ? table.getRows() : rows.getRows();
  if (llvm::Error error = checkElementCount(op, {size, volume}))
    return error;
  Elements made(size * volume, -1);
  for (int64_t i = 0; i < size * volume; ++i) {
    int64_t row = i / volume, k = i % volume;
    auto number = static_cast<int64_t>(isOut ? rows[row] : table[i]);
    if (number >= 0 && number < limit) {
      made[i] = isOut ? table[number * volume + k] : rows[number];
    } else if (number != -1) {
      StatusRecord record;
      record.code =
          static_cast<int64_t>(isOut ? StatusCode::RowIndexOutOfRange
                                     : StatusCode::NeighbourOutOfRange);
      record.row = row;
      record.axis = isOut ? 0 : k;
      record.value = number;
      record.lower = -1;
      record.upper = limit - 1;
      return makeFailure(op, record);
    }
  }
  return frame.setDense(op.getResult(), {size, volume}, std::move(made));
}

void reference::registerMaps(HandlerTable &table) {
  table.add<KernelMapOp>(runKernelMap);
  table.add<MapFromPairsOp>(runMapFromPairs);
  table.add<MapFromTableOp>(runMapFromTable);
  table.add<MapTilesOp>(runMapTiles);
  table.add<MapFromTilesOp>(runMapFromTiles);
  table.add<TransposeMapOp>(runTransposeMap);
  table.add<MapSizeOp>(runMapSize);
  table.add<NeighbourTableOp>(runNeighbourTable);
  table.add<RenumberTableOp>(runRenumberTable);
}
