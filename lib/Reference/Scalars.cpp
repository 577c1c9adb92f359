//===- Scalars.cpp - what scalar operations compute -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of arith and math. Floating-point results are f64, rounded only
// where their type is narrower than f32 or the operation narrows it; integers
// wrap at their width.
//
//===----------------------------------------------------------------------===//

#include "ScalarKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

template <typename Fn> static KernelMaker makeUnary(Fn fn) {
  return [fn](Operation *) -> Kernel {
    return [fn](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      const double *a = in[0].f;
      for (int64_t l = 0; l < n; ++l)
        out.f[l] = fn(a[l]);
      return StatusCode::None;
    };
  };
}

template <typename Fn> static KernelMaker makeBinary(Fn fn) {
  return [fn](Operation *) -> Kernel {
    return [fn](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      const double *a = in[0].f, *b = in[1].f;
      for (int64_t l = 0; l < n; ++l)
        out.f[l] = fn(a[l], b[l]);
      return StatusCode::None;
    };
  };
}

template <typename Fn> static KernelMaker makeTernary(Fn fn) {
  return [fn](Operation *) -> Kernel {
    return [fn](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.f[l] = fn(in[0].f[l], in[1].f[l], in[2].f[l]);
      return StatusCode::None;
    };
  };
}

/// A question about one floating-point number.
template <typename Fn> static KernelMaker makeTest(Fn fn) {
  return [fn](Operation *) -> Kernel {
    return [fn](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.i[l] = fn(in[0].f[l]);
      return StatusCode::None;
    };
  };
}

/// maximumf: NaN if either is NaN, +0 above -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::numeric_limits<double>::quiet_NaN();
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
static double minimum(double a, double b) { return -maximum(-a, -b); }

static bool compareFloats(arith::CmpFPredicate predicate, double a, double b) {
  using P = arith::CmpFPredicate;
  bool unordered = std::isnan(a) || std::isnan(b);
  switch (predicate) {
  case P::AlwaysFalse:
    return false;
  case P::OEQ:
    return a == b;
  case P::OGT:
    return a > b;
  case P::OGE:
    return a >= b;
  case P::OLT:
    return a < b;
  case P::OLE:
    return a <= b;
  case P::ONE:
    return !unordered && a != b;
  case P::ORD:
    return !unordered;
  case P::UEQ:
    return unordered || a == b;
  case P::UGT:
    return unordered || a > b;
  case P::UGE:
    return unordered || a >= b;
  case P::ULT:
    return unordered || a < b;
  case P::ULE:
    return unordered || a <= b;
  case P::UNE:
    return a != b;
  case P::UNO:
    return unordered;
  case P::AlwaysTrue:
    return true;
  }
  llvm_unreachable("unknown predicate");
}

/// isnormal depends on the type, which is wider here.
static Kernel makeIsNormal(Operation *op) {
  auto type = cast<FloatType>(getElementTypeOrSelf(op->getOperand(0)));
  double smallest = APFloat::getSmallestNormalized(type.getFloatSemantics())
                        .convertToDouble();
  return [smallest](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l)
      out.i[l] = std::isfinite(in[0].f[l]) && std::abs(in[0].f[l]) >= smallest;
    return StatusCode::None;
  };
}

static Kernel makeCmpF(Operation *op) {
  auto predicate = cast<arith::CmpFOp>(op).getPredicate();
  return [predicate](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l)
      out.i[l] = compareFloats(predicate, in[0].f[l], in[1].f[l]);
    return StatusCode::None;
  };
}

