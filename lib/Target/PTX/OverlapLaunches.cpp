//===- OverlapLaunches.cpp - kernels that start before others end ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlapLaunches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace mlir;

/// The address space of global memory in NVPTX.
static constexpr unsigned kGlobal = 1;

/// An instruction of PTX without operands that memory accesses do not pass.
/// `values` go through registers, and come out of it.
static llvm::CallInst *emit(llvm::IRBuilder<> &b, llvm::StringRef text,
                            llvm::ArrayRef<llvm::Value *> values) {
  auto types = llvm::map_to_vector(
      values, [](llvm::Value *value) { return value->getType(); });
  llvm::Type *result = b.getVoidTy();
  if (values.size() == 1)
    result = types.front();
  else if (!values.empty())
    result = llvm::StructType::get(b.getContext(), types);
  std::string constraints;
  for (size_t i = 0; i != values.size(); ++i)
    constraints += "=l,";
  for (size_t i = 0; i != values.size(); ++i)
    constraints += std::to_string(i) + ",";
  auto *type = llvm::FunctionType::get(result, types, /*isVarArg=*/false);
  return b.CreateCall(llvm::InlineAsm::get(type, text,
                                           constraints + "~{memory}",
                                           /*hasSideEffects=*/true),
                      values);
}

/// Whether a value holds an address of global memory, which other kernels may
/// write: parameters do.
static bool isGlobalPointer(const llvm::Value &value) {
  if (!value.getType()->isPointerTy())
    return false;
  unsigned space = value.getType()->getPointerAddressSpace();
  return space == kGlobal ||
         (space == 0 &&
          llvm::isa<llvm::Argument>(llvm::getUnderlyingObject(&value)));
}

/// The calls by which a kernel that has a prologue waits.
static llvm::SmallVector<llvm::CallInst *> findWaits(llvm::Function &kernel) {
  llvm::SmallVector<llvm::CallInst *> waits;
  for (llvm::Instruction &instruction : llvm::instructions(kernel))
    if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (call->getIntrinsicID() == llvm::Intrinsic::nvvm_griddepcontrol_wait)
        waits.push_back(call);
  return waits;
}

/// LLVM moves loads that are invariant past anything. So that none comes before
/// the wait, pointers are known after it only; those that are used before it,
/// in a prologue, are two. They come out as pointers to global memory, as the
/// backend sees of an argument but not of a result.
static void waitAt(llvm::Instruction &place) {
  llvm::Function &kernel = *place.getFunction();
  llvm::DominatorTree dominance(kernel);
  llvm::SmallVector<llvm::Value *> values;
  auto isBehind = [&](const llvm::Use &use) {
    return use.getUser() == &place || dominance.dominates(&place, use);
  };
  auto addIfUsed = [&](llvm::Value &value) {
    if (isGlobalPointer(value) && llvm::any_of(value.uses(), isBehind))
      values.push_back(&value);
  };
  for (llvm::Argument &argument : kernel.args())
    addIfUsed(argument);
  for (llvm::Instruction &instruction : llvm::instructions(kernel))
    if (dominance.dominates(&instruction, &place))
      addIfUsed(instruction);
  llvm::IRBuilder<> b(&place);
  llvm::SmallVector<llvm::SmallVector<llvm::Use *>> uses;
  llvm::SmallVector<llvm::Value *> pointers;
  for (llvm::Value *value : values) {
    auto &own = uses.emplace_back();
    for (llvm::Use &use : value->uses())
      if (isBehind(use))
        own.push_back(&use);
    pointers.push_back(b.CreateAddrSpaceCast(value, b.getPtrTy(kGlobal)));
  }
  llvm::CallInst *wait = emit(b, "griddepcontrol.wait;", pointers);
  for (auto [i, value] : llvm::enumerate(values)) {
    llvm::Value *known =
        values.size() == 1
            ? wait
            : b.CreateExtractValue(wait, static_cast<unsigned>(i));
    known = b.CreateAddrSpaceCast(known, value->getType());
    for (llvm::Use *use : uses[i])
      use->set(known);
  }
}

void mlir::sparseconv::overlapLaunches(llvm::Module &ir) {
  for (llvm::Function &function : ir) {
    if (function.getCallingConv() != llvm::CallingConv::PTX_Kernel ||
        function.isDeclaration())
      continue;
    llvm::SmallVector<llvm::CallInst *> waits = findWaits(function);
    if (waits.empty())
      waitAt(*function.getEntryBlock().getFirstInsertionPt());
    for (llvm::CallInst *wait : waits) {
      waitAt(*wait);
      wait->eraseFromParent();
    }
  }
}

void mlir::sparseconv::dropOverlaps(llvm::Module &ir) {
  for (llvm::Function &function : ir)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function)))
      if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
        switch (call->getIntrinsicID()) {
        case llvm::Intrinsic::nvvm_griddepcontrol_wait:
        case llvm::Intrinsic::nvvm_griddepcontrol_launch_dependents:
        case llvm::Intrinsic::nvvm_prefetch_global_L1:
          call->eraseFromParent();
          break;
        default:
          break;
        }
}
