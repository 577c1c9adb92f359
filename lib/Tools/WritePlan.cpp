//===- WritePlan.cpp - from a network to the file of a plan ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tools/WritePlan.h"
#include "sparseconv/IO/File.h"

using namespace mlir;

llvm::Error mlir::sparseconv::writePlan(ModuleOp module, StringRef target,
                                        StringRef path,
                                        const PlanOptions &options) {
  auto plan = compileToPlan(module, target, options);
  if (failed(plan))
    return llvm::createStringError("there is no plan for " + target);
  return ::sparseconv::writeFile(path, [&](llvm::raw_ostream &os) {
    os << ::sparseconv::plan::serialise(*plan);
    return llvm::Error::success();
  });
}
