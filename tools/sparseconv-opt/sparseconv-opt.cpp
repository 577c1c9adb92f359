//===- sparseconv-opt.cpp - runs passes on IR files -----------------------===//
//------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "sparseconv/Pipelines/Registration.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  mlir::sparseconv::registerPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "sparseconv optimizer driver\n", registry));
}
