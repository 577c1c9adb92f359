//===- PairFma.cpp - gather-GEMM-scatter, f32 by multiply-adds ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pairs and the sums of PairMma.cpp. Each lane keeps the products of a few
// rows by a few quads of channels in registers. A chunk of the weights and of
// the gathered rows passes through one of two stages in shared memory, filled
// by asynchronous copies while the other one is multiplied.
//
// c0, c1, .. are the chunks of the tiles of 16 pairs in their order:
//
//                          prologue   step c0   step c1   step c2   epilogue
//   pairs: rows            c0, c1     c2        c3        c4
//   wait for copies                   of c0     of c1     of c2
//   barrier of the warp               x         x         x
//   copy into stage        0: c0      1: c1     0: c2     1: c3
//   fma                               c0        c1        c2
//   sums: add                         at the last chunk of each tile
//   y: store                                                        all
//
// The barrier says that all lanes are done with the stage that is filled next,
// and that the copies of all have arrived. Rows are loaded a step before they
// are copied from, so that no copy waits for a load.
//
//===----------------------------------------------------------------------===//

#include "PairKernels.h"
#include "StageCopies.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
class PairFma {
public:
  PairFma(ImplicitGemmEmitter &e, const PairGemmConfig &config);
  void emit();

private:
  /// A chunk in a stage. `offset` is -1 behind the last one, `outRow` the
  /// output row of this lane's pair.
  struct Use {
    Value offset, chunk, outRow;

    void fields(LoopFields &f) { f(offset, chunk, outRow); }
  };
  struct State {
    Use use;
    Value stage;
    /// What is copied next.
    PairCursor put;
    SmallVector<Value> products;

    void fields(LoopFields &f) { f(use, stage, put, products); }
  };

  Value getStage(Value stage);
  /// Starts the copies of the next chunk, if there is one, and moves on.
  Use fill(PairCursor &put, Value stage);
  void addProducts(ValueRange products, Value outRow);
  Value step(State &now);
  void multiplyRowBlock();

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const PairGemmConfig &config;
  LaneTile lanes;
  StageCopies copies;
  PairWalk walk;
  PairSums sums;
};
} // namespace

/// Two lanes copy the row of a pair.
PairFma::PairFma(ImplicitGemmEmitter &e, const PairGemmConfig &config)
    : e(e), b(e.b), config(config), lanes(e), copies(e),
      walk(e, config, b.divide(e.lane, 2)),
      sums(e, config, walk.getFirstRow()) {}

Value PairFma::getStage(Value stage) {
  Value begin = b.mul(stage, StageCopies::getStageBytes(config.gemm));
  return b.offset(b.dynamicShared(), b.add(begin, config.stagesBegin()));
}

PairFma::Use PairFma::fill(PairCursor &put, Value stage) {
  b.ifThen(b.greaterEqual(put.offset, 0), [&] {
    copies.copy({put.offset, put.chunk, put.rows.front()}, getStage(stage));
  });
  b.commitCopies();
  Use use{put.offset, put.chunk, put.outRows.front()};
  walk.moveToNextChunk(put);
  return use;
}

void PairFma::addProducts(ValueRange products, Value outRow) {
  lanes.forEachQuad(
      products, [&](Value row, Value column, ArrayRef<Value> four) {
        Value own = b.shuffle(outRow, b.mul(row, 2));
        sums.forRow(own, [&](Value place) { sums.add(place, column, four); });
      });
  sums.finishTile();
}

/// Multiplies a chunk. Returns whether there is one after it.
Value PairFma::step(State &now) {
  b.waitCopies(0);
  b.syncWarp();
  Value other = b.sub(b.i32(1), now.stage);
  Use next = fill(now.put, other);
  lanes.multiply(copies.getChunk(getStage(now.stage), b.i32(0)), now.products);
  auto finishTile = [&](SmallVector<Value> &products) {
    addProducts(products, now.use.outRow);
    products = e.zeroAccumulators();
  };
  if (now.use.chunk)
    now.products =
        changeIf(b, walk.isLast(now.use.chunk), now.products, finishTile);
  else
    finishTile(now.products);
  now.use = next;
  now.stage = other;
  return b.greaterEqual(next.offset, 0);
}

void PairFma::multiplyRowBlock() {
  sums.clear();
  State start;
  start.put = walk.start();
  start.stage = b.i32(0);
  start.use = fill(start.put, start.stage);
  start.products = e.zeroAccumulators();
  doWhileIf(b, b.greaterEqual(start.use.offset, 0), start,
            [&](State &now) { return step(now); });
  sums.store();
}

void PairFma::emit() {
  b.ifThen(walk.isThere(), [&] { multiplyRowBlock(); });
}

void mlir::sparseconv::emitPairFma(ImplicitGemmEmitter &e,
                                   const PairGemmConfig &config) {
  PairFma(e, config).emit();
}
