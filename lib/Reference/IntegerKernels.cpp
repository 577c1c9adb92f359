//===- IntegerKernels.cpp - what integer operations compute ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/bit.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

/// A kernel on integers: `fn(a, b, width)` gives the bits of the result.
template <typename Fn> static KernelMaker makeInteger(Fn fn) {
  return [fn](Operation *op) -> Kernel {
    unsigned width = getWidth(op->getOperand(0).getType());
    return [fn, width](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.i[l] = canonicalise(fn(in[0].i[l], in[1].i[l], width), width);
      return StatusCode::None;
    };
  };
}

/// The same on one integer.
template <typename Fn> static KernelMaker makeUnaryInteger(Fn fn) {
  return [fn](Operation *op) -> Kernel {
    unsigned width = getWidth(op->getOperand(0).getType());
    return [fn, width](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.i[l] = canonicalise(fn(in[0].i[l], width), width);
      return StatusCode::None;
    };
  };
}

/// base^exponent, modulo 2^width; 1 / base^n for a negative exponent.
static uint64_t power(int64_t base, int64_t exponent, unsigned width) {
  base = toSigned(base, width);
  exponent = toSigned(exponent, width);
  if (exponent < 0)
    return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
  uint64_t result = 1, square = base;
  for (; exponent != 0; exponent >>= 1, square *= square)
    if (exponent & 1)
      result *= square;
  return result;
}

/// The same for divisions.
template <typename Fn> static KernelMaker makeDivision(Fn fn) {
  return [fn](Operation *op) -> Kernel {
    unsigned width = getWidth(op->getOperand(0).getType());
    return [fn, width](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l) {
        if (in[1].i[l] == 0)
          return StatusCode::DivisionByZero;
        out.i[l] = canonicalise(fn(in[0].i[l], in[1].i[l], width), width);
      }
      return StatusCode::None;
    };
  };
}

/// Division by -1 that wraps instead of trapping.
static int64_t divide(int64_t a, int64_t b) {
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}
static int64_t remainder(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

static bool compareIntegers(arith::CmpIPredicate predicate, int64_t a,
                            int64_t b, unsigned width) {
  int64_t sa = toSigned(a, width), sb = toSigned(b, width);
  uint64_t ua = toUnsigned(a, width), ub = toUnsigned(b, width);
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return ua == ub;
  case arith::CmpIPredicate::ne:
    return ua != ub;
  case arith::CmpIPredicate::slt:
    return sa < sb;
  case arith::CmpIPredicate::sle:
    return sa <= sb;
  case arith::CmpIPredicate::sgt:
    return sa > sb;
  case arith::CmpIPredicate::sge:
    return sa >= sb;
  case arith::CmpIPredicate::ult:
    return ua < ub;
  case arith::CmpIPredicate::ule:
    return ua <= ub;
  case arith::CmpIPredicate::ugt:
    return ua > ub;
  case arith::CmpIPredicate::uge:
    return ua >= ub;
  }
  llvm_unreachable("unknown predicate");
}

static Kernel makeCmpI(Operation *op) {
  auto predicate = cast<arith::CmpIOp>(op).getPredicate();
  unsigned width = getWidth(op->getOperand(0).getType());
  return [=](int64_t n, ArrayRef<Lanes> in, Lanes out) {
    for (int64_t l = 0; l < n; ++l)
      out.i[l] = compareIntegers(predicate, in[0].i[l], in[1].i[l], width);
    return StatusCode::None;
  };
}

/// A change of width: `fn(value, width of the operand)` gives the bits.
template <typename Fn> static KernelMaker makeIntegerCast(Fn fn) {
  return [fn](Operation *op) -> Kernel {
    unsigned from = getWidth(op->getOperand(0).getType());
    unsigned to = getWidth(op->getResult(0).getType());
    return [=](int64_t n, ArrayRef<Lanes> in, Lanes out) {
      for (int64_t l = 0; l < n; ++l)
        out.i[l] = canonicalise(fn(in[0].i[l], from), to);
      return StatusCode::None;
    };
  };
}

