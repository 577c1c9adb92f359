//===- PairMma.cpp - gather-GEMM-scatter, mma.sync ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp, which is a thread block, owns the output rows of a row block, and
// some columns of them: their sums stay in shared memory in f32 (PairSums.h).
// It goes over the offsets that have pairs, and over the pairs of one offset 16
// at a time, whose output rows differ. Rows are gathered straight into the A
// fragments of mma.sync, products are added to the sums. No other warp touches
// those, so the order of additions is that of the offsets, and nothing is
// waited for.
//
// With one chunk of channels per tile of 16 pairs; t0, t1, .. are the tiles,
// those of one offset after those of another:
//
//                          prologue   step t0   step t1   step t2   epilogue
//   segments: next offset  t0         t1        t2
//   pairs: rows            t0         t1        t2
//   x: rows                t0         t1        t2
//   weights, mma.sync                 t0        t1        t2
//   sums: add                         t0        t1        t2
//   y: store                                                        all
//
// In a step the rows of the next tile replace those of this one as these are
// used up.
//
//===----------------------------------------------------------------------===//

#include "PairKernels.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class PairMma {
public:
  PairMma(ImplicitGemmEmitter &e, const PairGemmConfig &config);
  void emit();

private:
  struct State {
    PairCursor at;
    Fragment fragment;
    SmallVector<Value> products;

    void fields(LoopFields &f) { f(at, fragment, products); }
  };

  /// Adds the products of a tile to the sums of its output rows.
  void addProducts(ValueRange products, ValueRange outRows);
  void addStrip(ValueRange products, int64_t tile, int64_t half, Value place);
  Value step(State &now);
  void multiplyRowBlock();

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const FragmentLayout &layout;
  PairWalk walk;
  PairSums sums;
};
} // namespace

/// The pairs of a tile that a lane loads the rows of: one of each half.
static SmallVector<Value> getSlots(ImplicitGemmEmitter &e) {
  return {e.laneGroup, e.b.add(e.laneGroup, 8)};
}

PairMma::PairMma(ImplicitGemmEmitter &e, const PairGemmConfig &config)
    : e(e), b(e.b), layout(e.layout), walk(e, config, getSlots(e)),
      sums(e, config, walk.getFirstRow()) {}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

/// The columns of a strip of tiles that this lane has of one of its rows.
void PairMma::addStrip(ValueRange products, int64_t tile, int64_t half,
                       Value place) {
  int64_t elements = 2 * layout.stripSize(tile);
  int64_t piece = std::min<int64_t>(elements, 4);
  Value column = b.add(b.mul(e.laneInGroup, elements), tile * 8);
  for (int64_t at = 0; at < elements; at += piece) {
    SmallVector<Value> own;
    for (int64_t number : llvm::seq(at, at + piece))
      own.push_back(products[number / 2 * 4 + 2 * half + number % 2]);
    sums.add(place, b.add(column, at), own);
  }
}

void PairMma::addProducts(ValueRange products, ValueRange outRows) {
  for (int64_t half : {0, 1})
    sums.forRow(outRows[half], [&](Value place) {
      for (int64_t tile = 0; tile < layout.tiles();
           tile += layout.stripSize(tile))
        addStrip(products.slice(tile * 4, layout.stripSize(tile) * 4), tile,
                 half, place);
    });
  sums.finishTile();
}

//===----------------------------------------------------------------------===//
// A row block
//===----------------------------------------------------------------------===//

/// Multiplies a chunk and loads the rows of what comes after it in their place.
/// Returns whether there is such a chunk.
Value PairMma::step(State &now) {
  PairCursor before = now.at;
  walk.moveToNextChunk(now.at);
  Value image = e.chunkAddress(before.offset, before.chunk);
  SmallVector<Value> present = e.arePresent(now.at.rows);
  for (int64_t pair : llvm::seq(layout.stepPairs())) {
    e.multiplyStepPair(now.fragment, pair, image, now.products);
    SmallVector<Value> loaded =
        e.gatherStepPair(now.at.rows, present, 0, pair, now.at.chunk);
    llvm::copy(loaded, now.fragment.registers.begin() + pair * 8);
  }
  now.fragment.present = present;
  auto finishTile = [&](SmallVector<Value> &products) {
    addProducts(products, before.outRows);
    products = e.zeroAccumulators();
  };
  if (before.chunk)
    now.products =
        changeIf(b, walk.isLast(before.chunk), now.products, finishTile);
  else
    finishTile(now.products);
  return b.greaterEqual(now.at.offset, 0);
}

void PairMma::multiplyRowBlock() {
  sums.clear();
  State start;
  start.at = walk.start();
  start.fragment = e.gatherChunk(start.at.rows, 0);
  start.products = e.zeroAccumulators();
  doWhileIf(b, b.greaterEqual(start.at.offset, 0), start,
            [&](State &now) { return step(now); });
  sums.store();
}

void PairMma::emit() {
  b.ifThen(walk.isThere(), [&] { multiplyRowBlock(); });
}

void mlir::sparseconv::emitPairMma(ImplicitGemmEmitter &e,
                                   const PairGemmConfig &config) {
  PairMma(e, config).emit();
}
