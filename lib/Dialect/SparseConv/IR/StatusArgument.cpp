//===- StatusArgument.cpp - where a function reports errors ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Support/Status.h"

using namespace mlir;
using namespace mlir::sparseconv;

MemRefType mlir::sparseconv::getStatusType(MLIRContext *context) {
  return MemRefType::get({::sparseconv::kStatusWords},
                         IntegerType::get(context, 64));
}

BlockArgument
mlir::sparseconv::getStatusArgument(FunctionOpInterface function) {
  if (function.isExternal())
    return {};
  for (BlockArgument argument : function.getArguments())
    if (function.getArgAttr(argument.getArgNumber(), kStatusAttr))
      return argument;
  return {};
}

void mlir::sparseconv::markStatusArgument(FunctionOpInterface function) {
  function.setArgAttr(function.getNumArguments() - 1, kStatusAttr,
                      UnitAttr::get(function.getContext()));
}
