//===- ReduceInRegisters.cpp - reductions that a thread adds up alone -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's loops store a sum after each term and load it before the next,
// and LLVM cannot tell that no operand lies where the sum is. Here a thread
// carries its sums, those of neighbouring elements, and stores them once, or
// what an elementwise operation makes of them that alone reads them:
//
//   scf.parallel (row, column) {
//     %sums = scf.for (term) { .. }
//     vector.store (map %sums)
//   }
//
// On a GPU the sums are numbers, of which vectors are made to store them. On a
// CPU they are a vector, of several registers: sums that do not wait for each
// other keep its units busy.
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
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include <numeric>

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVREDUCEINREGISTERS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Bits of the numbers that hold most sums.
static constexpr int64_t kWide = 32;

/// The bytes of the sums that a thread has: on a GPU what it stores at once, on
/// a CPU half of the registers.
static int64_t getSumBytes(const TargetInfo &target) {
  constexpr int64_t gpuBytes = 16;
  return target.isGpu ? gpuBytes
                      : target.vectorBits / 8 * target.vectorRegisters / 2;
}

namespace {
class Reducer {
public:
  Reducer(RewriterBase &rewriter, linalg::GenericOp op)
      : rewriter(rewriter), op(op), loc(op.getLoc()),
        init(*op.getDpsInitOperand(0)), buffer(init.get()),
        isGpu(getTargetInfo(op).isGpu),
        sumBytes(getSumBytes(getTargetInfo(op))) {}

  bool match();
  void rewrite();

private:
  /// The elementwise operation behind `op` that alone reads its result, or
  /// null.
  linalg::GenericOp findReader();
  bool isReader(linalg::GenericOp user);
  /// On a GPU buffers and pieces of rows lie at multiples of vectors.
  llvm::MaybeAlign align(VectorType type) const {
    if (!isGpu)
      return {};
    return llvm::MaybeAlign(length * type.getElementTypeBitWidth() / 8);
  }
  bool hasVectors() const { return !isGpu && length > 1; }
  bool allowsVectors(linalg::GenericOp op, unsigned dim, int64_t &size) const;
  void chooseLength();
  /// `value` for each of `length` elements.
  SmallVector<Value> spread(Value value);
  /// What lies at the iteration `ivs` of an operation: `length` elements of an
  /// operand, or one for all of them; or a vector of them.
  SmallVector<Value> load(OpOperand &operand, ValueRange ivs);
  void store(OpOperand &operand, ValueRange elements, ValueRange ivs);
  void clone(Operation &op, IRMapping &mapping);
  /// What the body of `op` makes of its operands, of which `sums` are known.
  SmallVector<Value> compute(linalg::GenericOp op, OpOperand &known,
                             ValueRange sums, ValueRange ivs);
  /// The loops that reduce.
  SmallVector<Value> emitLoops(ArrayRef<unsigned> loops, ValueRange sums);
  void emitResults(ValueRange sums);

  RewriterBase &rewriter;
  linalg::GenericOp op;
  Location loc;
  OpOperand &init;
  Value buffer;
  bool isGpu;
  int64_t sumBytes;
  linalg::GenericOp reader;
  /// The loop over neighbouring results, and how many of them a thread has.
  unsigned inner = 0;
  int64_t length = 1;
  SmallVector<Range> ranges;
  SmallVector<Value> ivs;
};
} // namespace

//===----------------------------------------------------------------------===//
// What is rewritten
//===----------------------------------------------------------------------===//

bool Reducer::match() {
  AffineMap results = op.getMatchingIndexingMap(&init);
  SmallVector<unsigned> reducing;
  op.getReductionDims(reducing);
  auto isReduced = [&](unsigned dim) { return results.isFunctionOfDim(dim); };
  if (op.hasIndexSemantics() || !hasPureBody(op) ||
      op.getNumParallelLoops() == 0 || !results.isProjectedPermutation() ||
      results.getNumResults() != op.getNumParallelLoops() ||
      llvm::any_of(reducing, isReduced))
    return false;
  for (OpOperand *input : op.getDpsInputOperands())
    if (!op.getMatchingIndexingMap(input).isProjectedPermutation() ||
        getWholeBuffer(input->get()) == getWholeBuffer(init.get()))
      return false;
  return true;
}

/// Whether `user` can be where `op` is: what lies between does nothing to
/// memory, and `user` writes a buffer that neither of them reads.
bool Reducer::isReader(linalg::GenericOp user) {
  if (user.hasIndexSemantics() || user.getNumDpsInits() != 1 ||
      !hasPureBody(user) || user.getNumParallelLoops() != user.getNumLoops() ||
      user.getNumLoops() != op.getNumParallelLoops())
    return false;
  for (OpOperand &operand : user->getOpOperands()) {
    AffineMap map = user.getMatchingIndexingMap(&operand);
    bool isWhole = operand.get() == buffer || user.isDpsInit(&operand);
    if (isWhole ? !map.isIdentity() : !map.isProjectedPermutation())
      return false;
  }
  if (user.payloadUsesValueFromOperand(user.getDpsInitOperand(0)))
    return false;
  Value written = getWholeBuffer(user.getDpsInits()[0]);
  for (linalg::GenericOp each : {op, user})
    for (Value input : each.getDpsInputs())
      if (isa<MemRefType>(input.getType()) &&
          (!isApart(getWholeBuffer(input)) || getWholeBuffer(input) == written))
        return false;
  for (Operation *between = op->getNextNode(); between != user;
       between = between->getNextNode())
    if (!isMemoryEffectFree(between) && !isa<memref::AllocOp>(between))
      return false;
  return isApart(written);
}

