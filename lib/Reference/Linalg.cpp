//===- Linalg.cpp - structured operations, through their interface --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A structured operation is its iteration space, one indexing map for each
// operand and a body. The loops that every result is indexed by are taken
// kLanes points at a time. All other loops run inside, in order, so that a
// reduction adds one term after the other to lanes that stay in place.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "Tape.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include <cstring>
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

namespace {

/// Where an operand's element lies: base + sum of stride * loop counter.
struct Access {
  /// Null for a scalar operand.
  const DenseValue *tensor = nullptr;
  int64_t base = 0;
  SmallVector<int64_t> strides;
  /// Does a loop outside the lanes move it?
  bool moves = false;
};

class Structured {
public:
  Structured(linalg::LinalgOp op, Frame &frame) : op(op), frame(frame) {}

  llvm::Error run();

private:
  friend class LaneBlock;

  /// The sizes of the loops. Those that types state decide.
  llvm::Error findSizes();
  llvm::Error findSizes(bool isStatic);
  llvm::Error findAccesses();
  llvm::Expected<Access> makeAccess(OpOperand &operand);
  llvm::Error runBlocks(const Tape &tape);
  /// The counters of `dims` at flat position `position`.
  void decode(ArrayRef<unsigned> dims, int64_t position,
              MutableArrayRef<int64_t> counters) const;
  int64_t countPoints(ArrayRef<unsigned> dims) const;

  linalg::LinalgOp op;
  Frame &frame;
  SmallVector<int64_t> sizes;
  SmallVector<unsigned> laneDims, innerDims;
  SmallVector<Access> accesses;
  std::vector<Elements> results;
};

} // namespace

llvm::Error Structured::findSizes() {
  sizes.assign(op.getNumLoops(), -1);
  for (bool isStatic : {true, false})
    if (llvm::Error error = findSizes(isStatic))
      return error;
  if (llvm::is_contained(sizes, -1))
    return makeError(op, "a loop has a size that no operand names");
  return llvm::Error::success();
}

llvm::Error Structured::findSizes(bool isStatic) {
  // Results indexed by a plain dimension name its size; others must agree.
  for (OpOperand &operand : op->getOpOperands()) {
    const auto *tensor = std::get_if<DenseValue>(&frame.get(operand.get()));
    if (!tensor)
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      auto type = cast<RankedTensorType>(operand.get().getType());
      if (!dim || type.isDynamicDim(axis) == isStatic)
        continue;
      int64_t &size = sizes[dim.getPosition()];
      if (size < 0)
        size = tensor->shape[axis];
      else if (size != tensor->shape[axis])
        return makeShapeMismatch(op, operand.getOperandNumber(), axis,
                                 tensor->shape[axis], size);
    }
  }
  return llvm::Error::success();
}

llvm::Expected<Access> Structured::makeAccess(OpOperand &operand) {
  Access access;
  access.strides.assign(sizes.size(), 0);
  access.tensor = std::get_if<DenseValue>(&frame.get(operand.get()));
  if (!access.tensor)
    return access;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  int64_t step = 1;
  for (int64_t axis = access.tensor->shape.size() - 1; axis >= 0; --axis) {
    AffineMap index = map.getSubMap({static_cast<unsigned>(axis)});
    SmallVector<int64_t> counters(sizes.size(), 0);
    int64_t origin = index.compose(counters)[0];
    int64_t lowest = origin, highest = origin;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      counters[dim] = 1;
      int64_t stride = index.compose(counters)[0] - origin, reach;
      counters[dim] = 0;
      access.strides[dim] += stride * step;
      int64_t &end = stride < 0 ? lowest : highest;
      if (llvm::MulOverflow(stride, std::max<int64_t>(sizes[dim] - 1, 0),
                            reach) ||
          llvm::AddOverflow(end, reach, end))
        return makeError(op, "an indexing map passes 2^63");
    }
    bool isLinear = true;
    index.walkExprs([&](AffineExpr expr) {
      isLinear &=
          !llvm::is_contained({AffineExprKind::Mod, AffineExprKind::FloorDiv,
                               AffineExprKind::CeilDiv},
                              expr.getKind());
    });
    if (!isLinear)
      return makeError(op, "the reference needs linear indexing maps");
    bool isEmpty = llvm::is_contained(sizes, 0);
    if (!isEmpty && (lowest < 0 || highest >= access.tensor->shape[axis]))
      return makeShapeMismatch(op, operand.getOperandNumber(), axis,
                               access.tensor->shape[axis], highest + 1);
    access.base += origin * step;
    step *= access.tensor->shape[axis];
  }
  return access;
}

