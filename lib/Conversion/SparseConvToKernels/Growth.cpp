//===- Growth.cpp - sets whose bounds multiply ----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bound that geometry gives multiplies along a chain: three covers of a
// window of 3 at stride 2 may reach 8 * 8 * 8 coordinates for each of the first
// set, but on a scan they stay near its size. Memory for such sets starts
// small.
//
//===----------------------------------------------------------------------===//

#include "Growth.h"
#include "Patterns.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Up to so many times the rows that a set stems from, its bound is memory
/// enough.
static constexpr int64_t kMostMultiple = 2;

namespace {
/// For each set, how many times the rows that it stems from its memory holds.
class Growth {
public:
  void mark(Operation *op);

private:
  /// How many times the rows of its operand an operation may make, where that
  /// is not the other way about.
  std::optional<int64_t> getReach(Operation *op);
  int64_t getMultiple(Value set);
  /// The same for the result of `op`, by its bound alone.
  int64_t getBound(Operation *op);

  llvm::DenseMap<Value, int64_t> known;
};
} // namespace

/// Of the operations that spread a set by offsets: none where the program gives
/// a capacity.
template <typename OpTy>
static std::optional<int64_t> getSpread(OpTy op, OffsetSetInterface offsets,
                                        CoordsType finer) {
  if (op.getCapacity())
    return std::nullopt;
  // The sign of the displacements does not change how many agree.
  return mlir::sparseconv::getReach(
      getDisplacements(offsets, finer.getStride(), /*negate=*/false),
      op.getResult().getType().getStride());
}

std::optional<int64_t> Growth::getReach(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
      .Case([](DownsampleOp op) -> std::optional<int64_t> {
        if (op.getRule() == OutputRule::Floor)
          return std::nullopt;
        return getSpread(op, *op.getOffsets(), op.getCoords().getType());
      })
      .Case([](UpsampleOp op) {
        return getSpread(op, op.getEffectiveOffsets(),
                         op.getResult().getType());
      })
      .Case([](SubdivideOp op) -> std::optional<int64_t> {
        // There are not more coordinates than points, whose number is known.
        if (op.getPointsOrder())
          return std::nullopt;
        return op.getNumCells();
      })
      .Case([](ExpandOp op) {
        return getSpread(op, op.getOffsets(), op.getCoords().getType());
      })
      .Case([](UnionOp) { return std::optional<int64_t>(2); })
      .Default(std::optional<int64_t>());
}

/// Whether a set has as many coordinates as its bound says, unless points
/// repeat: all cells of points.
static bool isExact(Value set) {
  Operation *op = set.getDefiningOp();
  if (auto pack = dyn_cast_or_null<PackOp>(op))
    return !pack.getClip();
  if (auto upsample = dyn_cast_or_null<UpsampleOp>(op))
    return upsample.makesAllCells() && isExact(upsample.getCoords());
  return isa_and_nonnull<SubdivideOp, RescaleOp>(op) &&
         isExact(op->getOperand(0));
}

int64_t Growth::getBound(Operation *op) {
  if (auto merge = dyn_cast<UnionOp>(op))
    return getMultiple(merge.getLhs()) + getMultiple(merge.getRhs());
  if (auto merge = dyn_cast<IntersectionOp>(op))
    return std::min(getMultiple(merge.getLhs()), getMultiple(merge.getRhs()));
  if (std::optional<int64_t> reach = getReach(op))
    return *reach * getMultiple(op->getOperand(0));
  if (isa<PruneOp, RescaleOp>(op))
    return getMultiple(op->getOperand(0));
  if (auto floor = dyn_cast<DownsampleOp>(op);
      floor && floor.getRule() == OutputRule::Floor)
    return getMultiple(floor.getCoords());
  // Points, or a capacity of the program's.
  return isa_and_nonnull<SparseConvDialect>(op->getDialect()) ? 1
                                                              : kMostMultiple;
}

int64_t Growth::getMultiple(Value set) {
  auto it = known.find(set);
  if (it != known.end())
    return it->second;
  int64_t multiple = kMostMultiple;
  if (Operation *op = set.getDefiningOp())
    multiple = std::min(getBound(op), kMostMultiple);
  known[set] = multiple;
  return multiple;
}

void Growth::mark(Operation *op) {
  std::optional<int64_t> reach = getReach(op);
  if (reach && getBound(op) > kMostMultiple && !isExact(op->getResult(0)))
    op->setAttr(SparseConvDialect::kReachAttrName,
                Builder(op).getI64IntegerAttr(*reach));
  // In program order, so that what an operation asks for is known.
  for (Value result : op->getResults())
    if (isa<CoordsType>(result.getType()))
      getMultiple(result);
}

void mlir::sparseconv::markGrowingSets(ModuleOp module) {
  Growth growth;
  module.walk([&](Operation *op) { growth.mark(op); });
}
