//===- VectoriseElementwise.cpp - elementwise work on vectors -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"
#include "LoopNests.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include <numeric>

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVVECTORISEELEMENTWISE
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// What a thread loads at once, and what memory hands out at once.
static constexpr int64_t kVectorBytes = 16, kSectorBytes = 32;

/// Operations on an element beyond which arithmetic takes the time, and code
/// for each element of a vector would only be long.
static constexpr int64_t kMostOperations = 32;

/// The bytes of an element whose vectors a thread can load, or 0.
static int64_t getLoadedBytes(Value buffer) {
  Type element = getElementTypeOrSelf(buffer);
  return sparseconv::isPacked(element) ? element.getIntOrFloatBitWidth() / 8
                                       : 0;
}

/// The bytes of a row, of which the buffer is made without gaps, or 0.
static int64_t getRowBytes(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  if (!type || type.getRank() < 2 || !type.getLayout().isIdentity() ||
      type.isDynamicDim(type.getRank() - 1))
    return 0;
  return type.getShape().back() * getLoadedBytes(buffer);
}

namespace {
/// Loops in which a thread has a piece of a row: of the result, or of operands
/// that are read across their rows. Neighbouring threads have neighbouring
/// pieces or elements of the result.
class Vectoriser {
public:
  Vectoriser(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        init(*op.getDpsInitOperand(0)) {}

  /// Writes the operation as loops if it gains by vectors.
  void run();

private:
  bool isElementwise();
  bool choosePiece();
  int64_t getFastestLoop(OpOperand &operand);
  bool hasPieces(OpOperand &operand);
  VectorType getVectorType(OpOperand &operand);
  SmallVector<int64_t> getLoopOrder();

  SmallVector<Value> stepTo(int64_t i, ValueRange ivs);
  SmallVector<Value> getIndices(OpOperand &operand, ValueRange ivs);
  /// Calls `visit` with the type and place of each vector of a piece.
  void
  visitVectors(OpOperand &operand, ValueRange ivs,
               function_ref<void(VectorType type, ValueRange indices)> visit);
  SmallVector<Value> load(OpOperand &operand, ValueRange ivs);
  SmallVector<Value> compute(ValueRange ivs);
  void store(ValueRange results, ValueRange ivs);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  Location loc;
  OpOperand &init;
  /// Along which rows lie, and how many elements of one a thread has.
  int64_t rowLoop = -1, length = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What a thread has
//===----------------------------------------------------------------------===//

bool Vectoriser::isElementwise() {
  bool hasInnerIndices = false;
  op.walk([&](linalg::IndexOp index) {
    hasInnerIndices |= index->getParentOp() != op.getOperation();
  });
  return op.getNumParallelLoops() == op.getNumLoops() && !hasInnerIndices &&
         !op.payloadUsesValueFromOperand(&init) &&
         op.getMatchingIndexingMap(&init).isPermutation() &&
         std::distance(op.getBody()->begin(), op.getBody()->end()) <=
             kMostOperations;
}

/// The loop along which neighbouring elements of an operand lie, or -1.
int64_t Vectoriser::getFastestLoop(OpOperand &operand) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (map.getNumResults() == 0 || !map.isProjectedPermutation())
    return -1;
  return map.getDimPosition(map.getNumResults() - 1);
}

/// An operand that is read across its rows decides, by as much of a sector as
/// its rows are made of; without one the result does, by the longest vectors
/// that its rows are made of.
bool Vectoriser::choosePiece() {
  int64_t written = getFastestLoop(init);
  for (OpOperand *input : op.getDpsInputOperands()) {
    int64_t loop = getFastestLoop(*input);
    int64_t row = getRowBytes(input->get());
    if (loop < 0 || loop == written || row == 0 || row % kVectorBytes ||
        !op.getMatchingIndexingMap(input).isFunctionOfDim(written))
      continue;
    rowLoop = loop;
    length = (row % kSectorBytes ? kVectorBytes : kSectorBytes) /
             getLoadedBytes(input->get());
    return true;
  }
  int64_t row = getRowBytes(init.get());
  if (row == 0)
    return false;
  rowLoop = written;
  length = std::gcd(row, kVectorBytes) / getLoadedBytes(init.get());
  return length > 1;
}

/// Whether a thread's elements of an operand are neighbours, in whole vectors.
bool Vectoriser::hasPieces(OpOperand &operand) {
  int64_t row = getRowBytes(operand.get());
  return row != 0 && getFastestLoop(operand) == rowLoop &&
         row % (length * getLoadedBytes(operand.get())) == 0;
}

VectorType Vectoriser::getVectorType(OpOperand &operand) {
  int64_t most = kVectorBytes / getLoadedBytes(operand.get());
  return VectorType::get(std::min(length, most),
                         getElementTypeOrSelf(operand.get()));
}

/// The last loop runs over neighbouring threads.
SmallVector<int64_t> Vectoriser::getLoopOrder() {
  SmallVector<int64_t> order;
  AffineMap map = op.getMatchingIndexingMap(&init);
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    order.push_back(map.getDimPosition(i));
  if (order.back() != rowLoop) {
    llvm::erase(order, rowLoop);
    order.insert(order.begin(), rowLoop);
  }
  return order;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// The index of the thread's element `i` along each loop.
SmallVector<Value> Vectoriser::stepTo(int64_t i, ValueRange ivs) {
  SmallVector<Value> at(ivs);
  Value step = arith::ConstantIndexOp::create(rewriter, loc, i);
  at[rowLoop] = arith::AddIOp::create(rewriter, loc, ivs[rowLoop], step);
  return at;
}

SmallVector<Value> Vectoriser::getIndices(OpOperand &operand, ValueRange ivs) {
  SmallVector<Value> indices;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  for (AffineExpr result : map.getResults())
    indices.push_back(affine::AffineApplyOp::create(
        rewriter, loc, AffineMap::get(map.getNumDims(), 0, result), ivs));
  return indices;
}

void Vectoriser::visitVectors(
    OpOperand &operand, ValueRange ivs,
    function_ref<void(VectorType type, ValueRange indices)> visit) {
  VectorType type = getVectorType(operand);
  SmallVector<Value> indices = getIndices(operand, ivs);
  Value column = indices.back();
  for (int64_t first = 0; first < length; first += type.getNumElements()) {
    Value offset = arith::ConstantIndexOp::create(rewriter, loc, first);
    indices.back() = arith::AddIOp::create(rewriter, loc, column, offset);
    visit(type, indices);
  }
}

static llvm::MaybeAlign getAlignment(VectorType type) {
  return llvm::MaybeAlign(type.getNumElements() *
                          type.getElementTypeBitWidth() / 8);
}

/// A thread's elements of an operand.
SmallVector<Value> Vectoriser::load(OpOperand &operand, ValueRange ivs) {
  Value buffer = operand.get();
  if (!isa<MemRefType>(buffer.getType()))
    return SmallVector<Value>(length, buffer);
  SmallVector<Value> elements;
  if (hasPieces(operand)) {
    visitVectors(operand, ivs, [&](VectorType type, ValueRange indices) {
      Value vector =
          vector::LoadOp::create(rewriter, loc, type, buffer, indices,
                                 /*nontemporal=*/false, getAlignment(type));
      for (int64_t lane = 0; lane < type.getNumElements(); ++lane)
        elements.push_back(
            vector::ExtractOp::create(rewriter, loc, vector, lane));
    });
    return elements;
  }
  bool differ = op.getMatchingIndexingMap(&operand).isFunctionOfDim(rowLoop);
  SmallVector<Value> at(ivs);
  for (int64_t i = 0; i < (differ ? length : 1); ++i) {
    Value step = arith::ConstantIndexOp::create(rewriter, loc, i);
    at[rowLoop] = arith::AddIOp::create(rewriter, loc, ivs[rowLoop], step);
    elements.push_back(
        memref::LoadOp::create(rewriter, loc, buffer, getIndices(operand, at)));
  }
  elements.resize(length, elements.back());
  return elements;
}

/// The result's elements for those of a thread.
SmallVector<Value> Vectoriser::compute(ValueRange ivs) {
  SmallVector<SmallVector<Value>> inputs;
  for (OpOperand *input : op.getDpsInputOperands())
    inputs.push_back(load(*input, ivs));
  SmallVector<Value> results;
  for (int64_t i = 0; i < length; ++i) {
    IRMapping mapping;
    for (auto [argument, elements] : llvm::zip(op.getRegionInputArgs(), inputs))
      mapping.map(argument, elements[i]);
    for (Operation &inner : op.getBody()->without_terminator())
      if (auto index = dyn_cast<linalg::IndexOp>(inner))
        mapping.map(index.getResult(), stepTo(i, ivs)[index.getDim()]);
      else
        rewriter.clone(inner, mapping);
    results.push_back(
        mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0)));
  }
  return results;
}

void Vectoriser::store(ValueRange results, ValueRange ivs) {
  if (hasPieces(init)) {
    visitVectors(init, ivs, [&](VectorType type, ValueRange indices) {
      Value vector = vector::FromElementsOp::create(
          rewriter, loc, type, results.take_front(type.getNumElements()));
      results = results.drop_front(type.getNumElements());
      vector::StoreOp::create(rewriter, loc, vector, init.get(), indices,
                              /*nontemporal=*/false, getAlignment(type));
    });
    return;
  }
  for (auto [i, result] : llvm::enumerate(results))
    memref::StoreOp::create(rewriter, loc, result, init.get(),
                            getIndices(init, stepTo(i, ivs)));
}

void Vectoriser::run() {
  if (!isElementwise() || !choosePiece())
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> order = getLoopOrder();
  auto ranges = cast<linalg::LinalgOp>(*op).createLoopRanges(rewriter, loc);
  SmallVector<Range> inOrder;
  SmallVector<int64_t> steps;
  for (int64_t loop : order) {
    inOrder.push_back(ranges[loop]);
    steps.push_back(loop == rowLoop ? length : 1);
  }
  auto loops = sparseconv::createParallelLoops(rewriter, loc, inOrder, steps);
  rewriter.setInsertionPointToStart(loops.getBody());
  SmallVector<Value> ivs(order.size());
  for (auto [loop, iv] : llvm::zip(order, loops.getInductionVars()))
    ivs[loop] = iv;
  store(compute(ivs), ivs);
  rewriter.eraseOp(op);
}

namespace {
struct VectoriseElementwise
    : mlir::sparseconv::impl::SparseConvVectoriseElementwiseBase<
          VectoriseElementwise> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!op.hasPureBufferSemantics() || op.getNumDpsInits() != 1)
        return;
      auto generic = dyn_cast<linalg::GenericOp>(*op);
      if (isa<linalg::CopyOp, linalg::FillOp>(op)) {
        rewriter.setInsertionPoint(op);
        generic = *linalg::generalizeNamedOp(rewriter, op);
      }
      if (generic)
        Vectoriser(rewriter, generic).run();
    });
  }
};
} // namespace
