//===- Gradients.cpp - gradients of values, added up ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Adjoints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

#include "sparseconv/Dialect/SparseConv/Differentiation/DifferentiableOpInterface.cpp.inc"

bool mlir::sparseconv::isDifferentiable(Type type) {
  return isa<FloatType>(type) ||
         (isa<RankedTensorType>(type) &&
          isa<FloatType>(cast<RankedTensorType>(type).getElementType()));
}

bool mlir::sparseconv::holdsFloats(Type type) {
  return isa<FloatType, ComplexType>(getElementTypeOrSelf(type));
}

void Gradients::add(OpBuilder &builder, Location loc, Value value,
                    Value gradient) {
  if (!isActive(value))
    return;
  // A static size of the one may be a dynamic size of the other.
  if (gradient.getType() != value.getType())
    gradient = tensor::CastOp::create(builder, loc, value.getType(), gradient);
  Value &sum = sums[value];
  sum = sum ? Value(arith::AddFOp::create(builder, loc, sum, gradient))
            : gradient;
}

Value mlir::sparseconv::createFilled(OpBuilder &builder, Location loc,
                                     ArrayRef<OpFoldResult> sizes,
                                     FloatType element, double number) {
  Value constant = arith::ConstantOp::create(
      builder, loc, builder.getFloatAttr(element, number));
  Value empty = tensor::EmptyOp::create(builder, loc, sizes, element);
  return linalg::FillOp::create(builder, loc, constant, empty).getResult(0);
}

Value mlir::sparseconv::createZerosLike(OpBuilder &builder, Location loc,
                                        Value tensor) {
  return createFilled(builder, loc, tensor::getMixedSizes(builder, loc, tensor),
                      cast<FloatType>(getElementTypeOrSelf(tensor)), 0);
}

LogicalResult mlir::sparseconv::emitNoRule(Operation *op, const Twine &what) {
  return op->emitOpError("has no rule for the gradient by ") << what;
}

LogicalResult mlir::sparseconv::emitNoRule(Operation *op, const Twine &what,
                                           AffineMap map) {
  return emitNoRule(op, what + " that is indexed with " +
                            llvm::formatv("{0}", map).str());
}

void mlir::sparseconv::registerDifferentiableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registerElementwiseAdjoints(registry);
  registerLinalgAdjoints(registry);
  registerTensorAdjoints(registry);
  registerConvAdjoints(registry);
  registerPoolAdjoints(registry);
  registerRowAdjoints(registry);
}
