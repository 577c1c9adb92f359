//===- KernelVerification.h - checks of kernel operations ----- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_IR_KERNELVERIFICATION_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_IR_KERNELVERIFICATION_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Support/Status.h"
#include <optional>

namespace mlir::sparseconv {

/// An operand that is a tensor or a buffer, with its name.
struct NamedOperand {
  NamedOperand(StringRef name, Value value)
      : name(name), type(cast<ShapedType>(value.getType())) {}

  int64_t getSize(unsigned axis) const { return type.getDimSize(axis); }
  int64_t getLast() const { return type.getShape().back(); }

  StringRef name;
  ShapedType type;
};

/// The product, or a dynamic size where a factor is one or it overflows.
int64_t multiplySizes(int64_t lhs, int64_t rhs);

/// An error in the making, or nothing: then what is said of it is dropped.
class Report {
public:
  Report() = default;
  explicit Report(InFlightDiagnostic error) : error(std::move(error)) {}

  template <typename T> Report &&operator<<(T &&value) && {
    if (error)
      *error << std::forward<T>(value);
    return std::move(*this);
  }

private:
  std::optional<InFlightDiagnostic> error;
};

/// What all verifiers of kernel operations check with: only the first check
/// that fails is reported. Sizes that are not known compare equal to all
/// others.
class KernelVerifier {
public:
  /// Checks what all operations share: operands (but for the status record) are
  /// all tensors or all buffers, and numbers of network operations not
  /// negative.
  explicit KernelVerifier(Operation *op, Value status = {});

  LogicalResult getResult() const { return success(!isBad); }
  bool failed() const { return isBad; }
  /// Reports "expects ..." unless an error has been reported.
  Report report(const Twine &expectation);

  /// `lower` <= the attribute <= `upper`.
  void checkRange(StringRef name, int64_t value, int64_t lower, int64_t upper);
  /// The last dimension is not empty.
  void checkColumns(NamedOperand operand);
  /// The last dimension is known.
  void checkStaticColumns(NamedOperand operand);
  void checkSize(NamedOperand operand, unsigned axis, int64_t expected,
                 const Twine &reason);
  /// A dimension of equal size, which is the rows unless said otherwise.
  void checkSameRows(NamedOperand operand, NamedOperand other,
                     unsigned otherAxis = 0);
  /// At least `expected` rows.
  void checkRoom(NamedOperand operand, int64_t expected, const Twine &reason);
  void checkElement(NamedOperand operand, Type expected, const Twine &reason);
  void checkSameElement(NamedOperand operand, NamedOperand other);
  /// Features of equal channels; kernels that compute do so in f32, whatever
  /// the element types.
  void checkSameChannels(NamedOperand operand, NamedOperand other);
  void checkKeys(NamedOperand keys, PackingAttr packing);
  /// Columns of batch index and coordinates.
  void checkPoints(NamedOperand points, CoordsType set);
  /// One number for each axis, each within the guard.
  void checkDisplacements(ArrayRef<int64_t> displacements, PackingAttr packing);
  /// A region of the operation has a number for each axis.
  void checkAxes(StringRef name, int64_t found, CoordsType set);

private:
  Operation *op;
  bool isBad = false;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_IR_KERNELVERIFICATION_H
