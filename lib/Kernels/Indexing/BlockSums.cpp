//===- BlockSums.cpp - sums over the threads of a block -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockSums.h"
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

void mlir::sparseconv::compactRowsInBlocks(LoopBuilder &b,
                                           const Compaction &c) {
  constexpr int64_t threads = 256;
  Type i32 = b.getI32Type(), i64 = b.getI64Type();
  Value zero = b.index(0);
  Value numBlocks = b.ceilDiv(c.numRows, threads);
  Value counts = b.alloc({ShapedType::kDynamic}, i32, numBlocks);
  // A sum of whole numbers is the same in any order.
  Value total = b.alloc({1}, i64);
  b.store(b.i64(0), total, zero);

  struct Visit {
    Value row, isRow, kept;
    SmallVector<Value> carried;
  };
  auto forRows =
      [&](function_ref<void(const LoopBuilder::Thread &, const Visit &)> body) {
        b.launch(numBlocks, threads, {getBlockSumsType(b, threads)},
                 [&](const LoopBuilder::Thread &t) {
                   b.ifThen(b.less(t.block, numBlocks), [&] {
                     Value row = b.add(b.mul(t.block, threads), t.thread);
                     Value isRow = b.less(row, c.numRows);
                     // Threads without a row visit the last one.
                     row = b.min(row, b.sub(c.numRows, 1));
                     SmallVector<Value> visited = c.visit(row, c.start(row));
                     Value kept = b.select(b.andBits(visited[0], isRow),
                                           b.i32(1), b.i32(0));
                     visited.erase(visited.begin());
                     body(t, {row, isRow, kept, visited});
                   });
                 });
      };

  forRows([&](const LoopBuilder::Thread &t, const Visit &visit) {
    Value count = sumInBlock(b, t, visit.kept, t.shared[0], threads).total;
    b.ifThen(b.equal(t.thread, zero), [&] {
      b.store(count, counts, t.block);
      b.atomic(arith::AtomicRMWKind::addi, b.cast(count, i64), total,
               ValueRange{zero});
    });
  });
  Value accepted = c.accept(b.toIndex(b.load(total, zero)));
  b.ifThen(accepted, [&] {
    forRows([&](const LoopBuilder::Thread &t, const Visit &visit) {
      Value share =
          b.forLoop(t.thread, t.block, threads, b.i32(0),
                    [&](Value i, ValueRange sum) -> SmallVector<Value> {
                      return {b.add(sum[0], b.load(counts, i))};
                    })[0];
      Value base = sumInBlock(b, t, share, t.shared[0], threads).total;
      Value before = sumInBlock(b, t, visit.kept, t.shared[0], threads).before;
      Value position = b.sub(b.add(b.add(base, before), visit.kept), 1);
      Value kept = b.equal(visit.kept, b.i32(1));
      b.ifThen(visit.isRow, [&] {
        c.write(visit.row, kept, b.toIndex(position), visit.carried);
      });
    });
  });
  b.dealloc(counts);
  b.dealloc(total);
}
