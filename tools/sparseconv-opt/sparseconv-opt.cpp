//===- sparseconv-opt.cpp - runs passes on IR files -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Tools/CommandLine.h"
#include "sparseconv/Tools/OutputFile.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"

static const char overview[] = R"(runs passes on IR files

Examples:
  sparseconv-opt net.mlir
      checks the text and prints it again
  sparseconv-opt net.mlir --sparseconv-lower-to-buffers
  sparseconv-opt net.mlir --sparseconv-lower-to-cpu
  sparseconv-opt net.mlir --sparseconv-lower-to-gpu=target=cuda:sm_90a
  sparseconv-opt net.mlir --sparseconv-lower-to-ptx=target=cuda:sm_90a
      lower a network: to kernels on buffers, to the LLVM dialect, to GPU
      kernels, and to PTX with a plan of the host side
  sparseconv-opt net.mlir --sparseconv-differentiate --canonicalize
      runs passes in the order that is given
)";

int main(int argc, char **argv) {
  sparseconv::hideOptionsSoFar(argc, argv);
  mlir::DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerBriefDiagnostics(registry);
  mlir::sparseconv::registerPasses();
  auto [input, output] =
      mlir::registerAndParseCLIOptions(argc, argv, overview, registry);
  // Upstream's writes while it reads, and a file may be both.
  if (output == "-")
    return mlir::asMainReturnCode(
        mlir::MlirOptMain(argc, argv, input, output, registry));
  llvm::InitLLVM init(argc, argv);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  std::string message;
  auto file = mlir::openInputFile(input, &message);
  if (!file) {
    llvm::errs() << message << '\n';
    return EXIT_FAILURE;
  }
  return sparseconv::writeOutput(
      "sparseconv-opt", output, [&](llvm::raw_ostream &os) {
        return succeeded(
            mlir::MlirOptMain(os, std::move(file), registry, config));
      });
}
