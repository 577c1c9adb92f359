//===- Depthwise.cpp - depthwise convolutions as loops --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One input and one output channel a group: nothing is shared between channels,
// so vectors run along them and each product reads one element of each side.
//
//===----------------------------------------------------------------------===//

#include "Conv.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Vectors of channels that a loop over pairs handles at once.
static constexpr int64_t maxVectors = 4;

/// Calls `body` for each run of up to maxVectors vectors of the `channels`,
/// with the first channel, the number of vectors and the lanes; then for each
/// channel that fills no vector, with one vector and 0 lanes, which stands for
/// a scalar.
static void
forChannelRuns(LoopBuilder &b, int64_t channels, int64_t lanes,
               function_ref<void(Value, int64_t vectors, int64_t lanes)> body) {
  int64_t run = maxVectors * lanes;
  int64_t runs = channels / run * run;
  int64_t whole = channels / lanes * lanes;
  if (runs != 0)
    b.forLoop(b.index(0), b.index(runs), run,
              [&](Value channel) { body(channel, maxVectors, lanes); });
  if (runs != whole)
    body(b.index(runs), (whole - runs) / lanes, lanes);
  if (whole != channels)
    b.forLoop(b.index(whole), b.index(channels), 1,
              [&](Value channel) { body(channel, 1, 0); });
}

static Value loadFloat(LoopBuilder &b, int64_t lanes, Value buffer,
                       ValueRange indices) {
  return b.toFloat(loadAt(b, lanes, buffer, indices));
}

/// Weights [K, G, 1, 1] as f32 [K, G].
static Value packChannels(LoopBuilder &b, Value weights,
                          const ConvShape &shape) {
  Value packed = b.alloc({shape.offsets, shape.groups}, b.getF32Type());
  Value zero = b.index(0);
  b.forLoop(zero, b.index(shape.offsets), 1, [&](Value offset) {
    b.forLoop(zero, b.index(shape.groups), 1, [&](Value group) {
      Value element = b.load(weights, {offset, group, zero, zero});
      b.store(b.toFloat(element), packed, {offset, group});
    });
  });
  return packed;
}

void mlir::sparseconv::emitDepthwiseGatherGemmScatter(LoopBuilder &b,
                                                      GatherGemmScatterOp op,
                                                      const ConvShape &shape) {
  int64_t size = op.getTiling().getRowBlock();
  int64_t tilingLanes = op.getTiling().getLanes();
  int64_t columns = llvm::alignTo(shape.groups, tilingLanes);
  Value packed = packChannels(b, op.getW(), shape);
  b.parallelForUneven(b.dim(op.getSegments(), 0), [&](Value rowBlock) {
    Value first = b.mul(rowBlock, size);
    Value count = b.min(b.sub(b.dim(op.getY(), 0), first), b.index(size));
    Value sums = b.alloc({size, columns}, b.getF32Type());
    zeroRows(b, sums, count, columns, tilingLanes);
    b.forLoop(b.index(0), b.index(shape.offsets), 1, [&](Value offset) {
      Segment segment = Segment::load(b, op.getSegments(), rowBlock, offset);
      forChannelRuns(
          b, shape.groups, tilingLanes,
          [&](Value channel, int64_t vectors, int64_t lanes) {
            SmallVector<Value> channels, weights;
            for (int64_t vector = 0; vector < vectors; ++vector) {
              channels.push_back(b.add(channel, vector * lanes));
              weights.push_back(
                  loadFloat(b, lanes, packed, {offset, channels.back()}));
            }
            b.forLoop(segment.begin, segment.end, 1, [&](Value pair) {
              Value in = b.toIndex(b.load(op.getInRows(), pair));
              Value out =
                  b.sub(b.toIndex(b.load(op.getOutRows(), pair)), first);
              for (auto [at, weight] : llvm::zip_equal(channels, weights)) {
                Value x = loadFloat(b, lanes, op.getX(), {in, at});
                Value sum = loadFloat(b, lanes, sums, {out, at});
                storeAt(b, lanes, multiplyAdd(b, tilingLanes, x, weight, sum),
                        sums, {out, at});
              }
            });
          });
    });
    emitEpilogue(b, op,
                 {sums, first, count, /*groups=*/1, /*columns=*/shape.groups,
                  /*stride=*/columns});
    b.dealloc(sums);
  });
  b.dealloc(packed);
}

void mlir::sparseconv::emitDepthwiseWeightGrad(LoopBuilder &b,
                                               WeightGradKernelOp op,
                                               const ConvShape &shape) {
  int64_t tilingLanes = op.getTiling().getLanes();
  Type f32 = b.getF32Type();
  auto dwType = cast<MemRefType>(op.getDw().getType());
  Value rowBlocks = b.dim(op.getSegments(), 0);
  Value zero = b.index(0);
  b.parallelFor(b.index(shape.offsets), [&](Value offset) {
    Value row = b.alloc({shape.groups}, f32);
    forChannelRuns(
        b, shape.groups, tilingLanes,
        [&](Value channel, int64_t vectors, int64_t lanes) {
          SmallVector<Value> channels, sums;
          Type type = lanes ? VectorType::get({lanes}, f32) : f32;
          for (int64_t vector = 0; vector < vectors; ++vector) {
            channels.push_back(b.add(channel, vector * lanes));
            sums.push_back(b.constant(type, 0));
          }
          auto addPair = [&](Value pair, ValueRange carried) {
            Value in = b.toIndex(b.load(op.getInRows(), pair));
            Value out = b.toIndex(b.load(op.getOutRows(), pair));
            SmallVector<Value> next;
            for (auto [at, sum] : llvm::zip_equal(channels, carried)) {
              Value x = loadFloat(b, lanes, op.getX(), {in, at});
              Value dy = loadFloat(b, lanes, op.getDy(), {out, at});
              next.push_back(multiplyAdd(b, tilingLanes, x, dy, sum));
            }
            return next;
          };
          sums = b.forLoop(zero, rowBlocks, 1, sums,
                           [&](Value rowBlock, ValueRange carried) {
                             Segment segment = Segment::load(
                                 b, op.getSegments(), rowBlock, offset);
                             return b.forLoop(segment.begin, segment.end, 1,
                                              carried, addPair);
                           });
          for (auto [at, sum] : llvm::zip_equal(channels, sums))
            storeAt(b, lanes, sum, row, at);
        });
    b.forLoop(zero, b.index(shape.groups), 1, [&](Value channel) {
      Value sum = b.fromFloat(b.load(row, channel), dwType.getElementType());
      b.store(sum, op.getDw(), {offset, channel, zero, zero});
    });
    b.dealloc(row);
  });
}
