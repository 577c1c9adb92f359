//===- RowBlocks.cpp - loops over blocks of rows --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/RowBlocks.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"

using namespace mlir;
using namespace mlir::sparseconv;

void mlir::sparseconv::forOffsets(LoopBuilder &b, int64_t count,
                                  function_ref<void(Value)> body) {
  if (count > kMaxUnrolledOffsets)
    return b.forLoop(b.index(0), b.index(count), 1, body);
  for (int64_t offset = 0; offset < count; ++offset)
    body(b.index(offset));
}

void mlir::sparseconv::forEachRowBlock(
    LoopBuilder &b, Value numRows, int64_t size,
    function_ref<void(Value, Value, Value)> body) {
  b.parallelFor(b.ceilDiv(numRows, size), [&](Value rowBlock) {
    Value begin = b.mul(rowBlock, size);
    body(rowBlock, begin, b.min(b.add(begin, size), numRows));
  });
}

void mlir::sparseconv::forEachRow(LoopBuilder &b, Value numRows, int64_t size,
                                  function_ref<void(Value)> body) {
  if (b.isGpu())
    return b.parallelFor(numRows, body);
  forEachRowBlock(b, numRows, size, [&](Value, Value begin, Value end) {
    b.forLoop(begin, end, 1, body);
  });
}

Value mlir::sparseconv::findFirst(LoopBuilder &b, Value numRows, int64_t size,
                                  function_ref<Value(Value)> body) {
  if (b.isGpu()) {
    Type i64 = b.getI64Type();
    Value first = b.alloc({1}, i64);
    b.store(b.cast(numRows, i64), first, b.index(0));
    b.parallelFor(numRows, [&](Value row) {
      b.ifThen(body(row), [&] {
        b.atomic(arith::AtomicRMWKind::minu, b.cast(row, i64), first,
                 ValueRange{b.index(0)});
      });
    });
    return b.toIndex(b.load(first, b.index(0)));
  }
  Value numRowBlocks = b.ceilDiv(numRows, size);
  Value firsts =
      b.alloc({ShapedType::kDynamic}, b.getIndexType(), numRowBlocks);
  forEachRowBlock(
      b, numRows, size, [&](Value rowBlock, Value begin, Value end) {
        Value first =
            b.forLoop(begin, end, 1, numRows,
                      [&](Value row, ValueRange first) -> SmallVector<Value> {
                        Value here = b.select(body(row), row, numRows);
                        return {b.min(first[0], here)};
                      })[0];
        b.store(first, firsts, rowBlock);
      });
  Value first = findLeast(b, firsts, numRowBlocks, numRows);
  b.dealloc(firsts);
  return first;
}

Value mlir::sparseconv::findLeast(LoopBuilder &b, Value values, Value count,
                                  Value bound) {
  return b.forLoop(b.index(0), count, 1, bound,
                   [&](Value i, ValueRange least) -> SmallVector<Value> {
                     return {b.min(least[0], b.load(values, i))};
                   })[0];
}

Value mlir::sparseconv::makePrefixSums(LoopBuilder &b, Value counts,
                                       Value count) {
  return b.forLoop(b.index(0), count, 1, b.index(0),
                   [&](Value i, ValueRange sum) -> SmallVector<Value> {
                     Value next = b.add(sum[0], b.load(counts, i));
                     b.store(sum[0], counts, i);
                     return {next};
                   })[0];
}

