//===- TakeOperands.cpp - what a launch needs of the host -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FormKernels.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace mlir::sparseconv;

Value KernelFormer::rebuildBuffer(OpBuilder &builder, Value base,
                                  IRMapping &mapping, Operation *user) {
  auto type = cast<MemRefType>(base.getType());
  // LLVM has no plain pointer for a shape such as 8x0.
  if (type.hasStaticShape() && type.getNumElements() != 0)
    return base;
  if (!type.getLayout().isIdentity()) {
    user->emitError("a buffer with strides crosses into a kernel");
    return {};
  }
  Value address = addresses.lookup(base);
  if (!address) {
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointAfterValue(base);
    address = memref::ReinterpretCastOp::create(
        rewriter, base.getLoc(),
        MemRefType::get({}, type.getElementType(), MemRefLayoutAttrInterface(),
                        type.getMemorySpace()),
        base, /*offset=*/rewriter.getIndexAttr(0),
        /*sizes=*/ArrayRef<OpFoldResult>(),
        /*strides=*/ArrayRef<OpFoldResult>());
    addresses[base] = address;
  }
  LoopBuilder b(base.getLoc(), builder);
  SmallVector<OpFoldResult> shape, strides(type.getRank());
  unsigned next = 0;
  for (int64_t size : type.getShape()) {
    if (!ShapedType::isDynamic(size)) {
      shape.push_back(builder.getIndexAttr(size));
      continue;
    }
    ArrayRef<Value> known = sizes[base];
    if (next == known.size()) {
      user->emitError("takes a buffer of which a size is not known");
      return {};
    }
    Value number = takeIn(builder, known[next++], mapping, user);
    if (!number)
      return {};
    shape.push_back(number);
  }
  OpFoldResult stride = builder.getIndexAttr(1);
  for (int64_t axis = type.getRank() - 1; axis >= 0; --axis) {
    strides[axis] = stride;
    std::optional<int64_t> size = getConstantIntValue(shape[axis]);
    std::optional<int64_t> inner = getConstantIntValue(stride);
    if (size && inner)
      stride = builder.getIndexAttr(*size * *inner);
    else
      stride =
          b.mul(getValueOrCreateConstantIndexOp(b, b.getLoc(), stride),
                getValueOrCreateConstantIndexOp(b, b.getLoc(), shape[axis]));
  }
  // The strided type, then the plain one that users expect.
  Value view = memref::ReinterpretCastOp::create(
      builder, base.getLoc(), address, builder.getIndexAttr(0), shape, strides);
  return memref::CastOp::create(builder, base.getLoc(), type, view);
}

Value KernelFormer::getSize(memref::DimOp dim) {
  if (!dim)
    return {};
  auto it = sizes.find(dim.getSource());
  std::optional<int64_t> axis = dim.getConstantIndex();
  if (it == sizes.end() || !axis)
    return {};
  ArrayRef<int64_t> shape =
      cast<MemRefType>(dim.getSource().getType()).getShape();
  size_t place = llvm::count_if(shape.take_front(*axis), ShapedType::isDynamic);
  return place < it->second.size() ? it->second[place] : Value();
}

Value KernelFormer::takeIn(OpBuilder &builder, Value value, IRMapping &mapping,
                           Operation *user) {
  if (Value mapped = mapping.lookupOrNull(value))
    return mapped;
  Operation *op = value.getDefiningOp();
  Value result;
  if (!op || isa<memref::AllocOp, memref::GetGlobalOp>(op)) {
    if (!isa<MemRefType>(value.getType())) {
      user->emitError("a scalar argument has to be passed in a buffer");
      return {};
    }
    result = rebuildBuffer(builder, value, mapping, user);
  } else if (auto scalar = dyn_cast<DeviceScalarOp>(op)) {
    LoopBuilder b(op->getLoc(), builder);
    result = b.load(scalar.getBuffer(), b.index(0));
  } else if (Value size = getSize(dyn_cast<memref::DimOp>(op))) {
    result = takeIn(builder, size, mapping, user);
  } else if (isRepeatable(op)) {
    for (Value operand : op->getOperands())
      if (!takeIn(builder, operand, mapping, user))
        return {};
    result = builder.clone(*op, mapping)
                 ->getResult(cast<OpResult>(value).getResultNumber());
  } else {
    op->emitError(
        "a kernel needs a value that is neither a buffer nor a number "
        "of the device");
    return {};
  }
  if (result)
    mapping.map(value, result);
  return result;
}

LogicalResult KernelFormer::takeIn(gpu::LaunchOp launch) {
  WalkResult result = launch.walk([](memref::AllocOp alloc) -> WalkResult {
    return alloc.emitError("a kernel allocates memory of its own");
  });
  if (result.wasInterrupted())
    return failure();
  // What is written below uses the right values as it is.
  SmallVector<OpOperand *> uses;
  visitUsedValuesDefinedAbove(launch->getRegions(),
                              [&](OpOperand *use) { uses.push_back(use); });
  OpBuilder builder = OpBuilder::atBlockBegin(&launch.getBody().front());
  IRMapping mapping;
  for (OpOperand *use : uses) {
    Value taken = takeIn(builder, use->get(), mapping, launch);
    if (!taken)
      return failure();
    rewriter.modifyOpInPlace(use->getOwner(), [&] { use->set(taken); });
  }
  return success();
}
