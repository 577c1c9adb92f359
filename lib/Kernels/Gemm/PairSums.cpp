//===- PairSums.cpp - what products of pairs are added to -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PairSums.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

PairSums::PairSums(ImplicitGemmEmitter &e, const PairGemmConfig &config,
                   Value firstRow)
    : e(e), b(e.b), config(config), firstRow(firstRow) {
  if (!config.atomic)
    sums = b.dynamicShared();
}

void PairSums::clear() {
  if (config.atomic)
    return;
  auto four = VectorType::get(4, b.getF32Type());
  Value zeros = b.constant(four, 0);
  b.forLoop(e.lane, b.i32(config.accumulatorBytes() / 16), b.i32(kWarpLanes),
            [&](Value piece) {
              b.store(zeros, b.offset(sums, b.mul(piece, 16)), 16);
            });
}

//===----------------------------------------------------------------------===//
// Additions
//===----------------------------------------------------------------------===//

void PairSums::forRow(Value row, function_ref<void(Value)> body) {
  if (config.atomic) {
    b.ifThen(b.lessUnsigned(row, e.outRows), [&] { body(e.rowPointer(row)); });
    return;
  }
  Value inBlock = b.sub(row, firstRow);
  b.ifThen(b.lessUnsigned(inBlock, config.rowBlock),
           [&] { body(b.offset(sums, b.mul(inBlock, config.pitch() * 4))); });
}

void PairSums::addInShared(Value pointer, ArrayRef<Value> products) {
  auto type =
      VectorType::get(static_cast<int64_t>(products.size()), b.getF32Type());
  int64_t bytes = products.size() * 4;
  SmallVector<Value> added = b.unpack(b.load(type, pointer, bytes));
  for (auto [value, product] : llvm::zip_equal(added, products))
    value = b.add(value, product);
  b.store(vector::FromElementsOp::create(b, type, added), pointer, bytes);
}

void PairSums::addAtomically(Value pointer, Value column,
                             ArrayRef<Value> products) {
  const ImplicitGemmConfig &gemm = config.gemm;
  bool isInside = gemm.sectionTiles() * gemm.tileN == gemm.outChannels;
  Value channel = e.channelInSection(column);
  for (size_t i : llvm::seq(products.size())) {
    auto addOne = [&] { b.atomicAdd(b.offset(pointer, i * 4), products[i]); };
    if (isInside)
      addOne();
    else
      b.ifThen(b.lessUnsigned(b.add(channel, i), gemm.outChannels), addOne);
  }
}

void PairSums::add(Value place, Value column, ArrayRef<Value> products) {
  Value pointer = b.offset(place, b.mul(column, 4));
  if (config.atomic)
    addAtomically(pointer, column, products);
  else
    addInShared(pointer, products);
}

void PairSums::finishTile() { b.syncWarp(); }

//===----------------------------------------------------------------------===//
// The result
//===----------------------------------------------------------------------===//

void PairSums::storePiece(Value row, Value column, int64_t count) {
  auto type = VectorType::get(std::min<int64_t>(count, 4), b.getF32Type());
  Value channel = e.channelInRow(column);
  Value outRow = b.add(firstRow, row);
  Value place = b.add(b.mul(row, config.pitch()), column);
  b.ifThen(b.lessUnsigned(channel, config.gemm.outChannels), [&] {
    SmallVector<Value> values;
    for (int64_t at = 0; at < count; at += type.getNumElements())
      llvm::append_range(
          values,
          b.unpack(b.load(type, b.offset(sums, b.mul(b.add(place, at), 4)),
                          type.getNumElements() * 4)));
    e.storePiece(values, outRow, channel,
                 b.offset(e.rowPointer(outRow),
                          b.mul(column, config.gemm.outElementBytes())));
  });
}

void PairSums::store() {
  if (config.atomic)
    return;
  int64_t bytes = config.gemm.outElementBytes();
  int64_t rowBytes = config.gemm.outChannels * bytes;
  int64_t piece = std::min<int64_t>(rowBytes & -rowBytes, 16) / bytes;
  int64_t perRow = config.gemm.tileN / piece;
  Value rows =
      b.minUnsigned(b.sub(e.outRows, firstRow), b.i32(config.rowBlock));
  b.forLoop(e.lane, b.mul(rows, perRow), b.i32(kWarpLanes), [&](Value item) {
    storePiece(b.divide(item, perRow), b.mul(b.remainder(item, perRow), piece),
               piece);
  });
}
