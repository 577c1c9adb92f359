//===- Program.cpp - what sparseconv-run runs -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Support/FileUtilities.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/Pipelines/ParseNetwork.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;

llvm::Expected<Program> Program::read(StringRef path, llvm::SourceMgr &sources,
                                      MLIRContext &context) {
  std::string message;
  auto file = openInputFile(path, &message);
  if (!file)
    return llvm::createStringError(message);
  std::string_view bytes(file->getBufferStart(), file->getBufferSize());
  sources.AddNewSourceBuffer(std::move(file), llvm::SMLoc());
  Program program;
  if (plan::isPlan(bytes)) {
    program.file = bytes;
    program.plan = plan::parse(bytes, message);
    if (!program.plan)
      return llvm::createStringError("'" + path + "': " + message);
    return program;
  }
  program.module = mlir::sparseconv::parseNetwork(sources, context);
  if (!program.module)
    return llvm::createStringError("'" + path + "' is no valid module");
  return program;
}

SmallVector<StringRef> Program::getEntries() {
  SmallVector<StringRef> entries;
  if (plan)
    for (const plan::Function &function : plan->functions)
      entries.push_back(function.name);
  else
    for (auto function : module->getOps<func::FuncOp>())
      if (!function.isExternal() && function.isPublic())
        entries.push_back(function.getName());
  return entries;
}

void Program::keepOnly(StringRef name) {
  if (!plan)
    for (auto function : module->getOps<func::FuncOp>())
      if (function.getName() != name)
        function.setPrivate();
}

llvm::Expected<Signature> Program::getSignature(StringRef name,
                                                MLIRContext &context) {
  if (!plan)
    return mlir::sparseconv::getSignature(*module, name);
  const plan::Function *function =
      plan->findFunction({name.data(), name.size()});
  if (function)
    return mlir::sparseconv::getSignature(*function, &context);
  return llvm::createStringError("no function '@" + name +
                                 "' in the plan; there are: @" +
                                 ::sparseconv::joinShort(getEntries(), ", @"));
}
