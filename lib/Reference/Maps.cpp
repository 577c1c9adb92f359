//===- Maps.cpp - kernel maps ---------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
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

void reference::registerMaps(HandlerTable &table) {
  table.add<KernelMapOp>(runKernelMap);
  table.add<TransposeMapOp>(runTransposeMap);
  table.add<MapSizeOp>(runMapSize);
  table.add<NeighbourTableOp>(runNeighbourTable);
}
