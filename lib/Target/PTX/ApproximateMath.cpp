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
#include "mlir/IR/Matchers.h"
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

/// Whether a value is at least 0 and no difference: a sum of two such values
/// does not cancel.
static bool isPositive(Value value) {
  APFloat constant(0.0f);
  if (matchPattern(value, m_ConstantFloat(&constant)))
    return !constant.isNegative();
  Operation *op = value.getDefiningOp();
  return isa_and_present<math::AbsFOp, math::Exp2Op, math::ExpOp, math::SqrtOp>(
      op);
}

namespace {
/// How far an error of a value may be from the value itself.
enum class Error {
  /// A few units in its last place.
  OfValue,
  /// A few units in the last place of what was added up to it, which may have
  /// cancelled.
  OfTerms
};

/// The values of a kernel of which everything that is made is rounded to 16
/// bits, and stays as exact as that if they have an error.
class RoundedValues {
public:
  explicit RoundedValues(Operation *root) {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    // What uses a value comes behind it.
    for (Operation *op : llvm::reverse(ops))
      if (op->getNumResults() == 1)
        for (Error error : {Error::OfValue, Error::OfTerms})
          if (mayHave(op->getResult(0), error))
            getValues(error).insert(op->getResult(0));
  }

  bool contains(Value value) const { return ofValue.contains(value); }

private:
  bool mayHave(Value value, Error error) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      Operation *user = use.getOwner();
      if (isa<arith::TruncFOp>(user))
        return isNarrow(user->getResult(0).getType());
      std::optional<Error> passed = passOn(use, error);
      return passed && getValues(*passed).contains(user->getResult(0));
    });
  }

  /// The error that an operand's becomes in the only result of its user, if it
  /// becomes nothing else, such as a truth value.
  static std::optional<Error> passOn(OpOperand &use, Error error);

  llvm::DenseSet<Value> &getValues(Error error) {
    return error == Error::OfValue ? ofValue : ofTerms;
  }

  llvm::DenseSet<Value> ofValue, ofTerms;
};
} // namespace

std::optional<Error> RoundedValues::passOn(OpOperand &use, Error error) {
  Operation *op = use.getOwner();
  if (isa<arith::ExtFOp, arith::MaximumFOp, arith::MaxNumFOp, arith::MinimumFOp,
          arith::MinNumFOp, arith::MulFOp, arith::NegFOp, arith::SelectOp,
          math::AbsFOp, vector::BroadcastOp, vector::ExtractOp,
          vector::FromElementsOp, vector::InsertOp, vector::ShapeCastOp>(op))
    return error;
  if (isa<arith::AddFOp, arith::SubFOp, math::FmaOp>(op)) {
    bool isSum =
        isa<arith::AddFOp>(op) && llvm::all_of(op->getOperands(), isPositive);
    return isSum ? error : Error::OfTerms;
  }
  // Of a value whose terms have cancelled, these make anything.
  bool isDivisor = isa<arith::DivFOp>(op) && use.getOperandNumber() == 1;
  if (isDivisor || isa<math::RsqrtOp, math::SqrtOp>(op))
    return error == Error::OfValue ? std::optional(error) : std::nullopt;
  if (isa<arith::DivFOp>(op))
    return error;
  // Of small absolute errors these make small relative ones, or keep them.
  if (isa<math::Exp2Op, math::ExpOp>(op))
    return Error::OfValue;
  if (isa<math::ErfOp, math::TanhOp>(op))
    return error;
  return std::nullopt;
}

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
