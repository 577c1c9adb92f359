//===- MathFunctions.cpp - functions of one or two f32 --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In f64 the textbook formulas are good enough: sums of series whose arguments
// have been made small, with 29 bits to spare. Angles are reduced with as many
// bits of 2 / pi as their size asks for.
//
//===----------------------------------------------------------------------===//

#include "MathFunctions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;

static constexpr double kPi = 0x1.921fb54442d18p+1;
static constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Below this, functions with f(x) = x + O(x^3) are x to half a unit of f32.
static constexpr double kTiny = 0x1p-13;

namespace {
/// Arithmetic on f64.
class DoubleMath : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  Value c(double value) {
    return arith::ConstantOp::create(*this, getF64FloatAttr(value));
  }
  Value add(Value a, Value b) { return arith::AddFOp::create(*this, a, b); }
  Value sub(Value a, Value b) { return arith::SubFOp::create(*this, a, b); }
  Value mul(Value a, Value b) { return arith::MulFOp::create(*this, a, b); }
  Value div(Value a, Value b) { return arith::DivFOp::create(*this, a, b); }
  Value neg(Value a) { return arith::NegFOp::create(*this, a); }
  Value fma(Value a, Value b, Value c) {
    return math::FmaOp::create(*this, a, b, c);
  }
  Value abs(Value a) { return math::AbsFOp::create(*this, a); }
  Value sqrt(Value a) { return math::SqrtOp::create(*this, a); }
  Value floor(Value a) { return math::FloorOp::create(*this, a); }
  Value trunc(Value a) { return math::TruncOp::create(*this, a); }
  Value nearest(Value a) { return math::RoundEvenOp::create(*this, a); }
  Value withSign(Value a, Value sign) {
    return math::CopySignOp::create(*this, a, sign);
  }
  Value compare(CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(*this, predicate, a, b);
  }
  Value less(Value a, Value b) { return compare(CmpFPredicate::OLT, a, b); }
  Value equal(Value a, Value b) { return compare(CmpFPredicate::OEQ, a, b); }
  Value both(Value a, Value b) { return arith::AndIOp::create(*this, a, b); }
  Value either(Value a, Value b) { return arith::OrIOp::create(*this, a, b); }
  Value select(Value condition, Value a, Value b) {
    return arith::SelectOp::create(*this, condition, a, b);
  }
  /// coefficients[0] + x * (coefficients[1] + ...).
  Value polynomial(Value x, ArrayRef<double> coefficients) {
    Value sum = c(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = fma(sum, x, c(coefficient));
    return sum;
  }
  /// x, where it is so small that the result is.
  Value unlessTiny(Value x, Value result) {
    return select(less(abs(x), c(kTiny)), x, result);
  }
  /// 2^n for a whole number n of -1022 .. 1023.
  Value power2(Value n);

  Value exp(Value x);
  Value log(Value x);
  std::pair<Value, Value> sinCos(Value x);
  Value tan(Value x);
  Value atan2(Value y, Value x);
  Value pow(Value x, Value y);
  Value sinh(Value x);
  Value cosh(Value x);
  Value asinh(Value x);
  Value acosh(Value x);
  Value atanh(Value x);
  Value cbrt(Value x);
  Value remainder(Value x, Value y);

private:
  /// x = (quadrant + rest) * pi / 2, with the quadrant modulo 4.
  struct Angle {
    Value quadrant, rest;
  };
  Angle reduceNear(Value x);
  Angle reduceFar(Value x);
};
} // namespace

Value DoubleMath::power2(Value n) {
  Value whole = arith::FPToSIOp::create(*this, getI64Type(), n);
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(*this, value, 64);
  };
  Value biased = arith::AddIOp::create(*this, whole, constant(1023));
  Value bits = arith::ShLIOp::create(*this, biased, constant(52));
  return arith::BitcastOp::create(*this, getF64Type(), bits);
}

Value DoubleMath::exp(Value x) {
  // What is beyond is 0 or infinite as f32, whose exponents go to 128.
  Value high = select(less(x, c(200)), x, c(200));
  Value bounded = select(less(high, c(-200)), c(-200), high);
  Value n = nearest(mul(bounded, c(0x1.71547652b82fep+0)));
  Value rest = fma(n, c(-0x1.62e42fefa39efp-1), bounded);
  rest = fma(n, c(-0x1.abc9e3b39803fp-56), rest);
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int i = 0; i <= 11; ++i, factorial *= i)
    coefficients.push_back(1 / factorial);
  Value result = mul(polynomial(rest, coefficients), power2(n));
  return select(compare(CmpFPredicate::UNO, x, x), x, result);
}

