//===- LimitAllocations.cpp - sizes whose product does not wrap -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "sparseconv/Dialect/SparseConv/IR/ElementBytes.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Support/Memory.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVLIMITALLOCATIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The bytes of what lies at each place of the dynamic sizes.
static int64_t getStaticBytes(MemRefType type) {
  int64_t bytes = getElementBytes(type.getElementType());
  for (int64_t size : type.getShape())
    if (!ShapedType::isDynamic(size))
      bytes *= size;
  return bytes;
}

/// Whether the product of `sizes` is at most `limit`. That of f64 is close
/// enough: it does not wrap, and nobody has memory of about 2^47 bytes.
static Value isProductWithin(ImplicitLocOpBuilder &b, ValueRange sizes,
                             int64_t limit) {
  auto toFloat = [&](Value size) -> Value {
    Value bits = arith::IndexCastOp::create(b, b.getI64Type(), size);
    return arith::UIToFPOp::create(b, b.getF64Type(), bits);
  };
  Value product = toFloat(sizes.front());
  for (Value size : sizes.drop_front())
    product = arith::MulFOp::create(b, product, toFloat(size));
  Value most = arith::ConstantOp::create(
      b, b.getF64FloatAttr(static_cast<double>(limit)));
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OLE, product, most);
}

static void limit(memref::AllocOp op) {
  int64_t bytes = getStaticBytes(op.getType());
  MutableOperandRange sizes = op.getDynamicSizesMutable();
  if (sizes.empty() || bytes == 0)
    return;
  // The first number of bytes that the runtime refuses for certain.
  int64_t most = ::sparseconv::kMaxTensorBytes / bytes + 1;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Value limit = arith::ConstantIndexOp::create(b, most);
  if (sizes.size() == 1) {
    sizes[0].set(arith::MinUIOp::create(b, sizes[0].get(), limit));
    return;
  }
  Value isWithin = isProductWithin(b, op.getDynamicSizes(), most);
  Value one = arith::ConstantIndexOp::create(b, 1);
  for (OpOperand &size : sizes) {
    bool isFirst = size.getOperandNumber() == sizes[0].getOperandNumber();
    size.set(arith::SelectOp::create(b, isWithin, size.get(),
                                     isFirst ? limit : one));
  }
}

namespace {
struct LimitAllocations
    : mlir::sparseconv::impl::SparseConvLimitAllocationsBase<LimitAllocations> {
  void runOnOperation() override { getOperation()->walk(limit); }
};
} // namespace
