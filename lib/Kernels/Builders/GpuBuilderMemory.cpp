//===- GpuBuilderMemory.cpp - pointers, loads and stores of kernels -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

LLVM::LLVMPointerType GpuBuilder::pointerType(Space space) {
  return LLVM::LLVMPointerType::get(getContext(), static_cast<unsigned>(space));
}

Value GpuBuilder::offset(Value pointer, Value bytes) {
  auto type = cast<LLVM::LLVMPointerType>(pointer.getType());
  if (type.getAddressSpace() == static_cast<unsigned>(Space::Global) &&
      bytes.getType().isInteger(32))
    bytes = extend64(bytes);
  return LLVM::GEPOp::create(*this, type, getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value GpuBuilder::element(Value pointer, Value index, int64_t bytes) {
  if (index.getType().isInteger(32))
    index = extend64(index);
  return offset(pointer, mul(index, i64(bytes)));
}

Value GpuBuilder::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(
      *this, pointer.getType(), getI8Type(), pointer,
      ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value GpuBuilder::load(Type type, Value pointer, unsigned alignment) {
  return LLVM::LoadOp::create(*this, type, pointer, alignment);
}

Value GpuBuilder::loadConstant(Type type, Value pointer, unsigned alignment) {
  auto op = LLVM::LoadOp::create(*this, type, pointer, alignment);
  op.setInvariant(true);
  return op;
}

void GpuBuilder::store(Value value, Value pointer, unsigned alignment) {
  LLVM::StoreOp::create(*this, value, pointer, alignment);
}

Value GpuBuilder::loadCount(Value pointer) {
  return truncate32(loadConstant(getI64Type(), pointer));
}

Value GpuBuilder::dynamicShared() {
  constexpr StringLiteral name = "sparseconv_dynamic_shared";
  auto module =
      getInsertionBlock()->getParentOp()->getParentOfType<gpu::GPUModuleOp>();
  if (!module)
    module = cast<gpu::GPUModuleOp>(
        getInsertionBlock()->getParentOp()->getParentOp());
  auto global = module.lookupSymbol<LLVM::GlobalOp>(name);
  if (!global) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        *this, LLVM::LLVMArrayType::get(getI8Type(), 0), /*isConstant=*/false,
        LLVM::Linkage::External, name, Attribute(), /*alignment=*/1024,
        static_cast<unsigned>(Space::Shared));
  }
  return LLVM::AddressOfOp::create(*this, pointerType(Space::Shared), name);
}

Value GpuBuilder::sharedAddress(Value pointer) {
  return LLVM::PtrToIntOp::create(*this, getI32Type(), pointer);
}

Value GpuBuilder::atomicAdd(Value pointer, Value value) {
  auto kind = isa<FloatType>(value.getType()) ? LLVM::AtomicBinOp::fadd
                                              : LLVM::AtomicBinOp::add;
  return LLVM::AtomicRMWOp::create(*this, kind, pointer, value,
                                   LLVM::AtomicOrdering::monotonic, "device");
}

Value GpuBuilder::atomicIncrement(Value pointer, Value last) {
  return LLVM::AtomicRMWOp::create(*this, LLVM::AtomicBinOp::uinc_wrap, pointer,
                                   last, LLVM::AtomicOrdering::monotonic,
                                   "device");
}

void GpuBuilder::fenceDevice() { ::mlir::sparseconv::fenceDevice(*this); }
