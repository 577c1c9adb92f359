//===- ExpandMath.cpp - math operations that no target has ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Transforms/ExpandMath.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVEXPANDMATH
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;
using arith::CmpFPredicate;
using arith::CmpIPredicate;

/// A constant of a scalar type, or the same in every lane of a vector.
static Value createConstant(ImplicitLocOpBuilder &b, Type type,
                            TypedAttr value) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    value = DenseElementsAttr::get(shaped, Attribute(value));
  return arith::ConstantOp::create(b, value);
}

static Value createInteger(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return createConstant(b, type,
                        b.getIntegerAttr(getElementTypeOrSelf(type), value));
}

static Value createFloat(ImplicitLocOpBuilder &b, Type type,
                         const APFloat &value) {
  return createConstant(b, type,
                        b.getFloatAttr(getElementTypeOrSelf(type), value));
}

static const llvm::fltSemantics &getSemantics(Type type) {
  return cast<FloatType>(getElementTypeOrSelf(type)).getFloatSemantics();
}

/// The lower bound first. Upstream's expansion gives the upper one for a number
/// below both.
static LogicalResult expandClampF(math::ClampFOp op,
                                  PatternRewriter &rewriter) {
  Value raised = arith::MaximumFOp::create(rewriter, op.getLoc(), op.getValue(),
                                           op.getMin());
  rewriter.replaceOpWithNewOp<arith::MinimumFOp>(op, raised, op.getMax());
  return success();
}

/// |x| is infinite.
static LogicalResult expandIsInf(math::IsInfOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type type = op.getOperand().getType();
  Value infinity = createFloat(b, type, APFloat::getInf(getSemantics(type)));
  Value size = math::AbsFOp::create(b, op.getOperand());
  rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, CmpFPredicate::OEQ, size,
                                             infinity);
  return success();
}

/// The smallest normal number <= |x| < infinity.
static LogicalResult expandIsNormal(math::IsNormalOp op,
                                    PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type type = op.getOperand().getType();
  Value infinity = createFloat(b, type, APFloat::getInf(getSemantics(type)));
  Value smallest =
      createFloat(b, type, APFloat::getSmallestNormalized(getSemantics(type)));
  Value size = math::AbsFOp::create(b, op.getOperand());
  Value isFinite = arith::CmpFOp::create(b, CmpFPredicate::OLT, size, infinity);
  Value isLarge = arith::CmpFOp::create(b, CmpFPredicate::OGE, size, smallest);
  rewriter.replaceOpWithNewOp<arith::AndIOp>(op, isFinite, isLarge);
  return success();
}

/// By squaring, without a loop: one multiplication and one square for each bit
/// of the exponent. 1 / x^n, where n is negative, is 0 unless |x| is 1.
static LogicalResult expandIPowI(math::IPowIOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type type = op.getType(), element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  if (width > 64)
    return rewriter.notifyMatchFailure(op, "integers of more than 64 bits");
  Value base = op.getLhs(), exponent = op.getRhs();
  Value zero = createInteger(b, type, 0), one = createInteger(b, type, 1);
  auto compare = [&](CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, predicate, lhs, rhs).getResult();
  };

  Value power = one, square = base;
  Value isOdd;
  // The highest bit is the sign.
  for (unsigned bit = 0; bit + 1 < std::max(width, 2u); ++bit) {
    Value mask = createInteger(b, type, int64_t(1) << bit);
    Value has = compare(CmpIPredicate::ne,
                        arith::AndIOp::create(b, exponent, mask), zero);
    if (bit == 0)
      isOdd = has;
    else
      square = arith::MulIOp::create(b, square, square);
    Value more = arith::MulIOp::create(b, power, square);
    power = arith::SelectOp::create(b, has, more, power);
  }
  Value minusOne = createInteger(b, type, -1);
  Value sign = arith::SelectOp::create(b, isOdd, minusOne, one);
  Value inverse = arith::SelectOp::create(
      b, compare(CmpIPredicate::eq, base, one), one,
      arith::SelectOp::create(b, compare(CmpIPredicate::eq, base, minusOne),
                              sign, zero));
  rewriter.replaceOpWithNewOp<arith::SelectOp>(
      op, compare(CmpIPredicate::slt, exponent, zero), inverse, power);
  return success();
}

/// As a power of f64, which holds every i32: products of many rounded factors
/// would be far less exact.
static LogicalResult expandFPowI(math::FPowIOp op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type type = op.getType(), wide = b.getF64Type();
  if (auto shaped = dyn_cast<ShapedType>(type))
    wide = shaped.clone(wide);
  Value base = op.getLhs();
  if (wide != type)
    base = arith::ExtFOp::create(b, wide, base);
  Value exponent = arith::SIToFPOp::create(b, wide, op.getRhs());
  Value power = math::PowFOp::create(b, base, exponent);
  if (wide != type)
    power = arith::TruncFOp::create(b, type, power);
  rewriter.replaceOp(op, power);
  return success();
}

/// Compares numbers of bf16 as f32, of which they are the upper halves. LLVM's
/// code for vectors of bf16 ends the process on CPUs with AVX-512 for them, and
/// LLVM would take an extension by `arith.extf` away again.
static LogicalResult widenCompare(arith::CmpFOp op, PatternRewriter &rewriter) {
  Type type = op.getLhs().getType();
  if (!getElementTypeOrSelf(type).isBF16())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto like = [&](Type element) -> Type {
    auto vector = dyn_cast<VectorType>(type);
    return vector ? vector.clone(element) : element;
  };
  Type i32 = like(b.getI32Type());
  Value half = createInteger(b, i32, 16);
  auto widen = [&](Value value) -> Value {
    Value bits = arith::BitcastOp::create(b, like(b.getI16Type()), value);
    bits = arith::ExtUIOp::create(b, i32, bits);
    bits = arith::ShLIOp::create(b, bits, half);
    return arith::BitcastOp::create(b, like(b.getF32Type()), bits);
  };
  Value lhs = widen(op.getLhs()), rhs = widen(op.getRhs());
  rewriter.replaceOpWithNewOp<arith::CmpFOp>(op, op.getPredicate(), lhs, rhs,
                                             op.getFastmath());
  return success();
}

void mlir::sparseconv::populateExpandMathPatterns(RewritePatternSet &patterns) {
  patterns.add(expandClampF);
  patterns.add(expandIsInf);
  patterns.add(expandIsNormal);
  patterns.add(expandIPowI);
}

namespace {
struct ExpandMath
    : mlir::sparseconv::impl::SparseConvExpandMathBase<ExpandMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateExpandMathPatterns(patterns);
    patterns.add(expandFPowI);
    patterns.add(widenCompare);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
  }
};
} // namespace
