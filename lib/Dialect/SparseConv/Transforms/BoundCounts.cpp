//===- BoundCounts.cpp - numbers of the device, with bounds ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Support/Status.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVBOUNDCOUNTS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether the size of a buffer depends on `number`.
static bool isUsedAsSize(Value number) {
  SmallVector<Value> work = {number};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!work.empty())
    for (Operation *user : work.pop_back_val().getUsers()) {
      if (isa<memref::AllocOp>(user))
        return true;
      if (isa_and_nonnull<arith::ArithDialect>(user->getDialect()) &&
          user->getResult(0).getType().isIntOrIndex() &&
          seen.insert(user).second)
        work.push_back(user->getResult(0));
    }
  return false;
}

/// Every dynamic size of an argument becomes a number of the device, passed as
/// a buffer of its own; so does a scalar argument.
static LogicalResult passSizes(func::FuncOp function) {
  OpBuilder builder = OpBuilder::atBlockBegin(&function.front());
  auto slotType = MemRefType::get({1}, builder.getIndexType());
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
    BlockArgument argument = function.getArgument(i);
    Value number;
    if (argument.getType().isIndex() && isUsedAsSize(argument)) {
      // The rows of a buffer, which takes no memory, have a capacity.
      number = arith::ConstantIndexOp::create(builder, function.getLoc(), 0);
      argument.replaceAllUsesWith(number);
      argument.setType(
          MemRefType::get({ShapedType::kDynamic, 0}, builder.getI8Type()));
    } else if (argument.getType().isIntOrIndexOrFloat()) {
      argument.setType(MemRefType::get({1}, argument.getType()));
      Value scalar = DeviceScalarOp::create(builder, function.getLoc(),
                                            argument, /*bound=*/Value());
      argument.replaceAllUsesExcept(scalar, scalar.getDefiningOp());
      continue;
    }
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type)
      continue;
    SmallVector<Operation *> dims;
    for (Operation *user : argument.getUsers())
      if (isa<memref::DimOp>(user))
        dims.push_back(user);
    for (int64_t axis = 0; axis < type.getRank(); ++axis) {
      if (!type.isDynamicDim(axis))
        continue;
      unsigned position = function.getNumArguments();
      NamedAttribute sizeOf = makeSizeOf(builder.getContext(), {i, axis});
      if (failed(function.insertArgument(position, slotType,
                                         builder.getDictionaryAttr(sizeOf),
                                         argument.getLoc())))
        return failure();
      Location loc = function.getLoc();
      Value capacity = memref::DimOp::create(
          builder, loc, argument,
          arith::ConstantIndexOp::create(builder, loc, axis));
      Value size = DeviceScalarOp::create(
          builder, loc, function.getArgument(position), capacity);
      for (Operation *user : dims)
        if (cast<memref::DimOp>(user).getConstantIndex() == axis)
          user->getResult(0).replaceAllUsesWith(size);
      if (number) {
        number.replaceAllUsesWith(size);
        number.getDefiningOp()->erase();
      }
    }
  }
  function.setFunctionType(
      builder.getFunctionType(function.front().getArgumentTypes(),
                              function.getFunctionType().getResults()));
  return success();
}

/// The count of a kernel operation: its last destination, where that is one.
static OpOperand *getCount(Operation *op) {
  DestinationStyleOpInterface kernel = getKernel(op);
  if (!kernel)
    return nullptr;
  OpOperand *last = kernel.getDpsInitOperand(kernel.getNumDpsInits() - 1);
  auto type = dyn_cast<MemRefType>(last->get().getType());
  bool isCount = type && type.getElementType().isIndex() &&
                 type.getShape() == ArrayRef<int64_t>{1};
  return isCount ? last : nullptr;
}

/// Lets `buffer`, which `op` is the first to write, have `rows` rows. What is
/// not the function's own, or is seen before, stays as it is.
static void resize(Value buffer, Value rows, Operation *op) {
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  if (!alloc || alloc.getDynamicSizes().size() != 1 ||
      alloc->getBlock() != op->getBlock())
    return;
  for (Operation *user : alloc->getUsers()) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    if (!ancestor || ancestor->isBeforeInBlock(op))
      return;
  }
  alloc->moveBefore(op);
  alloc.getDynamicSizesMutable().assign(rows);
}

