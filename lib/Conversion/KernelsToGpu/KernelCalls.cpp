//===- KernelCalls.cpp - calls of generated kernels -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::sparseconv;

gpu::GPUModuleOp mlir::sparseconv::createKernelModule(LoopBuilder &b,
                                                      Operation *op,
                                                      StringRef name) {
  auto module = op->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, b.getLoc(), name);
  SymbolTable(module).insert(kernels);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  return kernels;
}

/// The address of a buffer, as the generators take it.
static Value getAddress(LoopBuilder &b, Value buffer) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  return UnrealizedConversionCastOp::create(b, b.getLoc(), pointer, buffer)
      .getResult(0);
}

/// Whether the elements lie side by side, from a place that is known on.
static bool isDense(MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  return succeeded(type.getStridesAndOffset(strides, offset)) &&
         !ShapedType::isDynamic(offset) &&
         type.areTrailingDimsContiguous(type.getRank());
}

static void copyElements(LoopBuilder &b, Value from, Value to) {
  auto type = cast<MemRefType>(from.getType());
  Value total = b.index(1);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    total = b.mul(total, b.dim(from, axis));
  b.parallelFor(total, [&](Value place) {
    SmallVector<Value> indices(type.getRank());
    for (int64_t axis = type.getRank() - 1; axis > 0; --axis) {
      Value size = b.dim(from, axis);
      indices[axis] = b.remainder(place, size);
      place = b.divide(place, size);
    }
    indices[0] = place;
    b.store(b.load(from, indices), to, indices);
  });
}

Value mlir::sparseconv::getDense(LoopBuilder &b, Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (isDense(type))
    return buffer;
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(b.dim(buffer, axis));
  return b.alloc(type.getShape(), type.getElementType(), sizes);
}

Value mlir::sparseconv::readDense(LoopBuilder &b, Value buffer) {
  Value dense = getDense(b, buffer);
  if (dense != buffer)
    copyElements(b, buffer, dense);
  return dense;
}

void mlir::sparseconv::writeBack(LoopBuilder &b, Value dense, Value buffer) {
  if (dense != buffer)
    copyElements(b, dense, buffer);
}

void mlir::sparseconv::callKernel(LoopBuilder &b, gpu::GPUFuncOp kernel,
                                  const LaunchShape &shape,
                                  ArrayRef<Value> buffers) {
  SmallVector<Value> addresses;
  for (Value buffer : buffers)
    addresses.push_back(getAddress(b, buffer));
  Value one = b.index(1);
  gpu::LaunchFuncOp::create(
      b, kernel, gpu::KernelDim3{shape.gridX, b.index(shape.gridY), one},
      gpu::KernelDim3{b.index(shape.threads), one, one},
      shape.sharedBytes ? b.i32(shape.sharedBytes) : Value(), addresses);
}

Value mlir::sparseconv::getElement(LoopBuilder &b, Value buffer, int64_t i) {
  return memref::SubViewOp::create(b, buffer,
                                   ArrayRef<OpFoldResult>{b.getIndexAttr(i)},
                                   ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
                                   ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
}
