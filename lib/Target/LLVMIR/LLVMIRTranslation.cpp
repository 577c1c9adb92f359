//===- LLVMIRTranslation.cpp - lowered modules as LLVM IR -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/OpenMP/OpenMPToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"

using namespace mlir;

namespace {
/// By default an attribute translates to nothing, without a warning.
struct AttributeTranslation : public LLVMTranslationDialectInterface {
  using LLVMTranslationDialectInterface::LLVMTranslationDialectInterface;
};
} // namespace

void mlir::sparseconv::registerLLVMIRTranslation(DialectRegistry &registry) {
  registry.insert<SparseConvDialect>();
  registry.addExtension(+[](MLIRContext *, SparseConvDialect *dialect) {
    dialect->addInterfaces<AttributeTranslation>();
  });
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerOpenMPDialectTranslation(registry);
}