static void addFloatArithmetic(llvm::StringMap<KernelMaker> &makers) {
  auto binary = [&](StringRef name, auto fn) { makers[name] = makeBinary(fn); };
  binary("arith.addf", [](double a, double b) { return a + b; });
  binary("arith.subf", [](double a, double b) { return a - b; });
  binary("arith.mulf", [](double a, double b) { return a * b; });
  binary("arith.divf", [](double a, double b) { return a / b; });
  binary("arith.remf", [](double a, double b) { return std::fmod(a, b); });
  binary("arith.maximumf", maximum);
  binary("arith.minimumf", minimum);
  binary("arith.maxnumf", [](double a, double b) { return std::fmax(a, b); });
  binary("arith.minnumf", [](double a, double b) { return std::fmin(a, b); });
  makers["arith.negf"] = makeUnary([](double a) { return -a; });
  makers["arith.cmpf"] = makeCmpF;
  // getScalarKernel() rounds.
  for (StringRef name : {"arith.extf", "arith.truncf"})
    makers[name] = makeUnary([](double a) { return a; });
}

static void addMathKernels(llvm::StringMap<KernelMaker> &makers) {
  auto unary = [&](StringRef name, double (*fn)(double)) {
    makers[name] = makeUnary(fn);
  };
  unary("math.absf", std::fabs);
  unary("math.acos", std::acos);
  unary("math.acosh", std::acosh);
  unary("math.asin", std::asin);
  unary("math.asinh", std::asinh);
  unary("math.atan", std::atan);
  unary("math.atanh", std::atanh);
  unary("math.cbrt", std::cbrt);
  unary("math.ceil", std::ceil);
  unary("math.cos", std::cos);
  unary("math.cosh", std::cosh);
  unary("math.erf", std::erf);
  unary("math.erfc", std::erfc);
  unary("math.exp", std::exp);
  unary("math.exp2", std::exp2);
  unary("math.expm1", std::expm1);
  unary("math.floor", std::floor);
  unary("math.log", std::log);
  unary("math.log10", std::log10);
  unary("math.log1p", std::log1p);
  unary("math.log2", std::log2);
  unary("math.round", std::round);
  unary("math.roundeven", std::nearbyint);
  unary("math.sin", std::sin);
  unary("math.sinh", std::sinh);
  unary("math.sqrt", std::sqrt);
  unary("math.tan", std::tan);
  unary("math.tanh", std::tanh);
  unary("math.trunc", std::trunc);
  makers["math.rsqrt"] = makeUnary([](double a) { return 1 / std::sqrt(a); });
  makers["math.atan2"] =
      makeBinary([](double a, double b) { return std::atan2(a, b); });
  makers["math.copysign"] =
      makeBinary([](double a, double b) { return std::copysign(a, b); });
  makers["math.powf"] =
      makeBinary([](double a, double b) { return std::pow(a, b); });
  makers["math.fma"] = makeTernary(
      [](double a, double b, double c) { return std::fma(a, b, c); });
  makers["math.clampf"] =
      makeTernary([](double value, double low, double high) {
        return minimum(maximum(value, low), high);
      });
  makers["math.isnan"] = makeTest([](double a) { return std::isnan(a); });
  makers["math.isinf"] = makeTest([](double a) { return std::isinf(a); });
  makers["math.isfinite"] = makeTest([](double a) { return std::isfinite(a); });
  makers["math.isnormal"] = makeIsNormal;
  makers["math.fpowi"] = [](Operation *) -> Kernel {
    return [](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.f[l] = std::pow(in[0].f[l], static_cast<double>(in[1].i[l]));
      return StatusCode::None;
    };
  };
}

//===----------------------------------------------------------------------===//
// Both
//===----------------------------------------------------------------------===//

static Kernel makeSelect(Operation *op) {
  if (!getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndexOrFloat())
    return nullptr;
  return [](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l) {
      const Lanes &taken = in[0].i[l] ? in[1] : in[2];
      if (out.f)
        out.f[l] = taken.f[l];
      else
        out.i[l] = taken.i[l];
    }
    return StatusCode::None;
  };
}

/// Converts towards zero; numbers beyond the type (poison) are clamped.
static int64_t toInteger(double value, double lowest, double highest) {
  if (std::isnan(value))
    return 0;
  double clamped = std::trunc(std::min(std::max(value, lowest), highest));
  // 2^63 and 2^64 have no signed 64-bit value.
  if (clamped >= 0x1p63)
    return clamped >= 0x1p64 ? -1 : static_cast<int64_t>(uint64_t(clamped));
  return static_cast<int64_t>(clamped);
}

