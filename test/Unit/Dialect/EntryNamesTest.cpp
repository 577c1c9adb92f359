//===- EntryNamesTest.cpp - names of arguments ----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::sparseconv;

TEST(EntryNames, OfArgumentsThatAreAdded) {
  MLIRContext context;
  context.loadDialect<func::FuncDialect>();
  OpBuilder b(&context);
  auto type = b.getFunctionType({b.getI32Type()}, {});
  OwningOpRef<func::FuncOp> function =
      func::FuncOp::create(b.getUnknownLoc(), "main", type);
  function->addEntryBlock();
  Value weight = addArgument(*function, "stem." + Twine("weight"),
                             RankedTensorType::get({3}, b.getF32Type()));
  Value bias = addArgument(*function, "bias", b.getF32Type());
  EXPECT_EQ(weight, function->getArgument(1));
  EXPECT_EQ(bias, function->getArgument(2));
  EXPECT_EQ(function->getArgumentTypes()[1], weight.getType());
  EXPECT_EQ(getArgumentName(*function, 0), "arg0");
  EXPECT_EQ(getArgumentName(*function, 1), "stem.weight");
  EXPECT_EQ(getArgumentName(*function, 2), "bias");
}
