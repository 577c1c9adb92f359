//===- SizeExpr.cpp - sizes as expressions of capacities ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Plan.h"
#include <algorithm>

using namespace sparseconv::plan;
using Kind = SizeTerm::Kind;

SizeExpr SizeExpr::constant(int64_t value) {
  SizeTerm term;
  term.value = value;
  return {{term}};
}

SizeExpr SizeExpr::capacity(uint32_t input, uint32_t dim) {
  SizeTerm term;
  term.kind = Kind::Capacity;
  term.input = input;
  term.dim = dim;
  return {{term}};
}

SizeExpr SizeExpr::growable(uint32_t growable) {
  SizeTerm term;
  term.kind = Kind::Growable;
  term.growable = growable;
  return {{term}};
}

static std::optional<int64_t> apply(Kind kind, int64_t a, int64_t b,
                                    std::string &error) {
  int64_t result = 0;
  bool overflows = false;
  switch (kind) {
  case Kind::Add:
    overflows = __builtin_add_overflow(a, b, &result);
    break;
  case Kind::Mul:
    overflows = __builtin_mul_overflow(a, b, &result);
    break;
  case Kind::CeilDiv:
  case Kind::FloorDiv: {
    if (b < 1) {
      error = "division of a size by " + std::to_string(b);
      return std::nullopt;
    }
    int64_t remainder = a % b;
    result = a / b;
    if (kind == Kind::CeilDiv && remainder > 0)
      ++result;
    if (kind == Kind::FloorDiv && remainder < 0)
      --result;
    break;
  }
  case Kind::Max:
    result = std::max(a, b);
    break;
  case Kind::Min:
    result = std::min(a, b);
    break;
  case Kind::Constant:
  case Kind::Capacity:
  case Kind::Growable:
  case Kind::Exact:
    break;
  }
  if (overflows) {
    error = "a size does not fit 63 bits";
    return std::nullopt;
  }
  return result;
}

/// Folds constants, so that the expressions of static shapes stay short.
static SizeExpr combine(Kind kind, const SizeExpr &a, const SizeExpr &b) {
  if (a.terms.size() == 1 && b.terms.size() == 1 &&
      a.terms[0].kind == Kind::Constant && b.terms[0].kind == Kind::Constant) {
    std::string error;
    if (std::optional<int64_t> value =
            apply(kind, a.terms[0].value, b.terms[0].value, error))
      return SizeExpr::constant(*value);
  }
  SizeExpr result = a;
  result.terms.insert(result.terms.end(), b.terms.begin(), b.terms.end());
  SizeTerm term;
  term.kind = kind;
  result.terms.push_back(term);
  return result;
}

SizeExpr sparseconv::plan::operator+(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::Add, a, b);
}
SizeExpr sparseconv::plan::operator*(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::Mul, a, b);
}
SizeExpr sparseconv::plan::ceilDiv(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::CeilDiv, a, b);
}
SizeExpr sparseconv::plan::floorDiv(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::FloorDiv, a, b);
}
SizeExpr sparseconv::plan::max(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::Max, a, b);
}
SizeExpr sparseconv::plan::min(const SizeExpr &a, const SizeExpr &b) {
  return combine(Kind::Min, a, b);
}
SizeExpr sparseconv::plan::exact(uint32_t slot, const SizeExpr &capacity) {
  SizeExpr result = capacity;
  SizeTerm term;
  term.kind = Kind::Exact;
  term.slot = slot;
  result.terms.push_back(term);
  return result;
}

std::optional<int64_t> sparseconv::plan::evaluate(const SizeExpr &expr,
                                                  const Capacities &capacities,
                                                  std::string &error) {
  std::vector<int64_t> stack;
  for (const SizeTerm &term : expr.terms) {
    switch (term.kind) {
    case Kind::Constant:
      stack.push_back(term.value);
      continue;
    case Kind::Capacity:
      if (term.input >= capacities.inputs.size() ||
          term.dim >= capacities.inputs[term.input].size()) {
        error = "a size refers to a dimension that is not there";
        return std::nullopt;
      }
      stack.push_back(capacities.inputs[term.input][term.dim]);
      continue;
    case Kind::Growable:
      if (term.growable >= capacities.growables.size()) {
        error = "a size refers to a capacity that is not there";
        return std::nullopt;
      }
      stack.push_back(capacities.growables[term.growable]);
      continue;
    case Kind::Exact:
      if (stack.empty()) {
        error = "a size expression lacks operands";
        return std::nullopt;
      }
      // What a kernel has written is no more to be trusted than its memory.
      if (term.slot < capacities.slots.size())
        stack.back() = std::clamp<int64_t>(capacities.slots[term.slot], 0,
                                           std::max<int64_t>(stack.back(), 0));
      continue;
    default:
      break;
    }
    if (stack.size() < 2) {
      error = "a size expression lacks operands";
      return std::nullopt;
    }
    int64_t b = stack.back();
    stack.pop_back();
    std::optional<int64_t> result = apply(term.kind, stack.back(), b, error);
    if (!result)
      return std::nullopt;
    stack.back() = *result;
  }
  if (stack.size() != 1) {
    error = "a size expression does not leave one value";
    return std::nullopt;
  }
  return stack[0];
}
