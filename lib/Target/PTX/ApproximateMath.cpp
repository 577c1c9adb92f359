//===- ApproximateMath.cpp - short forms of what is rounded to 16 bits ----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A GPU has instructions for quotients, roots and powers of 2 whose error is a
// few units in the last place of f32. What is right in every bit takes ten
// times as many. Where all that is made of a value is rounded to 16 bits in the
// end, the difference is a thousandth of that rounding.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVAPPROXIMATEMATH
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

/// Whether an error of the operands of `op` becomes one of its only result that
/// is about as large, and nothing else, such as a truth value.
static bool passesErrorsOn(Operation *op) {
  if (isa<arith::SelectOp, vector::BroadcastOp, vector::ExtractOp,
          vector::FromElementsOp, vector::InsertOp, vector::ShapeCastOp>(op))
    return true;
  return isa<arith::AddFOp, arith::DivFOp, arith::ExtFOp, arith::MaximumFOp,
             arith::MaxNumFOp, arith::MinimumFOp, arith::MinNumFOp,
             arith::MulFOp, arith::NegFOp, arith::SubFOp, math::AbsFOp,
             math::ErfOp, math::Exp2Op, math::ExpOp, math::FmaOp, math::RsqrtOp,
             math::SqrtOp, math::TanhOp>(op);
}

namespace {
/// The values of a kernel of which everything that is made is rounded.
class RoundedValues {
public:
  explicit RoundedValues(Operation *root) {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    // What uses a value comes behind it.
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() == 1 && areRounded(op->getResult(0)))
        values.insert(op->getResult(0));
  }

  bool contains(Value value) const { return values.contains(value); }

private:
  bool areRounded(Value value) const {
    return llvm::all_of(value.getUsers(), [&](Operation *user) {
      if (isa<arith::TruncFOp>(user))
        return isNarrow(user->getResult(0).getType());
      return passesErrorsOn(user) && values.contains(user->getResult(0));
    });
  }

  llvm::DenseSet<Value> values;
};
} // namespace

static Value callIntrinsic(OpBuilder &b, Location loc, StringRef name,
                           ValueRange operands) {
  return LLVM::CallIntrinsicOp::create(b, loc, b.getF32Type(),
                                       b.getStringAttr(name), operands)
      .getResult(0);
}

/// The short form of an operation on f32, or null.
static Value approximate(OpBuilder &b, Operation *op, ValueRange operands) {
  Location loc = op->getLoc();
  auto power2 = [&](Value x) {
    return callIntrinsic(b, loc, "llvm.nvvm.ex2.approx.ftz.f32", x);
  };
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](arith::DivFOp) {
        return callIntrinsic(b, loc, "llvm.nvvm.div.full", operands);
      })
      .Case([&](math::Exp2Op) { return power2(operands[0]); })
      .Case([&](math::ExpOp) {
        Value log2e = arith::ConstantFloatOp::create(
            b, loc, b.getF32Type(), APFloat(llvm::numbers::log2ef));
        return power2(arith::MulFOp::create(b, loc, operands[0], log2e));
      })
      .Case([&](math::RsqrtOp) {
        return callIntrinsic(b, loc, "llvm.nvvm.rsqrt.approx.f", operands);
      })
      .Case([&](math::SqrtOp) {
        return callIntrinsic(b, loc, "llvm.nvvm.sqrt.approx.f", operands);
      })
      .Default(Value());
}

static void rewrite(RewriterBase &rewriter, Operation *op) {
  rewriter.setInsertionPoint(op);
  Type type = op->getResult(0).getType(), wide = rewriter.getF32Type();
  SmallVector<Value> operands(op->getOperands());
  if (isNarrow(type))
    for (Value &operand : operands)
      operand = arith::ExtFOp::create(rewriter, op->getLoc(), wide, operand);
  Value result = approximate(rewriter, op, operands);
  if (isNarrow(type))
    result = arith::TruncFOp::create(rewriter, op->getLoc(), type, result);
  rewriter.replaceOp(op, result);
}

namespace {
struct ApproximateMath
    : mlir::sparseconv::impl::SparseConvApproximateMathBase<ApproximateMath> {
  void runOnOperation() override {
    RoundedValues rounded(getOperation());
    SmallVector<Operation *> found;
    getOperation()->walk([&](Operation *op) {
      if (!isa<arith::DivFOp, math::Exp2Op, math::ExpOp, math::RsqrtOp,
               math::SqrtOp>(op))
        return;
      Value result = op->getResult(0);
      bool isWide = result.getType().isF32();
      if (isWide ? rounded.contains(result)
                 : result.getType().isF16() || result.getType().isBF16())
        found.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : found)
      rewrite(rewriter, op);
    numApproximated += found.size();
  }
};
} // namespace
