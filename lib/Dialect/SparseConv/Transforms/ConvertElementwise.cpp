//===- ConvertElementwise.cpp - arith and math on tensors -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVCONVERTELEMENTWISE
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

static bool isElementwiseOnTensors(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!OpTrait::hasElementwiseMappableTraits(op) ||
      !llvm::any_of(op->getResultTypes(), isTensor))
    return false;
  auto select = dyn_cast<arith::SelectOp>(op);
  return !select || isTensor(select.getCondition().getType());
}

namespace {
struct ConvertElementwise
    : mlir::sparseconv::impl::SparseConvConvertElementwiseBase<
          ConvertElementwise> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal(
        [](Operation *op) { return !isElementwiseOnTensors(op); });
    // Folding may make constants of dynamic size, which do not exist.
    ConversionConfig config;
    config.foldingMode = DialectConversionFoldingMode::Never;
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