llvm::Error Structured::findAccesses() {
  for (OpOperand &operand : op->getOpOperands()) {
    auto access = makeAccess(operand);
    if (!access)
      return access.takeError();
    accesses.push_back(std::move(*access));
  }
  for (unsigned dim = 0; dim < sizes.size(); ++dim) {
    bool isLane = true;
    for (OpOperand &init : op.getDpsInitsMutable())
      isLane &=
          llvm::is_contained(op.getMatchingIndexingMap(&init).getResults(),
                             getAffineDimExpr(dim, op.getContext()));
    (isLane ? laneDims : innerDims).push_back(dim);
  }
  for (Access &access : accesses)
    for (unsigned dim : innerDims)
      access.moves |= access.strides[dim] != 0 && sizes[dim] > 1;
  return llvm::Error::success();
}

int64_t Structured::countPoints(ArrayRef<unsigned> dims) const {
  int64_t count = 1;
  for (unsigned dim : dims)
    count *= sizes[dim];
  return count;
}

void Structured::decode(ArrayRef<unsigned> dims, int64_t position,
                        MutableArrayRef<int64_t> counters) const {
  for (unsigned dim : llvm::reverse(dims)) {
    counters[dim] = position % sizes[dim];
    position /= sizes[dim];
  }
}

static void load(Lanes lanes, const double *data, ArrayRef<int64_t> offsets,
                 int64_t n) {
  for (int64_t l = 0; l < n; ++l) {
    if (lanes.f)
      lanes.f[l] = data[offsets[l]];
    else
      lanes.i[l] = static_cast<int64_t>(data[offsets[l]]);
  }
}

static void store(Lanes lanes, double *data, ArrayRef<int64_t> offsets,
                  int64_t n) {
  for (int64_t l = 0; l < n; ++l)
    data[offsets[l]] = lanes.f ? lanes.f[l] : static_cast<double>(lanes.i[l]);
}

namespace {
/// Up to kLanes neighbouring points of the loops that results are indexed by,
/// and for each of them all iterations of the inner loops.
class LaneBlock {
public:
  LaneBlock(Structured &loops, const Tape &tape, int64_t start)
      : loops(loops), tape(tape),
        n(std::min(kLanes, loops.countPoints(loops.laneDims) - start)),
        numInputs(loops.op.getNumDpsInputs()),
        numArguments(loops.op.getBlock()->getNumArguments()),
        state(tape.makeState()), counters(loops.sizes.size(), 0),
        offsets(loops.accesses.size()),
        yielded(loops.op.getNumDpsInits(), std::vector<int64_t>(n)) {
    selectElements(start);
    loadFixedOperands();
  }

  /// Returns the operation that failed, if any, in `failed`.
  StatusCode run(Operation *&failed);

private:
  void selectElements(int64_t start);
  void loadOperand(unsigned number, int64_t shift);
  void loadFixedOperands();
  void loadMovingOperands();
  void storeYields(bool isLast);
  void passYields();

  /// How far the inner loops have moved an operand.
  int64_t getShift(const Access &access) const {
    int64_t shift = 0;
    for (unsigned dim : loops.innerDims)
      shift += access.strides[dim] * counters[dim];
    return shift;
  }

  Structured &loops;
  const Tape &tape;
  int64_t n;
  unsigned numInputs;
  /// Arguments stand for the operands in order; a body may have none for the
  /// inits, where it does not read them.
  unsigned numArguments;
  Tape::State state;
  SmallVector<int64_t> counters;
  /// For each operand the element that each lane selects.
  std::vector<std::vector<int64_t>> offsets;
  std::vector<std::vector<int64_t>> yielded;
};
} // namespace

/// Finds the elements that each lane selects, and the counters that the body
/// reads.
void LaneBlock::selectElements(int64_t start) {
  unsigned last = loops.laneDims.empty() ? 0 : loops.laneDims.back();
  for (auto [access, list] : llvm::zip_equal(loops.accesses, offsets))
    list.resize(access.tensor ? n : 0);
  for (int64_t l = 0; l < n; ++l) {
    bool isNewRow = l == 0 || ++counters[last] == loops.sizes[last];
    if (isNewRow)
      loops.decode(loops.laneDims, start + l, counters);
    for (auto [access, list] : llvm::zip_equal(loops.accesses, offsets)) {
      if (!access.tensor)
        continue;
      list[l] = isNewRow
                    ? std::inner_product(counters.begin(), counters.end(),
                                         access.strides.begin(), access.base)
                    : list[l - 1] + access.strides[last];
    }
    for (const Tape::Index &index : tape.getIndices())
      state[index.reg].i[l] = counters[index.dim];
  }
}

void LaneBlock::loadOperand(unsigned number, int64_t shift) {
  if (number >= numArguments)
    return;
  const double *data = number < numInputs
                           ? loops.accesses[number].tensor->begin()
                           : loops.results[number - numInputs].data();
  load(state[number], data + shift, offsets[number], n);
}

