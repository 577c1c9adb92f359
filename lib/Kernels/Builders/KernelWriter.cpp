//===- KernelWriter.cpp - writes kernel operations on tensors -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/KernelWriter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

using namespace mlir;
using namespace mlir::sparseconv;

KernelWriter::KernelWriter(RewriterBase &rewriter, Operation *networkOp)
    : ImplicitLocOpBuilder(networkOp->getLoc(), rewriter), rewriter(rewriter) {
  auto function = networkOp->getParentOfType<FunctionOpInterface>();
  status = function.getFunctionBody().front().getArguments().back();
  opId = networkOp->getAttrOfType<IntegerAttr>(kOpIdAttr).getInt();
  if (auto attribute = networkOp->getAttrOfType<IntegerAttr>(
          SparseConvDialect::kReachAttrName))
    reach = attribute.getInt();
}

Value KernelWriter::index(int64_t value) {
  return arith::ConstantIndexOp::create(*this, value);
}

Value KernelWriter::dim(Value tensor, int64_t axis) {
  return getValueOrCreateConstantIndexOp(
      *this, getLoc(), tensor::getMixedSize(*this, getLoc(), tensor, axis));
}

Value KernelWriter::mul(Value lhs, Value rhs) {
  return createOrFold<arith::MulIOp>(lhs, rhs);
}

Value KernelWriter::min(Value lhs, Value rhs) {
  return createOrFold<arith::MinUIOp>(lhs, rhs);
}

Value KernelWriter::ceilDiv(Value lhs, int64_t rhs) {
  return createOrFold<arith::CeilDivUIOp>(lhs, index(rhs));
}

Value KernelWriter::empty(Type elementType, Value rows,
                          ArrayRef<int64_t> inner) {
  SmallVector<OpFoldResult> sizes = {rows};
  for (int64_t size : inner)
    sizes.push_back(getIndexAttr(size));
  // A known number of rows stays dynamic: sets have no static size.
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, inner);
  return tensor::EmptyOp::create(*this, shape, elementType, rows);
}

Value KernelWriter::emptyStatic(ArrayRef<int64_t> shape, Type elementType) {
  return tensor::EmptyOp::create(*this, shape, elementType);
}

Value KernelWriter::emptyFeatures(RankedTensorType type, Value rows) {
  return empty(type.getElementType(), rows, type.getDimSize(1));
}

Value KernelWriter::emptyKeys(CoordsType set, Value rows) {
  return empty(set.getKeyType(), rows);
}

Value KernelWriter::emptyRows(Value rows) { return empty(getI32Type(), rows); }

Value KernelWriter::emptyCount() { return emptyStatic(1, getIndexType()); }

Value KernelWriter::numberRows(Value rows, ArrayRef<int64_t> inner) {
  Value init = empty(getI32Type(), rows, inner);
  unsigned rank = 1 + inner.size();
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto store = [](OpBuilder &builder, Location loc, ValueRange) {
    ImplicitLocOpBuilder b(loc, builder);
    Value row = linalg::IndexOp::create(b, 0);
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), row);
    linalg::YieldOp::create(b, number);
  };
  return linalg::GenericOp::create(*this, init.getType(), ValueRange(), init,
                                   getMultiDimIdentityMap(rank), loops, store)
      .getResult(0);
}

Value KernelWriter::fill(Value tensor, TypedAttr value) {
  Value scalar = arith::ConstantOp::create(*this, value);
  return linalg::FillOp::create(*this, scalar, tensor).getResult(0);
}

Value KernelWriter::take(Value tensor, Value rows, Value first) {
  auto type = cast<RankedTensorType>(tensor.getType());
  SmallVector<OpFoldResult> offsets(type.getRank(), getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), getIndexAttr(1));
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(*this, getLoc(), tensor);
  sizes[0] = rows;
  if (first)
    offsets[0] = first;
  return tensor::ExtractSliceOp::create(*this, tensor, offsets, sizes, strides);
}

Value KernelWriter::count(Value countTensor) {
  return tensor::ExtractOp::create(*this, countTensor, ValueRange{index(0)});
}

Value KernelWriter::castTo(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return tensor::CastOp::create(*this, type, value);
}

IntegerAttr KernelWriter::getOptionalI64Attr(std::optional<int64_t> number) {
  return number ? getI64IntegerAttr(*number) : IntegerAttr();
}

