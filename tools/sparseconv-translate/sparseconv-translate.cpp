//===- sparseconv-translate.cpp - IR to other forms -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `--mlir-to-llvmir` writes the LLVM IR of a module that the pipeline
// `sparseconv-lower-to-cpu` has lowered.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

static LogicalResult writeLLVMIR(Operation *op, llvm::raw_ostream &os) {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = translateModuleToLLVMIR(op, context);
  if (!module)
    return failure();
  module->print(os, nullptr);
  return success();
}

static void registerTranslationDialects(DialectRegistry &registry) {
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerLLVMIRTranslation(registry);
}

int main(int argc, char **argv) {
  TranslateFromMLIRRegistration toLLVMIR(
      "mlir-to-llvmir", "the LLVM IR of a module in the LLVM dialect",
      writeLLVMIR, registerTranslationDialects);
  return failed(mlirTranslateMain(argc, argv, "sparseconv translation tool"));
}