void mlir::sparseconv::compactRows(LoopBuilder &b, const Compaction &c) {
  if (b.isGpu())
    return compactRowsInBlocks(b, c);
  Value numRowBlocks = b.ceilDiv(c.numRows, kDefaultRowBlock);
  Value counts =
      b.alloc({ShapedType::kDynamic}, b.getIndexType(), numRowBlocks);
  // Both passes carry the position of the next kept row, then the values of
  // `start`. The first counts from 0, the second from the row block's prefix
  // sum.
  auto visitRowBlocks = [&](bool writes) {
    forEachRowBlock(
        b, c.numRows, kDefaultRowBlock,
        [&](Value rowBlock, Value begin, Value end) {
          SmallVector<Value> inits{writes ? b.load(counts, rowBlock)
                                          : b.index(0)};
          inits.append(c.start(begin));
          Value next = b.forLoop(
              begin, end, 1, inits,
              [&](Value row, ValueRange carried) -> SmallVector<Value> {
                SmallVector<Value> visited = c.visit(row, carried.drop_front());
                Value kept = visited[0];
                Value next =
                    b.add(carried[0], b.select(kept, b.index(1), b.index(0)));
                if (writes)
                  c.write(row, kept, b.sub(next, 1),
                          ValueRange(visited).drop_front());
                visited[0] = next;
                return visited;
              })[0];
          if (!writes)
            b.store(next, counts, rowBlock);
        });
  };
  visitRowBlocks(/*writes=*/false);
  Value total = makePrefixSums(b, counts, numRowBlocks);
  Value accepted = c.accept ? c.accept(total) : b.i1(true);
  c.conclude(total, accepted);
  b.ifThen(accepted, [&] { visitRowBlocks(/*writes=*/true); });
  b.dealloc(counts);
}

/// Steps of a walk before it gives way to halving.
static constexpr int64_t kWalk = 16;

Value mlir::sparseconv::advance(LoopBuilder &b, Value keys, Value place,
                                Value end, Value query) {
  Value stop = b.min(b.add(place, kWalk), end);
  auto isBelow = [&](Value place, Value bound) {
    return b.ifElse(
        b.less(place, bound), b.getI1Type(),
        [&]() -> SmallVector<Value> {
          return {b.lessUnsigned(b.load(keys, place), query)};
        },
        [&]() -> SmallVector<Value> { return {b.i1(false)}; })[0];
  };
  Value near = b.whileLoop(
      place, [&](ValueRange at) { return isBelow(at[0], stop); },
      [&](ValueRange at) -> SmallVector<Value> {
        return {b.add(at[0], 1)};
      })[0];
  return b.ifElse(
      b.equal(near, stop), b.getIndexType(),
      [&]() -> SmallVector<Value> {
        return {b.lowerBound(keys, stop, end, query)};
      },
      [&]() -> SmallVector<Value> { return {near}; })[0];
}

Value mlir::sparseconv::holdsKey(LoopBuilder &b, Value keys, Value place,
                                 Value end, Value query) {
  return b.ifElse(
      b.less(place, end), b.getI1Type(),
      [&]() -> SmallVector<Value> {
        return {b.equal(b.load(keys, place), query)};
      },
      [&]() -> SmallVector<Value> { return {b.i1(false)}; })[0];
}

Value mlir::sparseconv::getConstantBuffer(LoopBuilder &b, Type elementType,
                                          ArrayRef<int64_t> values) {
  // A packed offset counts modulo the width of a key.
  unsigned width = elementType.isIndex() ? IndexType::kInternalStorageBitWidth
                                         : elementType.getIntOrFloatBitWidth();
  SmallVector<APInt> elements;
  for (int64_t value : values)
    elements.emplace_back(width, static_cast<uint64_t>(value),
                          /*isSigned=*/true, /*implicitTrunc=*/true);
  auto tensor =
      RankedTensorType::get({static_cast<int64_t>(values.size())}, elementType);
  auto contents = DenseElementsAttr::get(tensor, elements);
  auto type = MemRefType::get(tensor.getShape(), elementType);

  auto module =
      b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  for (auto global : module.getOps<memref::GlobalOp>())
    if (global.getConstant() && global.getType() == type &&
        global.getInitialValueAttr() == contents)
      return memref::GetGlobalOp::create(b, type, global.getSymName());
  std::string name;
  for (unsigned number = 0;; ++number) {
    name = ("sparseconv_constant_" + Twine(number)).str();
    if (!SymbolTable::lookupSymbolIn(module, name))
      break;
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(module.getBody());
    memref::GlobalOp::create(b, name, b.getStringAttr("private"), type,
                             contents, /*constant=*/true,
                             b.getI64IntegerAttr(64));
  }
  return memref::GetGlobalOp::create(b, type, name);
}
