//===- FuseReductions.cpp - reductions of short rows with their readers ---===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A norm of groups of channels, on buffers, is
//
//   %sum = reduce %x; %squares = reduce %x, %sum; %y = map %x, %sum, %squares
//
// where the reductions run along the loop of a row's channels, and all three
// have the same other loops. In one loop nest each thread has a row and group:
//
//   scf.parallel (row, group) {
//     %s = scf.for (channel) { .. }; %q = scf.for (channel) { .. }
//     scf.for (channel) { .. }
//   }
//
// The sums never leave the registers, and what is read twice or three times is
// in the first-level cache. Where a row is a few vectors, it has a thread for
// each, and every one of them computes the sums: neighbouring threads then
// store neighbouring vectors.
//
//===----------------------------------------------------------------------===//

#include "BufferAccess.h"
#include "FilledBuffers.h"
#include "LoopNests.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include <numeric>

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSEREDUCTIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// What a thread loads at once, and elements beyond which a thread alone takes
/// too long for a row.
static constexpr int64_t kVectorBytes = 16, kMostElements = 128;

/// Vectors of a row up to which to sum it up in a thread for each costs less
/// than stores with gaps between those of neighbouring threads.
static constexpr int64_t kMostThreads = 4;

namespace {
/// A reduction along the last loop, and what its buffer holds before.
struct Reduction {
  linalg::GenericOp op;
  Value start;
};

class Fuser {
public:
  Fuser(RewriterBase &rewriter, linalg::GenericOp reader)
      : rewriter(rewriter), reader(reader), loc(reader.getLoc()),
        last(reader.getNumLoops() - 1) {}

  /// Writes the operation and the reductions that it reads as loops, if it
  /// reads any.
  void run();

private:
  bool isReader();
  bool isReduction(linalg::GenericOp op);
  bool addReductions(linalg::GenericOp op);
  bool areAlone();
  bool canMove();
  bool chooseLength();
  bool isInPlace();
  AffineMap getRowMap();
  /// The reader and the reductions.
  SmallVector<linalg::GenericOp> getAll();

  using Elements = SmallVector<Value>;
  /// What operand `input` of `op` is in all elements of a row, or null.
  Value getScalar(linalg::GenericOp op, OpOperand &input, ValueRange ivs);
  /// `length` elements of each operand from an element of a row on.
  SmallVector<Elements> load(linalg::GenericOp op, ArrayRef<Value> scalars,
                             ValueRange ivs);
  Value compute(linalg::GenericOp op, ArrayRef<Elements> inputs, int64_t lane,
                Value carried);
  Value emitReduction(const Reduction &reduction, ValueRange ivs);
  void emitPiece(ArrayRef<Value> scalars, ValueRange ivs);
  void emitReader(ValueRange ivs);
  SmallVector<Value> getScalars(linalg::GenericOp op, ValueRange ivs);
  scf::ForOp createLoop(ValueRange carried);

