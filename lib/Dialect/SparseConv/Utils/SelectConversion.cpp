//===- SelectConversion.cpp - choices of several values -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/SelectConversion.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct ConvertSelect : public OpConversionPattern<arith::SelectOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(arith::SelectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<SmallVector<Value>> chosen(1);
    for (auto [ifTrue, ifFalse] :
         llvm::zip_equal(adaptor.getTrueValue(), adaptor.getFalseValue()))
      chosen[0].push_back(arith::SelectOp::create(
          rewriter, op.getLoc(), adaptor.getCondition()[0], ifTrue, ifFalse));
    rewriter.replaceOpWithMultiple(op, std::move(chosen));
    return success();
  }
};
} // namespace

void mlir::sparseconv::populateSelectTypeConversionPattern(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<ConvertSelect>(converter, patterns.getContext());
}