/// What no inner loop moves.
void LaneBlock::loadFixedOperands() {
  for (auto [number, access] : llvm::enumerate(loops.accesses)) {
    if (access.tensor && !access.moves)
      loadOperand(number, 0);
    if (access.tensor)
      continue;
    // A scalar operand is the same in every lane.
    const ReferenceValue &value = loops.frame.get(loops.op->getOperand(number));
    if (state[number].f)
      std::fill_n(state[number].f, n, std::get<double>(value));
    else
      std::fill_n(state[number].i, n, std::get<int64_t>(value));
  }
}

void LaneBlock::loadMovingOperands() {
  for (auto [number, access] : llvm::enumerate(loops.accesses))
    if (access.moves)
      loadOperand(number, getShift(access));
  for (const Tape::Index &index : tape.getIndices())
    if (llvm::is_contained(loops.innerDims, static_cast<unsigned>(index.dim)))
      std::fill_n(state[index.reg].i, n, counters[index.dim]);
}

void LaneBlock::storeYields(bool isLast) {
  for (auto [number, reg] : llvm::enumerate(tape.getYields())) {
    const Access &access = loops.accesses[numInputs + number];
    if (access.moves || isLast)
      store(state[reg],
            loops.results[number].data() +
                (access.moves ? getShift(access) : 0),
            offsets[numInputs + number], n);
  }
}

/// What an iteration yields, the next one has as arguments. A body may yield
/// its arguments in another order: all are read before any is replaced. Both
/// kinds of lanes are eight bytes wide.
void LaneBlock::passYields() {
  auto getBytes = [](Lanes lanes) -> void * {
    return lanes.f ? static_cast<void *>(lanes.f) : lanes.i;
  };
  for (auto [lanes, reg] : llvm::zip_equal(yielded, tape.getYields()))
    std::memcpy(lanes.data(), getBytes(state[reg]), n * sizeof(int64_t));
  for (auto [number, lanes] : llvm::enumerate(yielded))
    if (numInputs + number < numArguments)
      std::memcpy(getBytes(state[numInputs + number]), lanes.data(),
                  n * sizeof(int64_t));
}

StatusCode LaneBlock::run(Operation *&failed) {
  int64_t count = loops.countPoints(loops.innerDims);
  for (int64_t inner = 0; inner < count; ++inner) {
    loops.decode(loops.innerDims, inner, counters);
    loadMovingOperands();
    StatusCode code = tape.run(state, n, failed);
    if (code != StatusCode::None)
      return code;
    bool isLast = inner + 1 == count;
    storeYields(isLast);
    if (!isLast)
      passYields();
  }
  return StatusCode::None;
}

llvm::Error Structured::runBlocks(const Tape &tape) {
  int64_t count = countPoints(laneDims);
  if (count == 0 || countPoints(innerDims) == 0)
    return llvm::Error::success();
  int64_t numBlocks = (count + kLanes - 1) / kLanes;
  std::vector<StatusCode> codes(numBlocks, StatusCode::None);
  std::vector<Operation *> failed(numBlocks, nullptr);
  llvm::parallelFor(0, numBlocks, [&](size_t block) {
    codes[block] = LaneBlock(*this, tape, block * kLanes).run(failed[block]);
  });
  for (auto [code, culprit] : llvm::zip_equal(codes, failed)) {
    if (code == StatusCode::None)
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(code);
    return makeFailure(culprit, record);
  }
  return llvm::Error::success();
}

llvm::Error Structured::run() {
  if (!op.hasPureTensorSemantics())
    return makeError(op, "the reference needs tensors, not buffers");
  if (llvm::Error error = findSizes())
    return error;
  if (llvm::Error error = findAccesses())
    return error;
  auto tape = Tape::compile(*op.getBlock(), frame);
  if (!tape)
    return tape.takeError();
  for (Value init : op.getDpsInits()) {
    const DenseValue &dense = frame.getDense(init);
    if (llvm::Error error = checkElementCount(op, dense.shape))
      return error;
    results.push_back(*dense.data);
  }
  if (llvm::Error error = runBlocks(*tape))
    return error;
  for (auto [number, init] : llvm::enumerate(op.getDpsInits())) {
    SmallVector<int64_t, 4> shape = frame.getDense(init).shape;
    if (llvm::Error error = frame.setDense(op->getResult(number), shape,
                                           std::move(results[number])))
      return error;
  }
  return llvm::Error::success();
}

llvm::Error reference::runLinalg(Operation *op, Frame &frame) {
  return Structured(cast<linalg::LinalgOp>(op), frame).run();
}
