//===- ScalarAdjoints.cpp - adjoints of operations on scalars -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one table of scalar rules. They serve the bodies of structured
// operations, elementwise operations on tensors, and epilogues.
//
//===----------------------------------------------------------------------===//

#include "ScalarAdjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

FloatType mlir::sparseconv::getWideType(Type type) {
  auto element = cast<FloatType>(getElementTypeOrSelf(type));
  return element.getWidth() < 32 ? Float32Type::get(type.getContext())
                                 : element;
}

//===----------------------------------------------------------------------===//
// Which scalars have gradients
//===----------------------------------------------------------------------===//

ScalarActivity::ScalarActivity(Block &block,
                               ArrayRef<BlockArgument> arguments) {
  dependent.insert_range(arguments);
  for (Operation &op : block) {
    bool depends = false;
    op.walk([&](Operation *inner) {
      depends |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return dependent.contains(operand);
      });
    });
    if (depends)
      for (Value result : op.getResults())
        if (holdsFloats(result.getType()))
          dependent.insert(result);
  }
}

Value ScalarGradients::convert(Value value, Type type) {
  unsigned found = value.getType().getIntOrFloatBitWidth();
  unsigned expected = type.getIntOrFloatBitWidth();
  if (found < expected)
    return arith::ExtFOp::create(b, type, value);
  if (found > expected)
    return arith::TruncFOp::create(b, type, value);
  // f16 and bf16 meet in wider types alone.
  assert(value.getType() == type && "expected floats of different widths");
  return value;
}

Value ScalarGradients::get(Value scalar) {
  Value value = values.lookupOrDefault(scalar);
  if (!isa<FloatType>(value.getType()))
    return value;
  Value &wide = widened[scalar];
  if (!wide)
    wide = convert(value, getWideType(value.getType()));
  return wide;
}

void ScalarGradients::add(Value scalar, Value gradient) {
  if (!isWanted(scalar))
    return;
  gradient = convert(gradient, getWideType(scalar.getType()));
  Value &sum = sums[scalar];
  sum = sum ? Value(arith::AddFOp::create(b, sum, gradient)) : gradient;
}

//===----------------------------------------------------------------------===//
// The rules: dy is the gradient by the result
//===----------------------------------------------------------------------===//

using Rule = void (*)(Operation *op, Value dy, ScalarGradients &g);

static Value multiply(ScalarGradients &g, Value lhs, Value rhs) {
  return arith::MulFOp::create(g.b, lhs, rhs);
}

static Value divide(ScalarGradients &g, Value lhs, Value rhs) {
  return arith::DivFOp::create(g.b, lhs, rhs);
}

static Value constant(ScalarGradients &g, Value like, double number) {
  return arith::ConstantOp::create(g.b,
                                   g.b.getFloatAttr(like.getType(), number));
}

/// `dy` where `lhs` and `rhs` compare so, else zero.
static Value selectWhere(ScalarGradients &g, arith::CmpFPredicate predicate,
                         Value lhs, Value rhs, Value dy) {
  Value holds = arith::CmpFOp::create(g.b, predicate, lhs, rhs);
  return arith::SelectOp::create(g.b, holds, dy, constant(g, dy, 0));
}

static void drop(Operation *, Value, ScalarGradients &) {}

static void pass(Operation *op, Value dy, ScalarGradients &g) {
  g.add(op->getOperand(0), dy);
}

static void addf(Operation *op, Value dy, ScalarGradients &g) {
  g.add(op->getOperand(0), dy);
  g.add(op->getOperand(1), dy);
}

static void negf(Operation *op, Value dy, ScalarGradients &g) {
  g.add(op->getOperand(0), arith::NegFOp::create(g.b, dy));
}

static void subf(Operation *op, Value dy, ScalarGradients &g) {
  g.add(op->getOperand(0), dy);
  if (g.isWanted(op->getOperand(1)))
    g.add(op->getOperand(1), arith::NegFOp::create(g.b, dy));
}

static void mulf(Operation *op, Value dy, ScalarGradients &g) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (g.isWanted(lhs))
    g.add(lhs, multiply(g, dy, g.get(rhs)));
  if (g.isWanted(rhs))
    g.add(rhs, multiply(g, dy, g.get(lhs)));
}

static void divf(Operation *op, Value dy, ScalarGradients &g) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  Value share = divide(g, dy, g.get(rhs));
  g.add(lhs, share);
  if (g.isWanted(rhs)) {
    Value product = multiply(g, share, g.get(op->getResult(0)));
    g.add(rhs, arith::NegFOp::create(g.b, product));
  }
}

