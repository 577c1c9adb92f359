//===- OverlapLaunches.cpp - kernels that start before others end ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OverlapLaunches.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Module.h"

using namespace mlir;

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

/// LLVM moves loads that are invariant past anything. So that none comes before
/// the wait, pointers are known after it only. They come out as pointers to
/// global memory, as the backend sees of an argument but not of a result.
static void waitFirst(llvm::Function &kernel) {
  constexpr unsigned global = 1;
  llvm::IRBuilder<> b(&kernel.getEntryBlock(),
                      kernel.getEntryBlock().getFirstInsertionPt());
  llvm::SmallVector<llvm::Argument *> arguments;
  llvm::SmallVector<llvm::Value *> pointers;
  llvm::SmallPtrSet<llvm::User *, 16> casts;
  for (llvm::Argument &argument : kernel.args()) {
    if (!argument.getType()->isPointerTy() || argument.use_empty())
      continue;
    arguments.push_back(&argument);
    pointers.push_back(b.CreateAddrSpaceCast(&argument, b.getPtrTy(global)));
    if (pointers.back() != &argument)
      casts.insert(llvm::cast<llvm::User>(pointers.back()));
  }
  llvm::CallInst *wait = emit(b, "griddepcontrol.wait;", pointers);
  casts.insert(wait);
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    llvm::Value *known =
        arguments.size() == 1
            ? wait
            : b.CreateExtractValue(wait, static_cast<unsigned>(i));
    known = b.CreateAddrSpaceCast(known, argument->getType());
    argument->replaceUsesWithIf(
        known, [&](llvm::Use &use) { return !casts.contains(use.getUser()); });
  }
}

void mlir::sparseconv::overlapLaunches(llvm::Module &ir) {
  for (llvm::Function &function : ir)
    if (function.getCallingConv() == llvm::CallingConv::PTX_Kernel &&
        !function.isDeclaration())
      waitFirst(function);
}