  RewriterBase &rewriter;
  linalg::GenericOp reader;
  Location loc;
  unsigned last;
  SmallVector<Reduction> reductions;
  /// Their results in a thread.
  llvm::SmallDenseMap<Operation *, Value> results;
  /// Elements of a row, and of them those that a thread has at a time.
  int64_t numElements = 0, length = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

/// The last operation before `op` that writes `buffer`, a buffer of the
/// function's own that only structured operations of the block use.
static linalg::GenericOp findStructuredWriter(Operation *op, Value buffer) {
  Operation *found = nullptr;
  if (!buffer.getDefiningOp<memref::AllocOp>())
    return {};
  for (OpOperand &use : buffer.getUses()) {
    Operation *user = use.getOwner();
    if (user->getBlock() != op->getBlock() ||
        !isa<linalg::LinalgOp, memref::DeallocOp>(user))
      return {};
    auto structured = dyn_cast<linalg::LinalgOp>(user);
    if (structured && structured.isDpsInit(&use) && user->isBeforeInBlock(op) &&
        (!found || found->isBeforeInBlock(user)))
      found = user;
  }
  return dyn_cast_if_present<linalg::GenericOp>(found);
}

/// All loops but the last.
AffineMap Fuser::getRowMap() {
  return AffineMap::getMultiDimIdentityMap(last + 1, rewriter.getContext())
      .getMajorSubMap(last);
}

bool Fuser::isReader() {
  if (reader.getNumLoops() < 2)
    return false;
  OpOperand &init = *reader.getDpsInitOperand(0);
  numElements = reader.getStaticLoopRanges().back();
  return !reader.hasIndexSemantics() &&
         reader.getNumParallelLoops() == reader.getNumLoops() &&
         reader.getMatchingIndexingMap(&init).isIdentity() &&
         !reader.payloadUsesValueFromOperand(&init) && numElements > 1 &&
         numElements <= kMostElements;
}

bool Fuser::isReduction(linalg::GenericOp op) {
  return op.getNumDpsInits() == 1 && op.getNumLoops() == last + 1 &&
         op.getNumParallelLoops() == last && !op.hasIndexSemantics() &&
         op.getIteratorTypesArray().back() == utils::IteratorType::reduction &&
         op.getStaticLoopRanges().back() == numElements &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)) == getRowMap();
}

/// Finds the reductions whose results `op` reads, each behind those that it
/// reads itself.
bool Fuser::addReductions(linalg::GenericOp op) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (op.getMatchingIndexingMap(input) != getRowMap())
      continue;
    linalg::GenericOp writer = findStructuredWriter(op, input->get());
    if (!writer || !isReduction(writer) ||
        llvm::any_of(reductions,
                     [&](const Reduction &r) { return r.op == writer; }))
      continue;
    Value start = findStart(writer, input->get());
    if (!start || !addReductions(writer))
      return false;
    reductions.push_back({writer, start});
  }
  return true;
}

SmallVector<linalg::GenericOp> Fuser::getAll() {
  SmallVector<linalg::GenericOp> all = {reader};
  for (const Reduction &reduction : reductions)
    all.push_back(reduction.op);
  return all;
}

/// Whether nothing else reads what the reductions write, nor the operations
/// themselves other than row by row.
bool Fuser::areAlone() {
  SmallVector<linalg::GenericOp> all = getAll();
  return llvm::all_of(reductions, [&](const Reduction &reduction) {
    linalg::GenericOp op = reduction.op;
    return llvm::all_of(op.getDpsInits()[0].getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<memref::DeallocOp>(user) || user->isBeforeInBlock(op))
        return true;
      auto own = dyn_cast<linalg::GenericOp>(user);
      return own && llvm::is_contained(all, own) &&
             own.getMatchingIndexingMap(&use) == getRowMap();
    });
  });
}

/// Whether the reductions can be where the reader is: whatever lies between
/// changes none of their operands, and the reader stores nothing that it or
/// they read elsewhere in the row.
bool Fuser::canMove() {
  Value written = getWholeBuffer(reader.getDpsInits()[0]);
  SmallVector<linalg::GenericOp> all = getAll();
  SmallPtrSet<Value, 4> read;
  for (linalg::GenericOp op : all)
    for (OpOperand *input : op.getDpsInputOperands()) {
      read.insert(getWholeBuffer(input->get()));
      if (getWholeBuffer(input->get()) == written &&
          (input->get() != reader.getDpsInits()[0] ||
           !op.getMatchingIndexingMap(input).isIdentity()))
        return false;
    }
  auto isKnown = [](Value base) {
    return !isa<MemRefType>(base.getType()) || isApart(base);
  };
  if (!isApart(written) || !llvm::all_of(read, isKnown) ||
      !llvm::all_of(all, hasPureBody))
    return false;
  Operation *first = reader;
  for (linalg::GenericOp op : all)
    if (op->isBeforeInBlock(first))
      first = op;
  for (Operation *op = first; op != reader; op = op->getNextNode()) {
    if (llvm::is_contained(all, op) || isMemoryEffectFree(op) ||
        isa<memref::AllocOp>(op))
      continue;
    auto structured = dyn_cast<linalg::LinalgOp>(op);
    if (!structured || llvm::any_of(structured.getDpsInits(), [&](Value init) {
          // The buffers of reductions are filled there.
          return read.contains(getWholeBuffer(init)) &&
                 !llvm::any_of(reductions, [&](const Reduction &reduction) {
                   linalg::GenericOp own = reduction.op;
                   return own.getDpsInits()[0] == init &&
                          op->isBeforeInBlock(own);
                 });
        }))
      return false;
  }
  return true;
}