Value DoubleMath::log(Value x) {
  // x = m * 2^e, m around 1. f32 has no subnormals as f64.
  Value bits = arith::BitcastOp::create(*this, getI64Type(), x);
  auto constant = [&](int64_t value) {
    return arith::ConstantIntOp::create(*this, value, 64);
  };
  // The bits of the root of 1/2 become those of 1.
  constexpr int64_t root = 0x3fe6a09e667f3bcd, one = 0x3ff0000000000000;
  Value shifted = arith::AddIOp::create(*this, bits, constant(one - root));
  Value exponent = arith::SubIOp::create(
      *this, arith::ShRUIOp::create(*this, shifted, constant(52)),
      constant(1023));
  Value mantissa =
      arith::AndIOp::create(*this, shifted, constant((int64_t(1) << 52) - 1));
  Value m = arith::BitcastOp::create(
      *this, getF64Type(),
      arith::AddIOp::create(*this, mantissa, constant(root)));
  Value e = arith::SIToFPOp::create(*this, getF64Type(), exponent);
  // log m = 2 atanh((m - 1) / (m + 1)).
  Value s = div(sub(m, c(1)), add(m, c(1)));
  SmallVector<double> coefficients;
  for (int i = 0; i <= 9; ++i)
    coefficients.push_back(2.0 / (2 * i + 1));
  Value series = mul(s, polynomial(mul(s, s), coefficients));
  Value result = fma(e, c(0x1.62e42fefa39efp-1), series);
  result = select(equal(x, c(kInfinity)), x, result);
  result = select(equal(x, c(0)), c(-kInfinity), result);
  Value invalid = either(less(x, c(0)), compare(CmpFPredicate::UNO, x, x));
  return select(invalid, c(std::nan("")), result);
}

DoubleMath::Angle DoubleMath::reduceNear(Value x) {
  // pi / 2 in two parts; n has at most 30 bits.
  Value n = nearest(mul(x, c(2 / kPi)));
  Value rest = fma(n, c(-kPi / 2), x);
  rest = fma(n, c(-0x1.1a62633145c07p-54), rest);
  return {sub(n, mul(c(4), floor(mul(n, c(0.25))))), mul(rest, c(2 / kPi))};
}

DoubleMath::Angle DoubleMath::reduceFar(Value x) {
  // 2 / pi, 28 bits at a time: products with the 24 bits of an f32 are exact,
  // and so is what is left of them modulo 4 (Payne and Hanek, "Radian reduction
  // for trigonometric functions", 1983). What is whole is taken out at once, so
  // that the sum keeps the bits that are left where the angle is close to a
  // multiple of pi / 2.
  const int64_t digits[] = {0xa2f9836, 0xe4e4415, 0x29fc275, 0x7d1f534,
                            0xddc0db6, 0x295993c, 0x439041f, 0xe5163ab};
  Value quadrant = c(0), rest = c(0);
  for (auto [i, digit] : llvm::enumerate(digits)) {
    double weight =
        std::ldexp(static_cast<double>(digit), -28 * (static_cast<int>(i) + 1));
    Value product = mul(x, c(weight));
    product = sub(product, mul(c(4), floor(mul(product, c(0.25)))));
    Value sum = add(rest, product), whole = nearest(sum);
    rest = sub(sum, whole);
    quadrant = add(quadrant, whole);
  }
  quadrant = sub(quadrant, mul(c(4), floor(mul(quadrant, c(0.25)))));
  return {quadrant, rest};
}

std::pair<Value, Value> DoubleMath::sinCos(Value x) {
  Type f64 = getF64Type();
  auto isNear = scf::IfOp::create(*this, TypeRange{f64, f64},
                                  less(abs(x), c(0x1p29)), true);
  for (bool near : {true, false}) {
    OpBuilder::InsertionGuard guard(*this);
    setInsertionPointToStart(near ? isNear.thenBlock() : isNear.elseBlock());
    Angle angle = near ? reduceNear(x) : reduceFar(x);
    scf::YieldOp::create(*this, ValueRange{angle.quadrant, angle.rest});
  }
  Value quadrant = isNear.getResult(0);
  Value rest = mul(isNear.getResult(1), c(kPi / 2)), square = mul(rest, rest);
  SmallVector<double> sine, cosine;
  double factorial = 1;
  for (int i = 0; i <= 14; factorial *= ++i)
    (i % 2 ? sine : cosine).push_back((i % 4 < 2 ? 1 : -1) / factorial);
  Value s = mul(rest, polynomial(square, sine));
  Value k = polynomial(square, cosine);
  auto isAny = [&](double a, double b) {
    return either(equal(quadrant, c(a)), equal(quadrant, c(b)));
  };
  Value isOdd = isAny(1, 3);
  auto signedBy = [&](Value isNegative, Value value) {
    return select(isNegative, neg(value), value);
  };
  Value sinValue = signedBy(isAny(2, 3), select(isOdd, k, s));
  Value cosValue = signedBy(isAny(1, 2), select(isOdd, s, k));
  return {unlessTiny(x, sinValue), cosValue};
}

