//===- outside.cpp - a program on the installed package ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a small network, looks at a type through the dialect's C++ classes,
// and checks that what it prints is parsed again to the same text.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Pipelines/Registration.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

static const char *const network = R"mlir(
#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>

func.func @map(%points: tensor<?x4xi32>) -> !sparseconv.kernel_map<27, !fine to !fine> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !sparseconv.kernel_map<27, !fine to !fine>
  return %m : !sparseconv.kernel_map<27, !fine to !fine>
}
)mlir";

static int fail(const char *message) {
  llvm::errs() << "outside: " << message << "\n";
  return 1;
}

static std::string print(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream);
  return text;
}

int main() {
  mlir::DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerPasses();
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceString<mlir::ModuleOp>(network, &context);
  if (!module)
    return fail("the network does not parse");
  int maps = 0;
  module->walk([&](mlir::sparseconv::KernelMapOp) { ++maps; });
  if (maps != 1)
    return fail("expected one kernel map in the network");

  std::string text = print(*module);
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!again || print(*again) != text)
    return fail("what was printed is not parsed to the same text");
  llvm::outs() << text;
  return 0;
}
