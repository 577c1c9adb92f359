//===- KernelTraits.cpp - what kernels do with memory ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/KernelTraits.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// A GEMM beside kernels that are over as soon as they have started.
static constexpr unsigned kGemmCost = 6;

/// The result that points, or may point, where `use` points, if there is one.
static Value getView(OpOperand &use) {
  Operation *op = use.getOwner();
  if (auto view = dyn_cast<ViewLikeOpInterface>(op))
    return view.getViewSource() == use.get() ? view.getViewDest() : Value();
  if (auto select = dyn_cast<SelectLikeOpInterface>(op))
    return select->getResult(0);
  if (isa<UnrealizedConversionCastOp, LLVM::BitcastOp, LLVM::AddrSpaceCastOp>(
          op) &&
      op->getNumOperands() == 1 && op->getNumResults() == 1)
    return op->getResult(0);
  return Value();
}

/// What an op does where an operand points.
static ParamAccess getAccess(OpOperand &use) {
  constexpr ParamAccess read = {/*reads=*/true, /*writes=*/false};
  constexpr ParamAccess unknown;
  Operation *op = use.getOwner();
  if (isa<memref::DimOp>(op))
    return {/*reads=*/false, /*writes=*/false};
  if (op->hasAttr(SparseConvDialect::kLoadAttrName))
    return read;
  if (auto copy = dyn_cast<NVVM::CpAsyncOp>(op))
    return copy.getSrc() == use.get() ? read : unknown;
  if (auto copy = dyn_cast<NVVM::CpAsyncBulkGlobalToSharedClusterOp>(op))
    return copy.getSrcMem() == use.get() ? read : unknown;
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  if (!effects)
    return unknown;
  SmallVector<MemoryEffects::EffectInstance> instances;
  effects.getEffects(instances);
  ParamAccess access = {/*reads=*/false, /*writes=*/false};
  bool isAddress = false;
  for (const MemoryEffects::EffectInstance &instance : instances) {
    // An effect on nothing in particular may be one on this.
    if (instance.getValue() && instance.getValue() != use.get())
      continue;
    if (instance.getEffectValue<OpOperand *>() &&
        instance.getEffectValue<OpOperand *>() != &use)
      continue;
    isAddress |= instance.getEffectValue<OpOperand *>() == &use;
    access.reads |= isa<MemoryEffects::Read>(instance.getEffect());
    access.writes |= !isa<MemoryEffects::Read>(instance.getEffect());
  }
  // Otherwise the pointer itself goes somewhere.
  return isAddress ? access : unknown;
}

static ParamAccess getAccess(Value parameter) {
  ParamAccess access = {/*reads=*/false, /*writes=*/false};
  SmallVector<Value> pointers = {parameter};
  while (!pointers.empty())
    for (OpOperand &use : pointers.pop_back_val().getUses()) {
      if (Value view = getView(use)) {
        pointers.push_back(view);
        continue;
      }
      ParamAccess more = getAccess(use);
      access.reads |= more.reads;
      access.writes |= more.writes;
    }
  return access;
}

KernelTraits mlir::sparseconv::getKernelTraits(gpu::GPUFuncOp kernel) {
  KernelTraits traits;
  // Its shared memory comes as arguments of its body, too.
  for (BlockArgument parameter :
       kernel.getArguments().take_front(kernel.getNumArguments())) {
    traits.params.push_back(getAccess(parameter));
    traits.params.back().restores = bool(kernel.getArgAttr(
        parameter.getArgNumber(), SparseConvDialect::kRestoredAttrName));
  }
  kernel.walk([&](Operation *op) {
    if (isa<NVVM::MmaOp, NVVM::WgmmaFenceAlignedOp, math::FmaOp, vector::FMAOp>(
            op)) {
      traits.cost = kGemmCost;
      traits.multiplies = true;
    }
    if (auto control = dyn_cast<NVVM::GriddepcontrolOp>(op))
      traits.hasPrologue |= control.getKind() == NVVM::GridDepActionKind::wait;
  });
  return traits;
}
