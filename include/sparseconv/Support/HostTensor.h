//===- HostTensor.h - a dense tensor in host memory -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The value that files, the reference interpreter and compiled functions
// exchange: an element type, a shape and contiguous row-major bytes. It knows
// nothing of MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_HOSTTENSOR_H
#define SPARSECONV_SUPPORT_HOSTTENSOR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparseconv {

/// Element types that a host tensor can hold.
enum class ElementKind : uint8_t {
  I1,
  I8,
  U8,
  I16,
  I32,
  I64,
  F16,
  BF16,
  F32,
  F64
};

/// Bytes of one element (an i1 takes one byte).
unsigned getByteWidth(ElementKind kind);

/// The MLIR spelling: "i32", "f16", "bf16", ...
llvm::StringRef getName(ElementKind kind);

/// The kind with that MLIR spelling, if there is one.
std::optional<ElementKind> parseElementKind(llvm::StringRef name);

bool isFloat(ElementKind kind);

/// Rounds to the nearest value of `kind`, ties to even; what a store does.
double roundTo(ElementKind kind, double value);

/// A dense row-major tensor in host memory.
class HostTensor {
public:
  HostTensor() = default;
  /// A zero-filled tensor, of sizes that are known to fit in memory.
  HostTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape);

  /// A zero-filled tensor of sizes from outside. Errors, with the type in them:
  /// a negative size, more bytes than an address space has, no memory for them.
  static llvm::Expected<HostTensor> create(ElementKind kind,
                                           llvm::ArrayRef<int64_t> shape);

  ElementKind getKind() const { return kind; }
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t getRank() const { return shape.size(); }
  int64_t getDim(unsigned axis) const { return shape[axis]; }
  int64_t getNumElements() const;
  size_t getNumBytes() const { return bytes.size(); }

  char *getData() { return bytes.data(); }
  const char *getData() const { return bytes.data(); }

  template <typename T> llvm::MutableArrayRef<T> as() {
    assert(sizeof(T) == getByteWidth(kind) && "element width mismatch");
    return {reinterpret_cast<T *>(bytes.data()),
            static_cast<size_t>(getNumElements())};
  }
  template <typename T> llvm::ArrayRef<T> as() const {
    assert(sizeof(T) == getByteWidth(kind) && "element width mismatch");
    return {reinterpret_cast<const T *>(bytes.data()),
            static_cast<size_t>(getNumElements())};
  }

  /// Element `index` (row-major, flat) as a double. Exact for every kind but
  /// i64 beyond 2^53.
  double getDouble(int64_t index) const;
  /// Stores `value` rounded to the element type (integers: truncated).
  void setDouble(int64_t index, double value);

  /// "tensor<3x4xf32>", shortened where it has very many sizes.
  std::string getTypeString() const;

  /// A copy converted to another element type, rounding once.
  HostTensor convert(ElementKind to) const;

private:
  ElementKind kind = ElementKind::F32;
  llvm::SmallVector<int64_t, 4> shape;
  std::vector<char> bytes;
};

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_HOSTTENSOR_H