static void fma(Operation *op, Value dy, ScalarGradients &g) {
  mulf(op, dy, g);
  g.add(op->getOperand(2), dy);
}

static void select(Operation *op, Value dy, ScalarGradients &g) {
  auto choice = cast<arith::SelectOp>(op);
  Value condition = g.get(choice.getCondition()), zero = constant(g, dy, 0);
  if (g.isWanted(choice.getTrueValue()))
    g.add(choice.getTrueValue(),
          arith::SelectOp::create(g.b, condition, dy, zero));
  if (g.isWanted(choice.getFalseValue()))
    g.add(choice.getFalseValue(),
          arith::SelectOp::create(g.b, condition, zero, dy));
}

/// The larger or smaller operand takes the gradient. Of two equal ones that is
/// the left one, or the one that has no gradient: max(x, 0) has the derivative
/// 0 at 0.
template <arith::CmpFPredicate strictly, arith::CmpFPredicate orEqual>
static void extremum(Operation *op, Value dy, ScalarGradients &g) {
  Value lhs = op->getOperand(0), rhs = op->getOperand(1);
  if (g.isWanted(lhs))
    g.add(lhs, selectWhere(g, g.isActive(rhs) ? orEqual : strictly, g.get(lhs),
                           g.get(rhs), dy));
  if (g.isWanted(rhs))
    g.add(rhs, selectWhere(g, strictly, g.get(rhs), g.get(lhs), dy));
}
static constexpr auto maximum =
    extremum<arith::CmpFPredicate::OGT, arith::CmpFPredicate::OGE>;
static constexpr auto minimum =
    extremum<arith::CmpFPredicate::OLT, arith::CmpFPredicate::OLE>;

/// For y = f(x) with one operand: dx = dy * `slope`(x, y).
template <Value (*slope)(ScalarGradients &g, Value x, Value y)>
static void unary(Operation *op, Value dy, ScalarGradients &g) {
  Value x = op->getOperand(0);
  Value factor = slope(g, g.get(x), g.get(op->getResult(0)));
  g.add(x, multiply(g, dy, factor));
}

static Value slopeOfAbs(ScalarGradients &g, Value x, Value) {
  Value one = constant(g, x, 1), zero = constant(g, x, 0);
  Value signedOne = math::CopySignOp::create(g.b, one, x);
  return selectWhere(g, arith::CmpFPredicate::UNE, x, zero, signedOne);
}

static Value slopeOfExp(ScalarGradients &, Value, Value y) { return y; }

static Value slopeOfExp2(ScalarGradients &g, Value, Value y) {
  return multiply(g, y, constant(g, y, llvm::numbers::ln2));
}

static Value slopeOfExpm1(ScalarGradients &g, Value, Value y) {
  return arith::AddFOp::create(g.b, y, constant(g, y, 1));
}

static Value reciprocal(ScalarGradients &g, Value x, double factor) {
  return divide(g, constant(g, x, factor), x);
}

static Value slopeOfLog(ScalarGradients &g, Value x, Value) {
  return reciprocal(g, x, 1);
}

static Value slopeOfLog2(ScalarGradients &g, Value x, Value) {
  return reciprocal(g, x, llvm::numbers::log2e);
}

static Value slopeOfLog10(ScalarGradients &g, Value x, Value) {
  return reciprocal(g, x, llvm::numbers::log10e);
}

static Value slopeOfLog1p(ScalarGradients &g, Value x, Value) {
  return reciprocal(g, arith::AddFOp::create(g.b, x, constant(g, x, 1)), 1);
}

static Value slopeOfSqrt(ScalarGradients &g, Value, Value y) {
  return reciprocal(g, y, 0.5);
}

static Value slopeOfRsqrt(ScalarGradients &g, Value x, Value y) {
  return multiply(g, y, reciprocal(g, x, -0.5));
}

static Value slopeOfTanh(ScalarGradients &g, Value, Value y) {
  return arith::SubFOp::create(g.b, constant(g, y, 1), multiply(g, y, y));
}

static Value slopeOfSin(ScalarGradients &g, Value x, Value) {
  return math::CosOp::create(g.b, x);
}

static Value slopeOfCos(ScalarGradients &g, Value x, Value) {
  return arith::NegFOp::create(g.b, math::SinOp::create(g.b, x));
}

