//===- ExpandDeviceMath.cpp - math operations without a library -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "sparseconv/Dialect/SparseConv/Transforms/ExpandMath.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVEXPANDDEVICEMATH
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The intrinsic of an operation that has instructions, or nothing.
static StringRef getIntrinsic(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("arith.maxnumf", "llvm.maxnum")
      .Case("arith.minnumf", "llvm.minnum")
      .Case("math.absf", "llvm.fabs")
      .Case("math.ceil", "llvm.ceil")
      .Case("math.copysign", "llvm.copysign")
      .Case("math.floor", "llvm.floor")
      .Case("math.round", "llvm.round")
      .Case("math.roundeven", "llvm.roundeven")
      .Case("math.sqrt", "llvm.sqrt")
      .Case("math.trunc", "llvm.trunc")
      .Default("");
}

static bool isApproximated(StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"math.erf", "math.erfc", "math.exp", "math.expm1"}, true)
      .Cases({"math.log1p", "math.tanh"}, true)
      .Default(false);
}

/// Whether the conversion to the LLVM dialect needs no library for `op`.
static bool isDirect(Operation *op) {
  return isa<math::AbsIOp, math::CountLeadingZerosOp,
             math::CountTrailingZerosOp, math::CtPopOp, math::FmaOp,
             math::IsFiniteOp, math::IsNaNOp>(op);
}

/// Computes in f32 what is on f16 or bf16. Rounding twice does not change a
/// square root, and the other exact operations give what both types hold.
static void widen(RewriterBase &rewriter, Operation *op) {
  auto isNarrow = [](Type type) {
    Type element = getElementTypeOrSelf(type);
    return element.isF16() || element.isBF16();
  };
  // The exponent of fpowi stays as it is.
  auto isWhole = [](Type type) { return isa<IntegerType>(type); };
  // What gives a truth value looks at bits, which f32 would change.
  if (op->getNumResults() == 0 || isDirect(op) ||
      !isNarrow(op->getResult(0).getType()) ||
      !isNarrow(op->getOperand(0).getType()) ||
      !llvm::all_of(op->getOperandTypes(),
                    [&](Type type) { return isNarrow(type) || isWhole(type); }))
    return;
  rewriter.setInsertionPoint(op);
  Type narrow = op->getResult(0).getType();
  Type wide = rewriter.getF32Type();
  if (auto shaped = dyn_cast<ShapedType>(narrow))
    wide = shaped.clone(wide);
  OperationState state(op->getLoc(), op->getName());
  for (Value operand : op->getOperands())
    state.addOperands(
        isWhole(operand.getType())
            ? operand
            : arith::ExtFOp::create(rewriter, op->getLoc(), wide, operand)
                  .getResult());
  state.addTypes(SmallVector<Type>(op->getNumResults(), wide));
  state.addAttributes(op->getAttrs());
  SmallVector<Value> results;
  for (Value result : rewriter.create(state)->getResults())
    results.push_back(
        arith::TruncFOp::create(rewriter, op->getLoc(), narrow, result));
  rewriter.replaceOp(op, results);
}

/// What becomes a truth value becomes a number first: the backend of LLVM 22
/// asks whether it is 0, and gives the opposite.
template <typename OpTy>
static LogicalResult convertToTruth(OpTy op, PatternRewriter &rewriter) {
  Type type = op.getType(), wide = rewriter.getI32Type();
  if (!getElementTypeOrSelf(type).isInteger(1))
    return failure();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  Value number = OpTy::create(rewriter, op.getLoc(), wide, op.getIn());
  rewriter.replaceOpWithNewOp<arith::TruncIOp>(op, type, number);
  return success();
}

namespace {
struct ExpandDeviceMath
    : mlir::sparseconv::impl::SparseConvExpandDeviceMathBase<ExpandDeviceMath> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto forMath = [&](function_ref<void(Operation *)> body) {
      getOperation()->walk([&](Operation *op) {
        if (isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
            isa<arith::MaxNumFOp, arith::MinNumFOp, arith::RemFOp>(op))
          body(op);
      });
    };
    forMath([&](Operation *op) { widen(rewriter, op); });

    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    patterns.add(convertToTruth<arith::FPToSIOp>);
    patterns.add(convertToTruth<arith::FPToUIOp>);
    math::populateExpansionPatterns(patterns, {"rsqrt"});
    populateMathPolynomialApproximationPatterns(patterns, isApproximated);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns)))) {
      getOperation()->emitError("has mathematics of which no end was found");
      return signalPassFailure();
    }
    // The polynomials may have left a logarithm.
    forMath([&](Operation *op) { expandInDouble(rewriter, op); });

    forMath([&](Operation *op) {
      StringRef intrinsic = getIntrinsic(op);
      if (intrinsic.empty())
        return;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
          op, op->getResult(0).getType(), rewriter.getStringAttr(intrinsic),
          op->getOperands());
    });
    WalkResult result = getOperation()->walk([](Operation *op) {
      if ((!isa_and_nonnull<math::MathDialect>(op->getDialect()) ||
           isDirect(op)) &&
          !isa<arith::RemFOp>(op))
        return WalkResult::advance();
      op->emitError("'") << op->getName() << "' on "
                         << op->getOperand(0).getType()
                         << " has no form on the GPU";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
