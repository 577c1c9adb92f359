//===- Jit.cpp - machine code that sees nothing of the process ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "MachineCode.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;
using namespace mlir::sparseconv;

static constexpr StringLiteral kInterface = "_mlir_ciface_";
/// No function of a module is named like this.
static constexpr StringLiteral kPacked = "packed.";

/// Defines `packed.NAME(ptr)`, which loads the arguments of `_mlir_ciface_NAME`
/// from an array of pointers to them, and stores the result behind the last.
static void addPackedFunction(llvm::Function &target) {
  llvm::IRBuilder<> b(target.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *packed = llvm::Function::Create(
      type, llvm::Function::ExternalLinkage,
      kPacked + target.getName().drop_front(kInterface.size()),
      target.getParent());
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", packed));
  auto getPointer = [&](unsigned number) {
    llvm::Value *slot =
        b.CreateConstGEP1_64(b.getPtrTy(), packed->getArg(0), number);
    return b.CreateLoad(b.getPtrTy(), slot);
  };
  SmallVector<llvm::Value *> arguments;
  for (auto [number, argument] : llvm::enumerate(target.args()))
    arguments.push_back(b.CreateLoad(argument.getType(), getPointer(number)));
  llvm::Value *result = b.CreateCall(&target, arguments);
  if (!result->getType()->isVoidTy())
    b.CreateStore(result, getPointer(target.arg_size()));
  b.CreateRetVoid();
}

/// Leaves the packed functions as the only ones that others see: what they do
/// not need is not compiled.
static void addPackedFunctions(llvm::Module &module) {
  SmallVector<llvm::Function *> defined;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      defined.push_back(&function);
  for (llvm::Function *function : defined) {
    function->setLinkage(llvm::Function::InternalLinkage);
    if (function->getName().starts_with(kInterface))
      addPackedFunction(*function);
  }
}

llvm::Expected<std::unique_ptr<Jit>>
Jit::compile(ModuleOp module, llvm::orc::JITTargetMachineBuilder builder) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(module, context);
  if (!translated)
    return llvm::createStringError("the module has no form in LLVM IR");
  addPackedFunctions(*translated);
  // As the linker of the engine needs it.
  builder.setRelocationModel(llvm::Reloc::PIC_);
  builder.setCodeModel(llvm::CodeModel::Small);
  auto objects = compileToObjects(*translated, builder, *module.getContext());
  if (!objects)
    return objects.takeError();

  auto engine = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(std::move(builder))
                    .setLinkProcessSymbolsByDefault(false)
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .create();
  if (!engine)
    return engine.takeError();
  std::unique_ptr<Jit> jit(new Jit);
  jit->engine = std::move(*engine);
  jit->engine->getExecutionSession().setErrorReporter(
      [problem = &jit->problem](llvm::Error error) {
        // Others follow from the first.
        std::string text = llvm::toString(std::move(error));
        if (problem->empty())
          *problem = std::move(text);
      });
  llvm::orc::JITDylib &library = jit->engine->getMainJITDylib();
  llvm::orc::MangleAndInterner mangle(library.getExecutionSession(),
                                      jit->engine->getDataLayout());
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(getRuntimeSymbols(mangle))))
    return error;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : *objects)
    if (llvm::Error error = jit->engine->addObjectFile(std::move(object)))
      return error;
  return jit;
}

llvm::Expected<Jit::Function> Jit::lookup(StringRef name) {
  auto address = engine->lookup((kPacked + name).str());
  if (address)
    return address->toPtr<Function>();
  if (problem.empty())
    return address.takeError();
  llvm::consumeError(address.takeError());
  return llvm::createStringError("the compiled code is not complete: " +
                                 problem);
}