linalg::GenericOp Reducer::findReader() {
  // A buffer from outside of a loop brings sums to its next iteration. Results
  // whose order differs from that of the loops are rare.
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc->getBlock() != op->getBlock() ||
      !llvm::is_sorted(op.getMatchingIndexingMap(&init).getResults(),
                       [](AffineExpr a, AffineExpr b) {
                         return cast<AffineDimExpr>(a).getPosition() <
                                cast<AffineDimExpr>(b).getPosition();
                       }))
    return {};
  linalg::GenericOp found;
  for (Operation *user : buffer.getUsers()) {
    if (user == op || isa<memref::DeallocOp>(user))
      continue;
    // What gives a buffer may give this one under another name.
    if (user->getBlock() != op->getBlock() ||
        llvm::any_of(user->getResultTypes(), llvm::IsaPred<BaseMemRefType>))
      return {};
    if (user->isBeforeInBlock(op))
      continue;
    auto generic = dyn_cast<linalg::GenericOp>(user);
    if (!generic || !isReader(generic))
      return {};
    found = generic;
  }
  return found;
}

/// Whether `op` can have vectors along its loop `dim`, of a length that divides
/// `size`, which this changes.
bool Reducer::allowsVectors(linalg::GenericOp op, unsigned dim,
                            int64_t &size) const {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isFunctionOfDim(dim))
      continue;
    auto type = cast<MemRefType>(operand.get().getType());
    Type element = type.getElementType();
    if (map.getDimPosition(map.getNumResults() - 1) != dim ||
        !type.getLayout().isIdentity() || !isPacked(element))
      return false;
    // On a CPU narrow numbers become wider ones to be added up.
    int64_t bits = element.getIntOrFloatBitWidth();
    size =
        std::gcd(size, sumBytes * 8 / (isGpu ? bits : std::max(bits, kWide)));
  }
  return isGpu || llvm::all_of(*op.getBody(), [](Operation &inner) {
           return isa<linalg::YieldOp>(inner) ||
                  inner.hasTrait<OpTrait::ConstantLike>() ||
                  OpTrait::hasElementwiseMappableTraits(&inner);
         });
}

/// As many results as are a vector of each operand that has several elements
/// for them.
void Reducer::chooseLength() {
  inner = op.getMatchingIndexingMap(&init).getDimPosition(
      op.getNumParallelLoops() - 1);
  int64_t size = op.getStaticLoopRanges()[inner];
  if (ShapedType::isDynamic(size) || !allowsVectors(op, inner, size))
    return;
  if (!reader || allowsVectors(reader, reader.getNumLoops() - 1, size))
    length = size;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

static AffineMap getMap(OpOperand &operand) {
  return cast<linalg::LinalgOp>(operand.getOwner())
      .getMatchingIndexingMap(&operand);
}

SmallVector<Value> Reducer::spread(Value value) {
  if (!hasVectors())
    return SmallVector<Value>(length, value);
  auto type = VectorType::get(length, value.getType());
  return {vector::BroadcastOp::create(rewriter, loc, type, value)};
}

SmallVector<Value> Reducer::load(OpOperand &operand, ValueRange ivs) {
  Value from = operand.get();
  if (!isa<MemRefType>(from.getType()))
    return spread(from);
  SmallVector<Value> indices = getIndices(operand, ivs);
  bool isOfReader = operand.getOwner() != op;
  unsigned dim = isOfReader ? reader.getNumLoops() - 1 : inner;
  if (length == 1 || !getMap(operand).isFunctionOfDim(dim))
    return spread(memref::LoadOp::create(rewriter, loc, from, indices));
  auto type = VectorType::get(length, getElementTypeOrSelf(from));
  Value vector = vector::LoadOp::create(rewriter, loc, type, from, indices,
                                        /*nontemporal=*/false, align(type));
  if (hasVectors())
    return {vector};
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < length; ++lane)
    elements.push_back(vector::ExtractOp::create(rewriter, loc, vector, lane));
  return elements;
}

void Reducer::store(OpOperand &operand, ValueRange elements, ValueRange ivs) {
  SmallVector<Value> indices = getIndices(operand, ivs);
  Value value = elements.front();
  if (length == 1) {
    memref::StoreOp::create(rewriter, loc, value, operand.get(), indices);
    return;
  }
  auto type = VectorType::get(length, getElementTypeOrSelf(operand.get()));
  if (!hasVectors())
    value = vector::FromElementsOp::create(rewriter, loc, type, elements);
  vector::StoreOp::create(rewriter, loc, value, operand.get(), indices,
                          /*nontemporal=*/false, align(type));
}