static Value slopeOfAtan(ScalarGradients &g, Value x, Value) {
  Value one = constant(g, x, 1);
  return divide(g, one, arith::AddFOp::create(g.b, one, multiply(g, x, x)));
}

static Value slopeOfErf(ScalarGradients &g, Value x, Value) {
  Value square = arith::NegFOp::create(g.b, multiply(g, x, x));
  Value bell = math::ExpOp::create(g.b, square);
  return multiply(g, bell, constant(g, x, 2 * llvm::numbers::inv_sqrtpi));
}

static void powf(Operation *op, Value dy, ScalarGradients &g) {
  Value x = op->getOperand(0), y = op->getOperand(1);
  if (g.isWanted(x)) {
    Value exponent =
        arith::SubFOp::create(g.b, g.get(y), constant(g, g.get(y), 1));
    Value power = math::PowFOp::create(g.b, g.get(x), exponent);
    // x^0 is 1 everywhere, also where x^-1 is infinite.
    Value slope =
        selectWhere(g, arith::CmpFPredicate::UNE, g.get(y),
                    constant(g, g.get(y), 0), multiply(g, g.get(y), power));
    g.add(x, multiply(g, dy, slope));
  }
  if (g.isWanted(y)) {
    Value logarithm = math::LogOp::create(g.b, g.get(x));
    Value slope = multiply(g, g.get(op->getResult(0)), logarithm);
    // 0^y is 0 for all y above 0, and its logarithm is infinite.
    Value zero = constant(g, g.get(x), 0);
    Value isNegative = arith::CmpFOp::create(
        g.b, arith::CmpFPredicate::OLT, g.get(y), constant(g, g.get(y), 0));
    Value regular =
        selectWhere(g, arith::CmpFPredicate::UNE, g.get(x), zero, slope);
    slope = arith::SelectOp::create(g.b, isNegative, slope, regular);
    g.add(y, multiply(g, dy, slope));
  }
}

static llvm::StringMap<Rule> makeRules() {
  llvm::StringMap<Rule> rules;
  auto add = [&](auto op, Rule rule) {
    rules[decltype(op)::getOperationName()] = rule;
  };
  add(arith::AddFOp(), addf);
  add(arith::DivFOp(), divf);
  add(arith::ExtFOp(), pass);
  add(arith::MaximumFOp(), maximum);
  add(arith::MaxNumFOp(), maximum);
  add(arith::MinimumFOp(), minimum);
  add(arith::MinNumFOp(), minimum);
  add(arith::MulFOp(), mulf);
  add(arith::NegFOp(), negf);
  add(arith::SelectOp(), select);
  add(arith::SubFOp(), subf);
  add(arith::TruncFOp(), pass);
  add(math::AbsFOp(), unary<slopeOfAbs>);
  add(math::AtanOp(), unary<slopeOfAtan>);
  add(math::CeilOp(), drop);
  add(math::CosOp(), unary<slopeOfCos>);
  add(math::ErfOp(), unary<slopeOfErf>);
  add(math::Exp2Op(), unary<slopeOfExp2>);
  add(math::ExpM1Op(), unary<slopeOfExpm1>);
  add(math::ExpOp(), unary<slopeOfExp>);
  add(math::FloorOp(), drop);
  add(math::FmaOp(), fma);
  add(math::Log10Op(), unary<slopeOfLog10>);
  add(math::Log1pOp(), unary<slopeOfLog1p>);
  add(math::Log2Op(), unary<slopeOfLog2>);
  add(math::LogOp(), unary<slopeOfLog>);
  add(math::PowFOp(), powf);
  add(math::RoundEvenOp(), drop);
  add(math::RoundOp(), drop);
  add(math::RsqrtOp(), unary<slopeOfRsqrt>);
  add(math::SinOp(), unary<slopeOfSin>);
  add(math::SqrtOp(), unary<slopeOfSqrt>);
  add(math::TanhOp(), unary<slopeOfTanh>);
  add(math::TruncOp(), drop);
  return rules;
}

LogicalResult ScalarGradients::buildAdjoint(Operation *op) {
  Value dy;
  for (Value result : op->getResults())
    if (Value gradient = lookup(result))
      dy = gradient;
  if (!dy)
    return success();
  static const llvm::StringMap<Rule> rules = makeRules();
  auto rule = rules.find(op->getName().getStringRef());
  if (rule == rules.end())
    return op->emitOpError("has no rule for its gradient");
  b.setLoc(op->getLoc());
  rule->second(op, dy, *this);
  return success();
}
