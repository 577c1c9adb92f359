//===- TileTickets.cpp - tiles in order of thread blocks ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileTickets.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;
using arith::AtomicRMWKind;

Value TileTickets::read(Value number) {
  return b.atomic(AtomicRMWKind::ori, b.i32(0), counters, getIndices(number));
}

Value TileTickets::addOne(Value number) {
  return b.atomic(AtomicRMWKind::addi, b.i32(1), counters, getIndices(number));
}

Value TileTickets::getPass(Value ticket, Value ticketsPerPass) {
  // Where there are no tiles no ticket is good for one.
  return b.divide(ticket, b.max(ticketsPerPass, b.i32(1)));
}

void TileTickets::draw(Value shared, Value end) {
  Value zero = b.i32(0), all = b.cast(numTiles, b.getI32Type());
  Value ticket = addOne(zero), pass = getPass(ticket, all);
  b.store(ticket, shared, b.index(0));
  // Counter p is of the tiles of pass p - 1 that are done.
  b.ifThen(b.andBits(b.less(ticket, end), b.less(zero, pass)), [&] {
    b.whileLoop(
        {read(pass)}, [&](ValueRange done) { return b.less(done[0], all); },
        [&](ValueRange) -> SmallVector<Value> { return {read(pass)}; });
    fenceDevice(b);
  });
}

void TileTickets::forTiles(const LoopBuilder::Thread &t, Value shared,
                           Value numPasses,
                           function_ref<void(Value, Value)> body) {
  Value all = b.cast(numTiles, b.getI32Type()), end = b.mul(numPasses, all);
  Value isFirst = b.equal(t.thread, b.index(0));
  auto drawForAll = [&]() -> SmallVector<Value> {
    b.ifThen(isFirst, [&] { draw(shared, end); });
    b.barrier();
    return {b.load(shared, b.index(0))};
  };
  b.whileLoop(
      drawForAll(), [&](ValueRange ticket) { return b.less(ticket[0], end); },
      [&](ValueRange ticket) {
        Value pass = getPass(ticket[0], all);
        Value tile = b.toIndex(b.sub(ticket[0], b.mul(pass, all)));
        body(pass, tile);
        b.barrier();
        b.ifThen(isFirst, [&] {
          fenceDevice(b);
          addOne(b.add(pass, 1));
        });
        return drawForAll();
      });
}

void TileTickets::forTile(const LoopBuilder::Thread &t, Value shared,
                          Value numPasses,
                          function_ref<void(Value, Value)> body) {
  Value zero = b.index(0);
  b.ifThen(b.equal(t.thread, zero),
           [&] { b.store(addOne(b.i32(0)), shared, zero); });
  b.barrier();
  // Each thread block of a launch draws one, also those that have no tile.
  Value ticket = b.load(shared, zero);
  Value numBlocks = b.cast(t.numBlocks, b.getI32Type());
  Value pass = getPass(ticket, numBlocks);
  Value tile = b.toIndex(b.sub(ticket, b.mul(pass, numBlocks)));
  b.ifThen(b.andBits(b.less(pass, numPasses), b.less(tile, numTiles)),
           [&] { body(pass, tile); });
}
