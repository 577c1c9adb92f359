//===- BlockSums.cpp - sums over the threads of a block -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/BlockSums.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

MemRefType mlir::sparseconv::getBlockSumsType(LoopBuilder &b, int64_t threads) {
  return b.getSharedType({threads / kWarpLanes}, b.getI32Type());
}

BlockSums mlir::sparseconv::sumInBlock(LoopBuilder &b,
                                       const LoopBuilder::Thread &t, Value own,
                                       Value shared, int64_t threads) {
  Value zero = b.i32(0);
  // Within a warp by doubling (Hillis and Steele, "Data parallel algorithms",
  // 1986), then over the sums of the warps.
  Value sum = own;
  for (int64_t distance = 1; distance < kWarpLanes; distance *= 2) {
    auto lower = gpu::ShuffleOp::create(b, sum, distance, kWarpLanes,
                                        gpu::ShuffleMode::UP);
    sum =
        b.add(sum, b.select(lower.getValid(), lower.getShuffleResult(), zero));
  }
  Value warp = b.shiftRight(t.thread, llvm::Log2_64(kWarpLanes));
  Value lane = b.andBits(t.thread, b.index(kWarpLanes - 1));
  b.ifThen(b.equal(lane, b.index(kWarpLanes - 1)),
           [&] { b.store(sum, shared, warp); });
  b.barrier();
  BlockSums sums{b.sub(sum, own), zero};
  for (int64_t w = 0; w < threads / kWarpLanes; ++w) {
    Value ofWarp = b.load(shared, b.index(w));
    sums.before =
        b.add(sums.before, b.select(b.less(b.index(w), warp), ofWarp, zero));
    sums.total = b.add(sums.total, ofWarp);
  }
  b.barrier();
  return sums;
}

void mlir::sparseconv::writeRowsInBlocks(LoopBuilder &b, const RowWriter &w) {
  constexpr int64_t threads = 512;
  Type i32 = b.getI32Type();
  Value zero = b.i32(0), first = b.index(0);
  Value numBlocks = b.ceilDiv(w.numRows, threads);
  Value counts = b.alloc({ShapedType::kDynamic}, i32, numBlocks);
  auto getRow = [&](const LoopBuilder::Thread &t) {
    return b.add(b.mul(t.block, threads), t.thread);
  };
  // Threads without a row count the last one, and have nothing.
  auto count = [&](const LoopBuilder::Thread &t, bool writes) {
    Value row = getRow(t);
    Value own = w.count(b.min(row, b.sub(w.numRows, 1)), writes);
    return b.select(b.less(row, w.numRows), own, zero);
  };
  SmallVector<MemRefType> shared = {getBlockSumsType(b, threads)};

  b.launch(numBlocks, threads, shared, [&](const LoopBuilder::Thread &t) {
    b.ifThen(b.less(t.block, numBlocks), [&] {
      Value own = count(t, /*writes=*/false);
      letNextStart(b);
      Value total = sumInBlock(b, t, own, t.shared[0], threads).total;
      b.ifThen(b.equal(t.thread, first), [&] {
        b.store(total, counts, t.block);
        if (w.countBlock)
          w.countBlock(total);
      });
    });
  });
  // The first block concludes, also where there are no rows.
  Value blocks = b.max(numBlocks, b.index(1));
  b.launch(blocks, threads, shared, [&](const LoopBuilder::Thread &t) {
    SmallVector<Value> shares =
        b.forLoop(t.thread, numBlocks, threads, {zero, zero},
                  [&](Value i, ValueRange sums) -> SmallVector<Value> {
                    Value found = b.load(counts, i);
                    Value before = b.select(b.less(i, t.block), found, zero);
                    return {b.add(sums[0], before), b.add(sums[1], found)};
                  });
    auto sum = [&](Value own) {
      return sumInBlock(b, t, own, t.shared[0], threads);
    };
    Value before = sum(shares[0]).total, total = sum(shares[1]).total;
    Value accepted = w.accept(total);
    b.ifThen(b.andBits(b.equal(t.block, first), b.equal(t.thread, first)),
             [&] { w.conclude(total, accepted); });
    // All threads of a block agree.
    b.ifThen(b.andBits(accepted, b.less(t.block, numBlocks)), [&] {
      letNextStart(b);
      Value own = count(t, /*writes=*/true);
      Value place = b.add(before, sum(own).before);
      b.ifThen(b.less(getRow(t), w.numRows),
               [&] { w.write(getRow(t), own, place); });
    });
  });
  b.dealloc(counts);
}

void mlir::sparseconv::compactRowsInBlocks(LoopBuilder &b,
                                           const Compaction &c) {
  RowWriter writer;
  writer.numRows = c.numRows;
  SmallVector<Value> carried;
  writer.count = [&](Value row, bool) {
    carried = c.visit(row, c.start(row));
    return b.select(carried[0], b.i32(1), b.i32(0));
  };
  writer.accept = [&](Value total) {
    return c.accept ? c.accept(b.toIndex(total)) : b.i1(true);
  };
  writer.conclude = [&](Value total, Value accepted) {
    c.conclude(b.toIndex(total), accepted);
  };
  writer.write = [&](Value row, Value own, Value place) {
    Value last = b.sub(b.add(place, own), 1);
    c.write(row, b.equal(own, b.i32(1)), b.toIndex(last),
            ValueRange(carried).drop_front());
  };
  writeRowsInBlocks(b, writer);
}