static Kernel makeFloatToInteger(Operation *op) {
  unsigned width = getWidth(op->getResult(0).getType());
  bool isSigned = isa<arith::FPToSIOp>(op);
  double lowest = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double highest = std::ldexp(1.0, isSigned ? width - 1 : width);
  if (width < 53)
    highest -= 1;
  return [=](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l) {
      int64_t value = toInteger(in[0].f[l], lowest, highest);
      if (isSigned && width == 64 && in[0].f[l] >= 0x1p63)
        value = std::numeric_limits<int64_t>::max();
      out.i[l] = canonicalise(value, width);
    }
    return StatusCode::None;
  };
}

static Kernel makeIntegerToFloat(Operation *op) {
  unsigned width = getWidth(op->getOperand(0).getType());
  bool isSigned = isa<arith::SIToFPOp>(op);
  return [=](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l)
      out.f[l] = isSigned ? static_cast<double>(toSigned(in[0].i[l], width))
                          : static_cast<double>(toUnsigned(in[0].i[l], width));
    return StatusCode::None;
  };
}

static llvm::StringMap<KernelMaker> makeKernelMakers() {
  llvm::StringMap<KernelMaker> makers;
  addIntegerKernels(makers);
  addFloatArithmetic(makers);
  addMathKernels(makers);
  makers["arith.select"] = makeSelect;
  for (StringRef name : {"arith.fptosi", "arith.fptoui"})
    makers[name] = makeFloatToInteger;
  for (StringRef name : {"arith.sitofp", "arith.uitofp"})
    makers[name] = makeIntegerToFloat;
  return makers;
}

/// Whether the result of `op` is rounded where it is computed. That of f32 is
/// not: it is stored soon enough, and until then the reference is the better
/// for it. A type with fewer bits is written down to be rounded to.
static bool roundsItself(Operation *op) {
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(op->getResult(0)));
  return type && (type.getWidth() < 32 || isa<arith::TruncFOp>(op));
}

static Kernel makeRounding(Kernel kernel, ElementKind kind) {
  return [kernel = std::move(kernel), kind](int64_t n, ArrayRef<Lanes> in,
                                            Lanes out) {
    StatusCode code = kernel(n, in, out);
    for (int64_t l = 0; l < n; ++l)
      out.f[l] = ::sparseconv::roundTo(kind, out.f[l]);
    return code;
  };
}

Kernel reference::getScalarKernel(Operation *op, bool isExact) {
  static const llvm::StringMap<KernelMaker> makers = makeKernelMakers();
  auto it = makers.find(op->getName().getStringRef());
  if (it == makers.end() || op->getNumResults() != 1)
    return nullptr;
  auto isTooWide = [](Type type) {
    auto integer = dyn_cast<IntegerType>(getElementTypeOrSelf(type));
    return integer && integer.getWidth() > 64;
  };
  if (llvm::any_of(op->getOperandTypes(), isTooWide) ||
      isTooWide(op->getResult(0).getType()))
    return nullptr;
  Kernel kernel = it->second(op);
  if (!kernel || isExact || !roundsItself(op))
    return kernel;
  std::optional<ElementKind> kind = getElementKind(op->getResult(0).getType());
  return kind ? makeRounding(std::move(kernel), *kind) : nullptr;
}

std::optional<ReferenceValue> reference::getScalarConstant(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return ReferenceValue(number.getValueAsDouble());
  if (auto number = dyn_cast<IntegerAttr>(value)) {
    if (number.getValue().getBitWidth() > 64)
      return std::nullopt;
    unsigned width = getWidth(number.getType());
    return ReferenceValue(
        canonicalise(number.getValue().getZExtValue(), width));
  }
  return std::nullopt;
}