void reference::addIntegerKernels(llvm::StringMap<KernelMaker> &makers) {
  auto add = [&](StringRef name, auto fn) { makers[name] = makeInteger(fn); };
  auto addDivision = [&](StringRef name, auto fn) {
    makers[name] = makeDivision(fn);
  };
  using U = uint64_t;
  using S = int64_t;
  using W = unsigned;
  add("arith.addi", [](S a, S b, W) { return U(a) + U(b); });
  add("arith.subi", [](S a, S b, W) { return U(a) - U(b); });
  add("arith.muli", [](S a, S b, W) { return U(a) * U(b); });
  add("math.ipowi", power);
  makers["math.absi"] = makeUnaryInteger([](S a, W w) {
    S value = toSigned(a, w);
    return value < 0 ? -U(value) : U(value);
  });
  makers["math.ctlz"] = makeUnaryInteger([](S a, W w) {
    return U(llvm::countl_zero(toUnsigned(a, w))) - (64 - w);
  });
  makers["math.cttz"] = makeUnaryInteger([](S a, W w) {
    return std::min<U>(llvm::countr_zero(toUnsigned(a, w)), w);
  });
  makers["math.ctpop"] = makeUnaryInteger(
      [](S a, W w) { return U(llvm::popcount(toUnsigned(a, w))); });
  add("arith.andi", [](S a, S b, W) { return U(a) & U(b); });
  add("arith.ori", [](S a, S b, W) { return U(a) | U(b); });
  add("arith.xori", [](S a, S b, W) { return U(a) ^ U(b); });
  add("arith.maxsi", [](S a, S b, W w) {
    return U(std::max(toSigned(a, w), toSigned(b, w)));
  });
  add("arith.minsi", [](S a, S b, W w) {
    return U(std::min(toSigned(a, w), toSigned(b, w)));
  });
  add("arith.maxui", [](S a, S b, W w) {
    return std::max(toUnsigned(a, w), toUnsigned(b, w));
  });
  add("arith.minui", [](S a, S b, W w) {
    return std::min(toUnsigned(a, w), toUnsigned(b, w));
  });
  // A shift by the width or more is poison; it gives 0 (or the sign) here.
  add("arith.shli",
      [](S a, S b, W w) { return toUnsigned(b, w) >= w ? U(0) : U(a) << b; });
  add("arith.shrui", [](S a, S b, W w) {
    return toUnsigned(b, w) >= w ? U(0) : toUnsigned(a, w) >> b;
  });
  add("arith.shrsi", [](S a, S b, W w) {
    return U(toSigned(a, w) >> std::min<U>(toUnsigned(b, w), 63));
  });
  addDivision("arith.divsi", [](S a, S b, W w) {
    return U(divide(toSigned(a, w), toSigned(b, w)));
  });
  addDivision("arith.remsi", [](S a, S b, W w) {
    return U(remainder(toSigned(a, w), toSigned(b, w)));
  });
  addDivision("arith.divui", [](S a, S b, W w) {
    return toUnsigned(a, w) / toUnsigned(b, w);
  });
  addDivision("arith.remui", [](S a, S b, W w) {
    return toUnsigned(a, w) % toUnsigned(b, w);
  });
  addDivision("arith.ceildivui", [](S a, S b, W w) {
    U ua = toUnsigned(a, w), ub = toUnsigned(b, w);
    return ua / ub + (ua % ub != 0);
  });
  addDivision("arith.floordivsi", [](S a, S b, W w) {
    S sa = toSigned(a, w), sb = toSigned(b, w), r = remainder(sa, sb);
    return U(divide(sa, sb) - (r != 0 && (r < 0) != (sb < 0)));
  });
  addDivision("arith.ceildivsi", [](S a, S b, W w) {
    S sa = toSigned(a, w), sb = toSigned(b, w), r = remainder(sa, sb);
    return U(divide(sa, sb) + (r != 0 && (r < 0) == (sb < 0)));
  });
  makers["arith.cmpi"] = makeCmpI;
  for (StringRef name : {"arith.extsi", "arith.index_cast"})
    makers[name] = makeIntegerCast([](S a, W w) { return U(toSigned(a, w)); });
  for (StringRef name : {"arith.extui", "arith.index_castui", "arith.trunci"})
    makers[name] = makeIntegerCast([](S a, W w) { return toUnsigned(a, w); });
}
