//===- sparseconv-lsp-server.cpp - editor support for IR files ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LLVM.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Tools/CommandLine.h"

int main(int argc, char **argv) {
  sparseconv::hideOptionsSoFar(argc, argv);
  mlir::DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  return mlir::MlirLspServerMain(argc, argv, registry).failed();
}
