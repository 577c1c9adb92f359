//===- outside.cpp - a program on the installed package ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a convolution, compiles it for this CPU, runs it on two voxels and
// compares with the result worked out by hand. Prints the convolution's IR.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using sparseconv::ElementKind;
using sparseconv::HostTensor;

static const char *const network = R"mlir(
#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!map = !sparseconv.kernel_map<27, !fine to !fine>

func.func @conv(%points: tensor<?x4xi32>, %x: tensor<?x1xf32>, %w: tensor<27x1x1xf32>) -> tensor<?x1xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %f = sparseconv.gather %x, %order : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %f, %w, %m : tensor<?x1xf32>, tensor<27x1x1xf32>, !map -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
)mlir";

static int fail(const llvm::Twine &message) {
  llvm::errs() << "outside: error: " << message << "\n";
  return 1;
}

int main() {
  mlir::DialectRegistry registry;
  mlir::sparseconv::registerDialects(registry);
  mlir::sparseconv::registerPasses();
  mlir::MLIRContext context(registry);

  auto module = mlir::parseSourceString<mlir::ModuleOp>(network, &context);
  if (!module)
    return fail("the convolution does not parse");
  int convolutions = 0;
  module->walk([&](mlir::sparseconv::ConvOp) { ++convolutions; });
  if (convolutions != 1)
    return fail("expected one convolution");

  // Voxel (0, 0, 1) with feature 10, then voxel (0, 0, 0) with feature 1; the
  // weight of offset k is k + 1.
  HostTensor points(ElementKind::I32, {2, 4});
  points.setDouble(3, 1);
  HostTensor features(ElementKind::F32, {2, 1});
  features.setDouble(0, 10);
  features.setDouble(1, 1);
  HostTensor weights(ElementKind::F32, {27, 1, 1});
  for (int k = 0; k < 27; ++k)
    weights.setDouble(k, k + 1);

  auto executable = mlir::sparseconv::CpuExecutable::compile(*module);
  if (!executable)
    return fail(llvm::toString(executable.takeError()));
  auto results = (*executable)->run("conv", {points, features, weights});
  if (!results)
    return fail(llvm::toString(results.takeError()));

  // Rows are in the order of the coordinates. The centre is offset 13; the
  // neighbours along the last axis are 12 (before) and 14 (after).
  double expected[] = {14 * 1 + 15 * 10, 13 * 1 + 14 * 10};
  for (int row = 0; row < 2; ++row) {
    double found = results->front().getDouble(row);
    if (found != expected[row])
      return fail(llvm::formatv("row {0}: expected {1}, found {2}", row,
                                expected[row], found)
                      .str());
  }
  module->print(llvm::outs());
  return 0;
}