UniqueResult KernelWriter::sortUnique(Value keys, CoordsType set,
                                      const SetLimits &limits, Value positions,
                                      bool clips) {
  Value rows = dim(keys);
  SmallVector<Value> inits = {emptyKeys(set, rows), emptyRows(rows)};
  auto sort = kernel<SortOp>(inits, keys, inits[0], inits[1],
                             set.getPacking().getFields());
  Value sorted = sort.getResult(0), permutation = sort.getResult(1);
  if (clips) {
    Value init = emptyCount();
    Value kept = count(
        kernel<CountKeysOp>(init, sorted, init, set.getPacking().getFields())
            .getResult(0));
    sorted = take(sorted, kept);
    permutation = take(permutation, kept);
  }
  Value rowOf = positions ? fill(emptyRows(positions), getI32IntegerAttr(-1))
                          : emptyRows(rows);
  inits = {emptyKeys(set, rows), emptyRows(rows), rowOf, emptyCount()};
  auto unique = kernel<UniqueOp>(
      inits, sorted, permutation, status, /*limit=*/Value(), inits[0], inits[1],
      inits[2], inits[3], getI64IntegerAttr(limits.capacity),
      getOptionalI64Attr(limits.cells), getOptionalI64Attr(limits.reach),
      getI64IntegerAttr(opId));
  Value distinct = count(unique.getResult(3));
  return {take(unique.getResult(0), distinct),
          take(unique.getResult(1), distinct), unique.getResult(2)};
}

PairLists KernelWriter::pairLists(Value table, int64_t rowBlock) {
  auto type = cast<RankedTensorType>(table.getType());
  int64_t volume = type.getDimSize(1);
  Value rows = dim(table);
  Value room = mul(rows, index(volume));
  SmallVector<Value> inits = {
      emptyRows(room), emptyRows(room),
      empty(getI64Type(), ceilDiv(rows, rowBlock), {volume + 1})};
  auto pairs =
      kernel<PairListsOp>(inits, table, inits[0], inits[1], inits[2], rowBlock);
  return {pairs.getResult(0), pairs.getResult(1), pairs.getResult(2)};
}

OffsetLists KernelWriter::offsetLists(Value table) {
  int64_t volume = cast<RankedTensorType>(table.getType()).getDimSize(1);
  Value room = mul(dim(table), index(volume));
  SmallVector<Value> inits = {emptyRows(room), emptyRows(room),
                              emptyStatic(volume, getI32Type())};
  auto lists =
      kernel<OffsetListsOp>(inits, table, inits[0], inits[1], inits[2]);
  return {lists.getResult(0), lists.getResult(1), lists.getResult(2)};
}

RowTiles KernelWriter::tileRows(Value table, Value inRows,
                                RowOrderAttr rowOrder) {
  constexpr int64_t kSlots = 256;
  int64_t offsets = cast<RankedTensorType>(table.getType()).getDimSize(1);
  Value slots = mul(ceilDiv(dim(table), kSlots), index(kSlots));
  SmallVector<Value> inits = {
      tensor::EmptyOp::create(*this,
                              ArrayRef<int64_t>{offsets, ShapedType::kDynamic},
                              getI32Type(), slots),
      emptyRows(slots),
      empty(getI32Type(), ceilDiv(slots, kMaskRows), {getMaskWords(offsets)}),
      emptyStatic({3}, getIndexType())};
  auto tiles = kernel<TileRowsOp>(inits, table, inRows, inits[0], inits[1],
                                  inits[2], inits[3], rowOrder);
  return {tiles.getResult(0), tiles.getResult(1), tiles.getResult(2),
          tiles.getResult(3)};
}

Value KernelWriter::invertTable(Value table, Value rows) {
  auto type = cast<RankedTensorType>(table.getType());
  Value init = empty(type.getElementType(), rows, type.getDimSize(1));
  return kernel<InvertTableOp>(init, table, init).getResult(0);
}

/// The type of `value` with a dynamic dimension 0.
static RankedTensorType withDynamicRows(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[0] = ShapedType::kDynamic;
  return type.clone(shape);
}

Value KernelWriter::guardRows(Value x, Value rows, int64_t operand,
                              ::sparseconv::StatusSide side, bool isTrusted) {
  x = castTo(x, withDynamicRows(x));
  if (isTrusted)
    return x;
  return GuardRowsOp::create(*this, x.getType(), x, rows, status, opId, operand,
                             static_cast<int64_t>(side), /*length=*/false);
}

Value KernelWriter::guardLength(Value x, Value rows, int64_t operand) {
  x = castTo(x, withDynamicRows(x));
  return GuardRowsOp::create(*this, x.getType(), x, rows, status, opId, operand,
                             /*side=*/0, /*length=*/true);
}

Value KernelWriter::guardSize(Value size) {
  LoopBuilder b(getLoc(), *this);
  Value zero = b.index(0), most = b.index(::sparseconv::kMaxRows);
  Value fits = b.andBits(b.greaterEqual(size, zero), b.lessEqual(size, most));
  b.ifThen(b.notBit(fits), [&] {
    LoopBuilder::Report report{::sparseconv::StatusCode::SizeOutOfRange, opId};
    report.value = size;
    report.upper = most;
    b.report(status, report);
  });
  return b.select(fits, size, zero);
}

void KernelWriter::moveRegion(Region &from, Region &to) {
  rewriter.inlineRegionBefore(from, to, to.end());
}