/// Whether the reader stores where it or a reduction reads.
bool Fuser::isInPlace() {
  Value written = getWholeBuffer(reader.getDpsInits()[0]);
  return llvm::any_of(getAll(), [&](linalg::GenericOp op) {
    return llvm::any_of(op.getDpsInputs(), [&](Value input) {
      return getWholeBuffer(input) == written;
    });
  });
}

/// A thread has vectors of all operands that have elements along rows.
bool Fuser::chooseLength() {
  length = numElements;
  for (linalg::GenericOp op : getAll())
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      if (!map.isFunctionOfDim(last)) {
        if (!map.isProjectedPermutation())
          return false;
        continue;
      }
      auto type = cast<MemRefType>(operand.get().getType());
      Type element = type.getElementType();
      if (!map.isProjectedPermutation() || !isPacked(element) ||
          map.getDimPosition(map.getNumResults() - 1) != last ||
          !type.getLayout().isIdentity())
        return false;
      int64_t bytes = element.getIntOrFloatBitWidth() / 8;
      length = std::gcd(length, kVectorBytes / bytes);
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

Value Fuser::getScalar(linalg::GenericOp op, OpOperand &input, ValueRange ivs) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  if (map.isFunctionOfDim(last))
    return {};
  if (!isa<MemRefType>(input.get().getType()))
    return input.get();
  if (map == getRowMap())
    if (Value result = results.lookup(findStructuredWriter(op, input.get())))
      return result;
  return memref::LoadOp::create(rewriter, loc, input.get(),
                                getIndices(input, ivs));
}

SmallVector<Value> Fuser::getScalars(linalg::GenericOp op, ValueRange ivs) {
  return llvm::map_to_vector(op.getDpsInputOperands(), [&](OpOperand *input) {
    return getScalar(op, *input, ivs);
  });
}

SmallVector<Fuser::Elements>
Fuser::load(linalg::GenericOp op, ArrayRef<Value> scalars, ValueRange ivs) {
  SmallVector<Elements> inputs;
  for (auto [input, scalar] :
       llvm::zip_equal(op.getDpsInputOperands(), scalars)) {
    Elements &elements = inputs.emplace_back(length, scalar);
    if (scalar)
      continue;
    Value buffer = input->get();
    auto type = VectorType::get(length, getElementTypeOrSelf(buffer));
    SmallVector<Value> indices = getIndices(*input, ivs);
    llvm::MaybeAlign alignment(length * type.getElementTypeBitWidth() / 8);
    Value vector = vector::LoadOp::create(rewriter, loc, type, buffer, indices,
                                          /*nontemporal=*/false, alignment);
    for (auto [lane, element] : llvm::enumerate(elements))
      element = vector::ExtractOp::create(rewriter, loc, vector, lane);
  }
  return inputs;
}

/// What the body of `op` gives for an element.
Value Fuser::compute(linalg::GenericOp op, ArrayRef<Elements> inputs,
                     int64_t lane, Value carried) {
  IRMapping mapping;
  for (auto [argument, elements] :
       llvm::zip_equal(op.getRegionInputArgs(), inputs))
    mapping.map(argument, elements[lane]);
  if (carried)
    mapping.map(op.getRegionOutputArgs()[0], carried);
  for (Operation &inner : op.getBody()->without_terminator())
    rewriter.clone(inner, mapping);
  return mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(0));
}

