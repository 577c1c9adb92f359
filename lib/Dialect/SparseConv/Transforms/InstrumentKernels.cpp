//===- InstrumentKernels.cpp - marks where kernels begin and end ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Builders.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/Calls.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVINSTRUMENTKERNELS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct InstrumentKernels
    : mlir::sparseconv::impl::SparseConvInstrumentKernelsBase<
          InstrumentKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    OpBuilder builder(module.getContext());
    SmallVector<Operation *> kernels;
    module.walk([&](Operation *op) {
      if (isa<linalg::LinalgOp>(op) || getKernel(op))
        kernels.push_back(op);
    });
    SmallVector<Attribute> table;
    for (Operation *op : kernels) {
      Value number = [&] {
        builder.setInsertionPoint(op);
        return arith::ConstantOp::create(
            builder, op->getLoc(), builder.getI64IntegerAttr(table.size()));
      }();
      func::CallOp::create(builder, op->getLoc(), kBegin, TypeRange(), number);
      builder.setInsertionPointAfter(op);
      func::CallOp::create(builder, op->getLoc(), kEnd, TypeRange(), number);
      table.push_back(builder.getArrayAttr(
          {builder.getStringAttr(op->getName().getStringRef()),
           LocationAttr(op->getLoc())}));
    }
    module->setAttr(kKernelTableAttr, builder.getArrayAttr(table));
    auto type = builder.getFunctionType(builder.getI64Type(), {});
    for (StringRef name : {kBegin, kEnd})
      declareFunction(module, name, type);
  }

  static constexpr StringLiteral kBegin = "sparseconv_cpu_trace_begin";
  static constexpr StringLiteral kEnd = "sparseconv_cpu_trace_end";
};
} // namespace
