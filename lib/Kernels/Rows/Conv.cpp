//===- Conv.cpp - convolutions as loops -----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Conv.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::sparseconv;

Panels Panels::get(int64_t columns, TilingAttr tiling) {
  int64_t count = llvm::divideCeil(columns, tiling.getColumns());
  int64_t lanes = tiling.getLanes();
  int64_t width = llvm::alignTo(llvm::divideCeil(columns, count), lanes);
  return {count, width, lanes};
}

Segment Segment::load(LoopBuilder &b, Value segments, Value rowBlock,
                      Value offset) {
  Value begin = b.load(segments, {rowBlock, offset});
  Value end = b.load(segments, {rowBlock, b.add(offset, 1)});
  return {b.toIndex(begin), b.toIndex(end)};
}

Value mlir::sparseconv::multiplyAdd(LoopBuilder &b, int64_t lanes, Value lhs,
                                    Value rhs, Value sum) {
  return lanes <= 4 ? b.add(b.mul(lhs, rhs), sum) : b.fma(lhs, rhs, sum);
}

void mlir::sparseconv::zeroRows(LoopBuilder &b, Value buffer, Value rows,
                                int64_t columns, int64_t lanes) {
  Value zero = b.constant(VectorType::get({lanes}, b.getF32Type()), 0);
  b.forLoop(b.index(0), rows, 1, [&](Value row) {
    b.forLoop(b.index(0), b.index(columns), lanes, [&](Value column) {
      b.storeVector(zero, buffer, {row, column});
    });
  });
}

void mlir::sparseconv::forColumns(LoopBuilder &b, int64_t columns,
                                  int64_t lanes, function_ref<void(Value)> full,
                                  function_ref<void(Value)> single) {
  int64_t whole = columns / lanes * lanes;
  if (whole != 0)
    b.forLoop(b.index(0), b.index(whole), lanes, full);
  if (whole != columns)
    b.forLoop(b.index(whole), b.index(columns), 1, single);
}

void mlir::sparseconv::prefetchRow(LoopBuilder &b, Value buffer, Value row,
                                   Value column, int64_t columns,
                                   bool isWrite) {
  constexpr int64_t lineBytes = 64, maxLines = 8;
  auto type = cast<MemRefType>(buffer.getType());
  int64_t line = lineBytes * 8 / type.getElementTypeBitWidth();
  if (columns < line / 2)
    return;
  int64_t end = std::min(columns, maxLines * line);
  for (int64_t at = 0; at < end; at += line)
    memref::PrefetchOp::create(b, buffer, ValueRange{row, b.add(column, at)},
                               isWrite, /*localityHint=*/3,
                               /*isDataCache=*/true);
}

void mlir::sparseconv::stageRows(LoopBuilder &b, Value source, Value rows,
                                 Segment segment, const Columns &columns,
                                 Value target) {
  b.forLoop(segment.begin, segment.end, 1, [&](Value pair) {
    Value from = b.toIndex(b.load(rows, pair));
    Value to = b.sub(pair, segment.begin);
    forColumns(
        b, columns.count, columns.lanes,
        [&](Value j) {
          Value vector = b.loadVector(columns.lanes, source,
                                      {from, b.add(columns.first, j)});
          b.storeVector(b.toFloat(vector), target, {to, j});
        },
        [&](Value j) {
          Value element = b.load(source, {from, b.add(columns.first, j)});
          b.store(b.toFloat(element), target, {to, j});
        });
  });
}

Value mlir::sparseconv::packWeights(LoopBuilder &b, Value weights,
                                    const ConvShape &shape,
                                    const Panels &panels, bool transposed) {
  Type f32 = b.getF32Type();
  Value packed = b.alloc(
      {shape.offsets, shape.groups, panels.count, shape.in, panels.width}, f32);
  auto source = [&](Value offset, Value group, Value row, Value column) {
    if (transposed)
      std::swap(row, column);
    return shape.weightIndices(offset, group, row, column);
  };
  bool wholeVectors = !transposed && shape.out == panels.paddedColumns();
  Value zero = b.constant(VectorType::get({panels.lanes}, f32), 0);
  auto packRow = [&](Value offset, Value group, Value panel, Value row) {
    Value first = b.mul(panel, panels.width);
    if (!wholeVectors)
      b.forLoop(b.index(0), b.index(panels.width), panels.lanes, [&](Value j) {
        b.storeVector(zero, packed, {offset, group, panel, row, j});
      });
    if (wholeVectors)
      b.forLoop(b.index(0), b.index(panels.width), panels.lanes, [&](Value j) {
        Value vector = b.loadVector(
            panels.lanes, weights, source(offset, group, row, b.add(first, j)));
        b.storeVector(b.toFloat(vector), packed,
                      {offset, group, panel, row, j});
      });
    else
      b.forLoop(
          b.index(0),
          b.min(b.sub(b.index(shape.out), first), b.index(panels.width)), 1,
          [&](Value j) {
            Value element =
                b.load(weights, source(offset, group, row, b.add(first, j)));
            b.store(b.toFloat(element), packed, {offset, group, panel, row, j});
          });
  };
  b.parallelFor(b.index(shape.offsets), [&](Value offset) {
    b.forLoop(b.index(0), b.index(shape.groups), 1, [&](Value group) {
      b.forLoop(b.index(0), b.index(panels.count), 1, [&](Value panel) {
        b.forLoop(b.index(0), b.index(shape.in), 1,
                  [&](Value row) { packRow(offset, group, panel, row); });
      });
    });
  });
  return packed;
}

Value mlir::sparseconv::loadAt(LoopBuilder &b, int64_t lanes, Value buffer,
                               ValueRange indices) {
  return lanes ? b.loadVector(lanes, buffer, indices) : b.load(buffer, indices);
}

void mlir::sparseconv::storeAt(LoopBuilder &b, int64_t lanes, Value value,
                               Value buffer, ValueRange indices) {
  if (lanes)
    b.storeVector(value, buffer, indices);
  else
    b.store(value, buffer, indices);
}

void mlir::sparseconv::emitEpilogue(LoopBuilder &b, GatherGemmScatterOp op,
                                    const Accumulators &sums) {
  int64_t tilingLanes = op.getTiling().getLanes();
  auto finish = [&](int64_t lanes, Value row, Value group, Value j) {
    Value position = b.add(b.mul(group, sums.stride), j);
    Value channel = b.add(b.mul(group, sums.columns), j);
    Value outRow = b.add(sums.first, row);
    Value sum = loadAt(b, lanes, sums.buffer, {row, position});
    storeAt(b, lanes, finishSum(b, op, lanes, sum, outRow, channel), op.getY(),
            {outRow, channel});
  };
  b.forLoop(b.index(0), sums.count, 1, [&](Value row) {
    b.forLoop(b.index(0), b.index(sums.groups), 1, [&](Value group) {
      forColumns(
          b, sums.columns, tilingLanes,
          [&](Value j) { finish(tilingLanes, row, group, j); },
          [&](Value j) { finish(0, row, group, j); });
    });
  });
}
