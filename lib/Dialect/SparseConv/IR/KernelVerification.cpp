//===- KernelVerification.cpp - checks of kernel operations ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether both sizes are known, and differ.
static bool differ(int64_t lhs, int64_t rhs) {
  return !ShapedType::isDynamic(lhs) && !ShapedType::isDynamic(rhs) &&
         lhs != rhs;
}

int64_t mlir::sparseconv::multiplySizes(int64_t lhs, int64_t rhs) {
  int64_t product;
  if (ShapedType::isDynamic(lhs) || ShapedType::isDynamic(rhs) ||
      llvm::MulOverflow(lhs, rhs, product))
    return ShapedType::kDynamic;
  return product;
}

KernelVerifier::KernelVerifier(Operation *op, Value status) : op(op) {
  std::optional<Type> first;
  for (auto [number, value] : llvm::enumerate(op->getOperands())) {
    Type type = value.getType();
    if (value == status || !isa<ShapedType>(type))
      continue;
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      if (tensor.getEncoding()) {
        report("operand #" + Twine(number) + " without an encoding") << type;
        return;
      }
    if (!first)
      first = type;
    if (isa<MemRefType>(type) == isa<MemRefType>(*first))
      continue;
    report("operands that are all tensors or all buffers, but for the status "
           "record")
        << *first << " and " << type;
    return;
  }
  if (auto opId = op->getAttrOfType<IntegerAttr>("op_id"))
    checkRange("op_id", opId.getInt(), 0, std::numeric_limits<int64_t>::max());
}

Report KernelVerifier::report(const Twine &expectation) {
  if (isBad)
    return Report();
  isBad = true;
  InFlightDiagnostic diag = op->emitOpError("expects ");
  diag << expectation << ", but found ";
  return Report(std::move(diag));
}

void KernelVerifier::checkRange(StringRef name, int64_t value, int64_t lower,
                                int64_t upper) {
  if (value >= lower && value <= upper)
    return;
  std::string range = "at least " + std::to_string(lower);
  if (upper != std::numeric_limits<int64_t>::max())
    range = std::to_string(lower) + " to " + std::to_string(upper);
  report("'" + name + "' of " + range) << value;
}

void KernelVerifier::checkColumns(NamedOperand operand) {
  if (operand.getLast() == 0)
    report("'" + operand.name + "' to have a last dimension of at least 1")
        << operand.type;
}

void KernelVerifier::checkStaticColumns(NamedOperand operand) {
  if (ShapedType::isDynamic(operand.getLast()))
    report("'" + operand.name + "' to have a static last dimension")
        << operand.type;
}

void KernelVerifier::checkSize(NamedOperand operand, unsigned axis,
                               int64_t expected, const Twine &reason) {
  if (differ(operand.getSize(axis), expected))
    report("'" + operand.name + "' to have size " + Twine(expected) +
           " in dimension " + Twine(axis) + ", " + reason)
        << operand.type;
}

void KernelVerifier::checkSameRows(NamedOperand operand, NamedOperand other,
                                   unsigned otherAxis) {
  checkSize(operand, 0, other.getSize(otherAxis),
            "the " + Twine(otherAxis ? "columns" : "rows") + " of '" +
                other.name + "'");
}

void KernelVerifier::checkRoom(NamedOperand operand, int64_t expected,
                               const Twine &reason) {
  int64_t found = operand.getSize(0);
  if (differ(found, expected) && found < expected)
    report("'" + operand.name + "' to have room for " + Twine(expected) +
           " elements, " + reason)
        << operand.type;
}

void KernelVerifier::checkElement(NamedOperand operand, Type expected,
                                  const Twine &reason) {
  if (operand.type.getElementType() == expected || isBad)
    return;
  isBad = true;
  op->emitOpError("expects '")
      << operand.name << "' to have elements of type " << expected << ", "
      << reason << ", but found " << operand.type;
}

void KernelVerifier::checkSameElement(NamedOperand operand,
                                      NamedOperand other) {
  checkElement(operand, other.type.getElementType(),
               "those of '" + other.name + "'");
}

void KernelVerifier::checkSameChannels(NamedOperand operand,
                                       NamedOperand other) {
  checkColumns(other);
  checkColumns(operand);
  checkSize(operand, operand.type.getRank() - 1, other.getLast(),
            "the channels of '" + other.name + "'");
}

void KernelVerifier::checkKeys(NamedOperand keys, PackingAttr packing) {
  checkElement(keys, packing.getKeyType(), "the keys of the packing");
}

void KernelVerifier::checkPoints(NamedOperand points, CoordsType set) {
  checkSize(points, 1, set.getDim() + 1,
            "the batch index and " + Twine(set.getDim()) + " axes of the set");
}

void KernelVerifier::checkDisplacements(ArrayRef<int64_t> displacements,
                                        PackingAttr packing) {
  unsigned dim = packing.getDim();
  if (displacements.empty() || displacements.size() % dim != 0) {
    report("'displacements' with one number for each of " + Twine(dim) +
           " axes per displacement, and at least one")
        << displacements.size() << " numbers";
    return;
  }
  for (auto [i, value] : llvm::enumerate(displacements)) {
    int64_t guard = packing.getGuard()[i % dim];
    if (value <= guard && value >= -guard)
      continue;
    report("'displacements' within the guard " + Twine(guard) +
           " of the packing on axis " + Twine(i % dim))
        << value;
    return;
  }
}

void KernelVerifier::checkAxes(StringRef name, int64_t found, CoordsType set) {
  if (found != set.getDim())
    report("'" + name + "' with one number for each of " + Twine(set.getDim()) +
           " axes of the set")
        << found;
}