Value DoubleMath::tan(Value x) {
  auto [sinValue, cosValue] = sinCos(x);
  return unlessTiny(x, div(sinValue, cosValue));
}

Value DoubleMath::atan2(Value y, Value x) {
  Value ax = abs(x), ay = abs(y);
  Value isSteep = less(ax, ay);
  Value least = select(isSteep, ax, ay), most = select(isSteep, ay, ax);
  // 0 / 0 and infinity / infinity stand for 0 and 1.
  Value ratio = div(least, most);
  ratio = select(equal(least, c(0)), c(0), ratio);
  ratio = select(equal(least, c(kInfinity)), c(1), ratio);
  // atan r = pi / 4 + atan((r - 1) / (r + 1)), which halves the interval.
  Value isLarge = less(c(0.4142135623730950), ratio);
  Value small = select(isLarge, div(sub(ratio, c(1)), add(ratio, c(1))), ratio);
  SmallVector<double> coefficients;
  for (int i = 0; i <= 16; ++i)
    coefficients.push_back((i % 2 ? -1.0 : 1.0) / (2 * i + 1));
  Value angle = mul(small, polynomial(mul(small, small), coefficients));
  angle = select(isLarge, add(angle, c(kPi / 4)), angle);
  angle = select(isSteep, sub(c(kPi / 2), angle), angle);
  Value isLeft = less(withSign(c(1), x), c(0));
  angle = withSign(select(isLeft, sub(c(kPi), angle), angle), y);
  Value isInvalid = compare(CmpFPredicate::UNO, x, y);
  return select(isInvalid, add(x, y), angle);
}

Value DoubleMath::pow(Value x, Value y) {
  Value result = exp(mul(y, log(abs(x))));
  Value isWhole = equal(trunc(y), y);
  Value half = mul(y, c(0.5));
  Value isOdd = both(isWhole, compare(CmpFPredicate::ONE, trunc(half), half));
  Value isNegative = less(withSign(c(1), x), c(0));
  result = select(both(isNegative, isOdd), neg(result), result);
  // A root of a negative number; infinite exponents are whole.
  Value isRoot = both(both(less(x, c(0)), less(c(-kInfinity), x)),
                      compare(CmpFPredicate::ONE, trunc(y), y));
  result = select(isRoot, c(std::nan("")), result);
  Value isOne = either(either(equal(x, c(1)), equal(y, c(0))),
                       both(equal(x, c(-1)), equal(abs(y), c(kInfinity))));
  return select(isOne, c(1), result);
}

Value DoubleMath::sinh(Value x) {
  Value large = exp(x);
  large = mul(c(0.5), sub(large, div(c(1), large)));
  SmallVector<double> coefficients;
  double factorial = 1;
  for (int i = 1; i <= 15; i += 2, factorial *= i * (i - 1))
    coefficients.push_back(1 / factorial);
  Value small = mul(x, polynomial(mul(x, x), coefficients));
  return unlessTiny(x, select(less(abs(x), c(1)), small, large));
}

Value DoubleMath::cosh(Value x) {
  Value power = exp(x);
  return mul(c(0.5), add(power, div(c(1), power)));
}

Value DoubleMath::asinh(Value x) {
  Value a = abs(x);
  Value result = log(add(a, sqrt(fma(a, a, c(1)))));
  return unlessTiny(x, withSign(result, x));
}

Value DoubleMath::acosh(Value x) {
  Value root = sqrt(mul(sub(x, c(1)), add(x, c(1))));
  Value result = log(add(x, root));
  return select(less(x, c(1)), c(std::nan("")), result);
}

Value DoubleMath::atanh(Value x) {
  Value result = mul(c(0.5), log(div(add(c(1), x), sub(c(1), x))));
  return unlessTiny(x, result);
}

Value DoubleMath::cbrt(Value x) {
  Value root = exp(div(log(abs(x)), c(3)));
  return withSign(select(equal(x, c(0)), c(0), root), x);
}