scf::ForOp Fuser::createLoop(ValueRange carried) {
  auto number = [&](int64_t n) {
    return arith::ConstantIndexOp::create(rewriter, loc, n);
  };
  return scf::ForOp::create(rewriter, loc, number(0), number(numElements),
                            number(length), carried);
}

Value Fuser::emitReduction(const Reduction &reduction, ValueRange ivs) {
  SmallVector<Value> scalars = getScalars(reduction.op, ivs);
  scf::ForOp loop = createLoop(reduction.start);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(ivs);
  at.push_back(loop.getInductionVar());
  SmallVector<Elements> inputs = load(reduction.op, scalars, at);
  Value sum = loop.getRegionIterArg(0);
  for (int64_t lane = 0; lane < length; ++lane)
    sum = compute(reduction.op, inputs, lane, sum);
  scf::YieldOp::create(rewriter, loc, sum);
  return loop.getResult(0);
}

/// The reader's vector from an element of a row on.
void Fuser::emitPiece(ArrayRef<Value> scalars, ValueRange ivs) {
  SmallVector<Elements> inputs = load(reader, scalars, ivs);
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < length; ++lane)
    elements.push_back(compute(reader, inputs, lane, {}));
  auto type = VectorType::get(length, elements.front().getType());
  Value vector = vector::FromElementsOp::create(rewriter, loc, type, elements);
  llvm::MaybeAlign alignment(length * type.getElementTypeBitWidth() / 8);
  vector::StoreOp::create(rewriter, loc, vector, reader.getDpsInits()[0], ivs,
                          /*nontemporal=*/false, alignment);
}

/// All of the reader's vectors of a row, or the one of a thread.
void Fuser::emitReader(ValueRange ivs) {
  SmallVector<Value> scalars = getScalars(reader, ivs);
  if (ivs.size() > last)
    return emitPiece(scalars, ivs);
  scf::ForOp loop = createLoop({});
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> at(ivs);
  at.push_back(loop.getInductionVar());
  emitPiece(scalars, at);
}

void Fuser::run() {
  if (!isReader() || !addReductions(reader) || reductions.empty() ||
      !areAlone() || !canMove() || !chooseLength())
    return;
  rewriter.setInsertionPoint(reader);
  auto ranges = cast<linalg::LinalgOp>(*reader).createLoopRanges(rewriter, loc);
  // Threads of one row must not store what the others still read.
  if (numElements / length > kMostThreads || isInPlace())
    ranges.pop_back();
  SmallVector<int64_t> steps(last + 1, 1);
  steps.back() = length;
  steps.resize(ranges.size());
  auto loops = createParallelLoops(rewriter, loc, ranges, steps);
  rewriter.setInsertionPointToStart(loops.getBody());
  SmallVector<Value> ivs(loops.getInductionVars());
  for (const Reduction &reduction : reductions)
    results[reduction.op] =
        emitReduction(reduction, ArrayRef(ivs).take_front(last));
  emitReader(ivs);
  for (Reduction &reduction : reductions)
    takeStart(reduction.op, reduction.op.getDpsInits()[0]);
  rewriter.eraseOp(reader);
  for (Reduction &reduction : llvm::reverse(reductions)) {
    Value buffer = reduction.op.getDpsInits()[0];
    rewriter.eraseOp(reduction.op);
    if (llvm::all_of(buffer.getUsers(), llvm::IsaPred<memref::DeallocOp>)) {
      for (Operation *user : llvm::to_vector(buffer.getUsers()))
        rewriter.eraseOp(user);
      rewriter.eraseOp(buffer.getDefiningOp());
    }
  }
}

namespace {
struct FuseReductions
    : mlir::sparseconv::impl::SparseConvFuseReductionsBase<FuseReductions> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> found;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
          op.getNumParallelLoops() == op.getNumLoops())
        found.push_back(op);
    });
    for (linalg::GenericOp op : found)
      Fuser(rewriter, op).run();
    eraseUnread(getOperation());
  }
};
} // namespace
