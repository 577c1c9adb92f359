//===- Jit.cpp - machine code that sees nothing of the process ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::orc::JITTargetMachineBuilder;

llvm::Expected<std::unique_ptr<Jit>>
Jit::load(Objects objects, JITTargetMachineBuilder machine,
          ArrayRef<::sparseconv::cpu::Symbol> symbols) {
  auto engine = llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(std::move(machine))
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
  llvm::orc::SymbolMap visible = getRuntimeSymbols(mangle);
  for (const ::sparseconv::cpu::Symbol &symbol : symbols)
    visible[mangle(symbol.name)] = {
        llvm::orc::ExecutorAddr::fromPtr(symbol.address),
        llvm::JITSymbolFlags::Exported};
  if (llvm::Error error =
          library.define(llvm::orc::absoluteSymbols(std::move(visible))))
    return error;
  for (std::unique_ptr<llvm::MemoryBuffer> &object : objects)
    if (llvm::Error error = jit->engine->addObjectFile(std::move(object)))
      return error;
  return jit;
}

llvm::Expected<::sparseconv::cpu::Function> Jit::lookup(StringRef name) {
  auto address = engine->lookup(name);
  if (address)
    return address->toPtr<::sparseconv::cpu::Function>();
  if (problem.empty())
    return address.takeError();
  llvm::consumeError(address.takeError());
  return llvm::createStringError("the compiled code is not complete: " +
                                 problem);
}