Value DoubleMath::remainder(Value x, Value y) {
  // Long division: each step takes off a multiple of y 2^n with a quotient of
  // at most 28 bits, whose product with the 24 bits of y is exact.
  Value divisor = abs(y), rest = abs(x);
  Value isValid = both(both(less(rest, c(kInfinity)), less(c(0), divisor)),
                       both(less(divisor, c(kInfinity)), equal(x, x)));
  auto loop = scf::WhileOp::create(*this, TypeRange(getF64Type()), rest);
  OpBuilder::InsertionGuard guard(*this);
  Block *before = createBlock(&loop.getBefore(), {}, getF64Type(), getLoc());
  Value left = before->getArgument(0);
  Value more = both(isValid, compare(CmpFPredicate::OGE, left, divisor));
  scf::ConditionOp::create(*this, more, left);
  Block *after = createBlock(&loop.getAfter(), {}, getF64Type(), getLoc());
  left = after->getArgument(0);
  // A power of two that brings the divisor to within 2^27 of the rest.
  auto exponent = [&](Value value) {
    Value bits = arith::BitcastOp::create(*this, getI64Type(), value);
    Value shift = arith::ConstantIntOp::create(*this, 52, 64);
    return arith::ShRUIOp::create(*this, bits, shift).getResult();
  };
  Value distance =
      arith::SubIOp::create(*this, exponent(left), exponent(divisor));
  Value excess = arith::MaxSIOp::create(
      *this,
      arith::SubIOp::create(*this, distance,
                            arith::ConstantIntOp::create(*this, 26, 64)),
      arith::ConstantIntOp::create(*this, 0, 64));
  Value scale = arith::SIToFPOp::create(*this, getF64Type(), excess);
  Value scaled = mul(divisor, power2(scale));
  Value quotient = trunc(div(left, scaled));
  Value next = fma(neg(quotient), scaled, left);
  // A quotient that was rounded up to the next whole number.
  next = select(less(next, c(0)), add(next, scaled), next);
  scf::YieldOp::create(*this, next);
  setInsertionPointAfter(loop);
  Value result = withSign(loop.getResult(0), x);
  Value isSmall = both(equal(divisor, c(kInfinity)), less(rest, c(kInfinity)));
  result = select(either(isValid, isSmall), result, c(std::nan("")));
  return result;
}

/// The results of `op` on `x` in f64, or nothing.
static SmallVector<Value> compute(DoubleMath &b, Operation *op,
                                  ArrayRef<Value> x) {
  auto cathetus = [&] {
    return b.sqrt(b.mul(b.sub(b.c(1), x[0]), b.add(b.c(1), x[0])));
  };
  auto is = [&](StringRef name) {
    return op->getName().getStringRef() == name;
  };
  if (is("arith.remf"))
    return {b.remainder(x[0], x[1])};
  if (is("math.acos"))
    return {b.atan2(cathetus(), x[0])};
  if (is("math.acosh"))
    return {b.acosh(x[0])};
  if (is("math.asin"))
    return {b.atan2(x[0], cathetus())};
  if (is("math.asinh"))
    return {b.asinh(x[0])};
  if (is("math.atan"))
    return {b.atan2(x[0], b.c(1))};
  if (is("math.atan2"))
    return {b.atan2(x[0], x[1])};
  if (is("math.atanh"))
    return {b.atanh(x[0])};
  if (is("math.cbrt"))
    return {b.cbrt(x[0])};
  if (is("math.cos"))
    return {b.sinCos(x[0]).second};
  if (is("math.cosh"))
    return {b.cosh(x[0])};
  if (is("math.exp2"))
    return {b.exp(b.mul(x[0], b.c(std::log(2.0))))};
  if (is("math.fpowi") || is("math.powf"))
    return {b.pow(x[0], x[1])};
  if (is("math.log"))
    return {b.log(x[0])};
  if (is("math.log10"))
    return {b.mul(b.log(x[0]), b.c(1 / std::log(10.0)))};
  if (is("math.log2"))
    return {b.mul(b.log(x[0]), b.c(1 / std::log(2.0)))};
  if (is("math.sin"))
    return {b.sinCos(x[0]).first};
  if (is("math.sincos")) {
    auto [sine, cosine] = b.sinCos(x[0]);
    return {sine, cosine};
  }
  if (is("math.sinh"))
    return {b.sinh(x[0])};
  if (is("math.tan"))
    return {b.tan(x[0])};
  return {};
}

bool mlir::sparseconv::expandInDouble(RewriterBase &rewriter, Operation *op) {
  if (op->getNumOperands() == 0 || !op->getOperand(0).getType().isF32())
    return false;
  rewriter.setInsertionPoint(op);
  DoubleMath b(op->getLoc(), rewriter);
  SmallVector<Value> wide;
  for (Value operand : op->getOperands()) {
    // The exponent of fpowi is a whole number.
    if (isa<IntegerType>(operand.getType()))
      wide.push_back(
          arith::SIToFPOp::create(b, b.getF64Type(), operand).getResult());
    else
      wide.push_back(
          arith::ExtFOp::create(b, b.getF64Type(), operand).getResult());
  }
  SmallVector<Value> results = compute(b, op, wide);
  if (results.empty())
    return false;
  for (Value &result : results)
    result = arith::TruncFOp::create(b, b.getF32Type(), result);
  rewriter.replaceOp(op, results);
  return true;
}