/// Clones an operation of a body, on vectors where any operand is one.
void Reducer::clone(Operation &op, IRMapping &mapping) {
  auto isVector = [](Value value) { return isa<VectorType>(value.getType()); };
  SmallVector<Value> operands =
      llvm::map_to_vector(op.getOperands(), [&](Value value) {
        return mapping.lookupOrDefault(value);
      });
  if (llvm::none_of(operands, isVector)) {
    rewriter.clone(op, mapping);
    return;
  }
  for (Value &operand : operands)
    if (!isVector(operand))
      operand = spread(operand).front();
  SmallVector<Type> types =
      llvm::map_to_vector(op.getResultTypes(), [&](Type type) -> Type {
        return VectorType::get(length, type);
      });
  Operation *copy = rewriter.create(loc, op.getName().getIdentifier(), operands,
                                    types, op.getAttrs());
  mapping.map(op.getResults(), copy->getResults());
}

SmallVector<Value> Reducer::compute(linalg::GenericOp op, OpOperand &known,
                                    ValueRange sums, ValueRange ivs) {
  SmallVector<SmallVector<Value>> operands;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isKnown = operand.get() == known.get();
    bool isRead = op.payloadUsesValueFromOperand(&operand);
    operands.push_back(isKnown  ? llvm::to_vector_of<Value>(sums)
                       : isRead ? load(operand, ivs)
                                : SmallVector<Value>(sums.size()));
  }
  SmallVector<Value> results;
  for (size_t part = 0; part < sums.size(); ++part) {
    IRMapping mapping;
    for (auto [argument, parts] :
         llvm::zip_equal(op.getBody()->getArguments(), operands))
      if (parts[part])
        mapping.map(argument, parts[part]);
    for (Operation &inner : op.getBody()->without_terminator())
      clone(inner, mapping);
    Value yielded = op.getBody()->getTerminator()->getOperand(0);
    Value result = mapping.lookupOrDefault(yielded);
    bool isWhole = !hasVectors() || isa<VectorType>(result.getType());
    results.push_back(isWhole ? result : spread(result).front());
  }
  return results;
}

SmallVector<Value> Reducer::emitLoops(ArrayRef<unsigned> loops,
                                      ValueRange sums) {
  if (loops.empty())
    return compute(op, init, sums, ivs);
  Value zero = arith::ConstantIndexOp::create(rewriter, loc, 0);
  Value one = arith::ConstantIndexOp::create(rewriter, loc, 1);
  Value end = getValueOrCreateConstantIndexOp(rewriter, loc,
                                              ranges[loops.front()].size);
  auto loop = scf::ForOp::create(rewriter, loc, zero, end, one, sums);
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(loop.getBody());
  ivs[loops.front()] = loop.getInductionVar();
  scf::YieldOp::create(rewriter, loc,
                       emitLoops(loops.drop_front(), loop.getRegionIterArgs()));
  return llvm::to_vector_of<Value>(loop.getResults());
}

/// Stores the sums, or what the reader makes of them.
void Reducer::emitResults(ValueRange sums) {
  if (!reader)
    return store(init, sums, ivs);
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  SmallVector<Value> own =
      llvm::map_to_vector(parallel, [&](unsigned dim) { return ivs[dim]; });
  store(*reader.getDpsInitOperand(0), compute(reader, init, sums, own), own);
}

void Reducer::rewrite() {
  reader = findReader();
  chooseLength();
  rewriter.setInsertionPoint(reader ? reader : op);
  ranges = cast<linalg::LinalgOp>(*op).createLoopRanges(rewriter, loc);
  ivs.resize(ranges.size());
  Value start = takeStart(op, buffer);
  SmallVector<unsigned> parallel, reducing;
  op.getParallelDims(parallel);
  op.getReductionDims(reducing);
  SmallVector<Range> outer;
  SmallVector<int64_t> steps;
  for (unsigned i : parallel) {
    outer.push_back(ranges[i]);
    steps.push_back(i == inner ? length : 1);
  }
  auto loops = createParallelLoops(rewriter, loc, outer, steps);
  rewriter.setInsertionPointToStart(loops.getBody());
  for (auto [i, iv] : llvm::zip_equal(parallel, loops.getInductionVars()))
    ivs[i] = iv;
  emitResults(emitLoops(reducing, start ? spread(start) : load(init, ivs)));
  if (reader)
    rewriter.eraseOp(reader);
  rewriter.eraseOp(op);
}

namespace {
struct ReduceInRegisters
    : mlir::sparseconv::impl::SparseConvReduceInRegistersBase<
          ReduceInRegisters> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<linalg::GenericOp> found;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (op.hasPureBufferSemantics() && op.getNumDpsInits() == 1 &&
          op.getNumReductionLoops() > 0)
        found.push_back(op);
    });
    for (linalg::GenericOp op : found) {
      Reducer reducer(rewriter, op);
      if (reducer.match())
        reducer.rewrite();
    }
    eraseUnread(getOperation());
  }
};
} // namespace
