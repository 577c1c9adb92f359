//===- FindEqualRows.cpp - arguments with equally many rows ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/Transforms/EqualRows.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFINDEQUALROWS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// Numbers of rows of one function in classes: those of a class are equal in
/// every call that does not end with an error.
class RowClasses {
public:
  explicit RowClasses(func::FuncOp function);

  bool areEqual(Value a, Value b) const {
    return classes.isEquivalent(getKey(a), getKey(b));
  }

private:
  using Key = std::pair<Value, unsigned>;
  static Key getKey(RowCount count) {
    return {count.source, count.side ? 1 + unsigned(*count.side) : 0};
  }
  static Key getKey(Value value) { return {value, 0}; }

  void join(RowCount a, RowCount b) { classes.unionSets(getKey(a), getKey(b)); }
  void join(Value a, Value b) { join({a, {}}, {b, {}}); }
  void join(Value tensor, Value map, MapSide side) {
    join({tensor, {}}, countRows(map, side));
  }
  void follow(Value value);
  void joinOperands(Operation *op);
  void joinOperands(linalg::LinalgOp op);
  void joinOperands(ConvOp op);

  llvm::EquivalenceClasses<Key> classes;
};
} // namespace

/// Joins a result with what its rows come from.
void RowClasses::follow(Value value) {
  RowCount count{value, std::nullopt};
  for (RowCount next = followCount(count); !(next == count);
       next = followCount(count)) {
    join(count, next);
    count = next;
    // What an operation of the block gives has been followed before.
    if (!count.side && isa<RankedTensorType>(count.source.getType()))
      return;
  }
}

/// Those whose rows are the same loop.
void RowClasses::joinOperands(linalg::LinalgOp op) {
  SmallVector<Value> firsts(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!isa<RankedTensorType>(operand.get().getType()) ||
        map.getNumResults() == 0 || !isa<AffineDimExpr>(map.getResult(0)))
      continue;
    Value &first = firsts[map.getDimPosition(0)];
    if (first)
      join(first, operand.get());
    else
      first = operand.get();
  }
}

void RowClasses::joinOperands(ConvOp op) {
  join(op.getX(), op.getMap(), MapSide::In);
  for (Value extra : op.getExtras())
    if (cast<RankedTensorType>(extra.getType()).getRank() == 2)
      join(extra, op.getMap(), MapSide::Out);
}

/// What an operation compares when it runs, or what its meaning says.
void RowClasses::joinOperands(Operation *op) {
  auto joinTensors = [&] {
    for (Value operand : op->getOperands())
      if (isa<RankedTensorType>(operand.getType()))
        join(operand, op->getResult(0));
  };
  TypeSwitch<Operation *>(op)
      .Case([&](PackOp op) {
        if (op.getInOrder())
          join(op.getPoints(), op.getCoords());
      })
      .Case([&](GatherOp op) {
        // A row of `order` is the number of a point.
        auto pack = op.getRows().getDefiningOp<PackOp>();
        if (pack && op.getRows() == pack.getOrder())
          join(op.getX(), pack.getPoints());
      })
      .Case<ConvOp, linalg::LinalgOp>([&](auto op) { joinOperands(op); })
      .Case(
          [&](InputGradOp op) { join(op.getDy(), op.getMap(), MapSide::Out); })
      .Case([&](WeightGradOp op) {
        join(op.getX(), op.getMap(), MapSide::In);
        join(op.getDy(), op.getMap(), MapSide::Out);
      })
      .Case([&](PoolOp op) { join(op.getX(), op.getMap(), MapSide::In); })
      .Case([&](PoolGradOp op) {
        join(op.getDy(), op.getMap(), MapSide::Out);
        if (op.getX())
          join(op.getX(), op.getMap(), MapSide::In);
      })
      .Case([&](UnpoolOp op) { join(op.getX(), op.getMap(), MapSide::Out); })
      .Case<GlobalPoolOp, DevoxeliseOp, ToDenseOp>(
          [&](auto op) { join(op.getX(), op.getCoords()); })
      .Case([&](GlobalPoolGradOp op) {
        if (op.getX())
          join(op.getX(), op.getCoords());
      })
      .Case([&](ScatterOp op) { join(op.getX(), op.getRows()); })
      .Case([&](VoxeliseOp op) { join(op.getX(), op.getPoints()); })
      .Case([&](PruneOp op) { join(op.getMask(), op.getCoords()); })
      .Case([&](MapFromTableOp op) { join(op.getTable(), op.getOut()); })
      .Case([&](tensor::ConcatOp op) {
        if (op.getDim() != 0)
          joinTensors();
      })
      .Default([&](Operation *op) {
        if (OpTrait::hasElementwiseMappableTraits(op))
          joinTensors();
      });
}

RowClasses::RowClasses(func::FuncOp function) {
  for (Operation &op : function.getBody().front()) {
    joinOperands(&op);
    for (Value result : op.getResults())
      if (isa<RankedTensorType>(result.getType()))
        follow(result);
  }
  for (BlockArgument argument : function.getArguments())
    if (auto other = getEqualRows(function, argument.getArgNumber()))
      join(argument, function.getArgument(*other));
}

void mlir::sparseconv::findEqualRows(func::FuncOp function) {
  // A set or map becomes other arguments, whose names are others.
  if (function.isExternal() ||
      llvm::any_of(function.getArgumentTypes(),
                   llvm::IsaPred<CoordsType, KernelMapType>))
    return;
  RowClasses classes(function);
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    for (unsigned other = 0; other < number; ++other) {
      if (!classes.areEqual(argument, function.getArgument(other)))
        continue;
      function.setArgAttr(number, kRowsAttr,
                          StringAttr::get(function.getContext(),
                                          getArgumentName(function, other)));
      // The sizes of types are those of types, and a name may be another's.
      if (getEqualRows(function, number) == other)
        break;
      function.removeArgAttr(number, kRowsAttr);
    }
  }
}

namespace {
struct FindEqualRows
    : mlir::sparseconv::impl::SparseConvFindEqualRowsBase<FindEqualRows> {
  void runOnOperation() override { findEqualRows(getOperation()); }
};
} // namespace
