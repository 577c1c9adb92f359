//===- OwnMlir.cpp - A copy of MLIR ---------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one function of MLIR by which sparseconv.mlir tells copies apart.
//
//===----------------------------------------------------------------------===//

namespace mlir {
class MLIRContext {
public:
  void getDiagEngine();
};
} // namespace mlir

void mlir::MLIRContext::getDiagEngine() {}
