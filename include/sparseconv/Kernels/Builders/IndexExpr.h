//===- IndexExpr.h - arithmetic on values of a kernel -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_INDEXEXPR_H
#define SPARSECONV_KERNELS_BUILDERS_INDEXEXPR_H

#include "sparseconv/Kernels/Builders/GpuBuilder.h"

namespace mlir::sparseconv {

/// A non-negative i32 of a kernel under construction, with the operators that
/// layout functions are written in.
struct IndexExpr {
  IndexExpr(GpuBuilder &b, Value value) : b(&b), value(value) {}

  GpuBuilder *b;
  Value value;
};

struct ConditionExpr {
  GpuBuilder *b;
  Value value;
};

inline IndexExpr operator+(IndexExpr l, IndexExpr r) {
  return {*l.b, l.b->add(l.value, r.value)};
}
inline IndexExpr operator*(IndexExpr l, IndexExpr r) {
  return {*l.b, l.b->mul(l.value, r.value)};
}
inline IndexExpr operator^(IndexExpr l, IndexExpr r) {
  return {*l.b, l.b->xorBits(l.value, r.value)};
}
inline IndexExpr operator+(IndexExpr l, int64_t r) {
  return {*l.b, l.b->add(l.value, r)};
}
inline IndexExpr operator-(IndexExpr l, int64_t r) {
  return {*l.b, l.b->sub(l.value, r)};
}
inline IndexExpr operator*(IndexExpr l, int64_t r) {
  return {*l.b, l.b->mul(l.value, r)};
}
inline IndexExpr operator/(IndexExpr l, int64_t r) {
  return {*l.b, l.b->divide(l.value, r)};
}
inline IndexExpr operator%(IndexExpr l, int64_t r) {
  return {*l.b, l.b->remainder(l.value, r)};
}

/// Signed: differences may be negative where they are not used.
inline ConditionExpr isBelow(IndexExpr lhs, int64_t rhs) {
  return {lhs.b, lhs.b->less(lhs.value, lhs.b->i32(rhs))};
}
inline IndexExpr choose(ConditionExpr condition, IndexExpr ifTrue,
                        IndexExpr ifFalse) {
  GpuBuilder &b = *condition.b;
  return {b, b.select(condition.value, ifTrue.value, ifFalse.value)};
}

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_INDEXEXPR_H