/// The bound of the count of `op`, whose list has `room` keys at most: that of
/// its set, or a capacity that grows. `lists`, which it writes, take no more
/// memory.
template <typename OpTy>
static Value boundSet(OpBuilder &builder, OpTy op, Value room,
                      ValueRange lists) {
  Location loc = op.getLoc();
  // At least one row: MLIR has no form in LLVM for loads of a static buffer
  // without elements, which a clip without cells would make.
  int64_t most = std::max<int64_t>(
      1,
      std::min<int64_t>(op.getCapacity(), op.getCells().value_or(INT64_MAX)));
  Value bound = builder.createOrFold<arith::MinUIOp>(
      loc, room, arith::ConstantIndexOp::create(builder, loc, most));
  Value rows = bound;
  if (op.getReach() && !getConstantIntValue(room)) {
    Value source = builder.createOrFold<arith::CeilDivUIOp>(
        loc, room,
        arith::ConstantIndexOp::create(builder, loc, *op.getReach()));
    auto capacity =
        GrowableCapacityOp::create(builder, loc, source, bound, op.getOpId());
    bound = capacity.getCapacity();
    rows = DeviceScalarOp::create(builder, loc, capacity.getLimit(), bound);
    op.getLimitMutable().assign(rows);
  } else if (most == ::sparseconv::kMaxRows) {
    return bound;
  }
  for (Value list : lists)
    resize(list, rows, op);
  return bound;
}

/// Gives each count a buffer that is written once, and a bound: the rows for
/// which the first destination has room, or what is known besides. What only
/// counts, counts rows of its first operand. What reads a count has to be
/// where the operation that counts was run for sure.
static LogicalResult boundCounts(func::FuncOp function) {
  struct Count {
    Value buffer, bound;
  };
  llvm::DenseMap<Value, Count> latest;
  OpBuilder builder(function.getContext());
  SmallVector<Operation *> loads;
  WalkResult result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (auto load = dyn_cast<memref::LoadOp>(op)) {
      auto it = latest.find(load.getMemRef());
      if (it == latest.end())
        return WalkResult::advance();
      if (!it->second.buffer.getParentBlock()->findAncestorOpInBlock(*op)) {
        op->emitOpError("reads a count of a branch or loop that it is not in");
        return WalkResult::interrupt();
      }
      builder.setInsertionPoint(op);
      Value scalar = DeviceScalarOp::create(
          builder, op->getLoc(), it->second.buffer, it->second.bound);
      load.getResult().replaceAllUsesWith(scalar);
      loads.push_back(op);
      return WalkResult::advance();
    }
    if (!getCount(op))
      return WalkResult::advance();
    builder.setInsertionPoint(op);
    Location loc = op->getLoc();
    auto kernel = cast<DestinationStyleOpInterface>(op);
    Value list = kernel.getNumDpsInits() == 1 ? op->getOperand(0)
                                              : kernel.getDpsInits()[0];
    Value bound = builder.createOrFold<memref::DimOp>(
        loc, list, arith::ConstantIndexOp::create(builder, loc, 0));
    if (auto unique = dyn_cast<UniqueOp>(op))
      bound = boundSet(builder, unique, bound,
                       {unique.getKeys(), unique.getOrder()});
    else if (auto cover = dyn_cast<CoverOp>(op))
      bound = boundSet(builder, cover, bound, cover.getCoarse());
    else if (auto cells = dyn_cast<SubdivideKernelOp>(op))
      bound = boundSet(builder, cells, bound,
                       {cells.getFine(), cells.getRows(), cells.getOrder()});
    OpOperand *count = getCount(op); // behind all other operands
    Value buffer = memref::AllocOp::create(
        builder, loc, cast<MemRefType>(count->get().getType()));
    latest[count->get()] = {buffer, bound};
    count->set(buffer);
    return WalkResult::advance();
  });
  for (Operation *load : loads)
    load->erase();
  return failure(result.wasInterrupted());
}

namespace {
struct BoundCounts
    : mlir::sparseconv::impl::SparseConvBoundCountsBase<BoundCounts> {
  void runOnOperation() override {
    // What a private function's callers pass stays as it is.
    if (!getOperation().isPublic() || getOperation().isDeclaration())
      return;
    if (failed(boundCounts(getOperation())) ||
        failed(passSizes(getOperation())))
      signalPassFailure();
  }
};
} // namespace
