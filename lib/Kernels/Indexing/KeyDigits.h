//===- KeyDigits.h - the digits by which keys are sorted --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_KEYDIGITS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_KEYDIGITS_H

#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The digits of keys, from the least significant up.
///
/// A scan fills a small part of what its packing has room for, so keys with
/// several digits are made dense first. The least value of each field is
/// subtracted from it, and what is left gets as many bits as the greatest one
/// needs. This keeps the order of the keys, and how many digits it leaves is
/// known on the device.
class KeyDigits {
public:
  /// `fields` are the widths of the keys' bit fields, the highest first.
  /// Without `isSparse`, digits are of the keys as they are.
  KeyDigits(LoopBuilder &b, Type keyType, ArrayRef<int64_t> fields,
            bool isSparse);

  /// The digits that keys can have.
  int64_t getMaxPasses() const { return maxPasses; }

  /// The record of the fields' ranges. Clear it before `measure`, which is a
  /// kernel over all keys; both do nothing where digits are of keys as they
  /// are.
  void alloc();
  /// How many numbers `clear` clears; number `i` of the record.
  int64_t getNumCleared() const { return ranges ? 2 * fields.size() : 0; }
  void clear(Value i);
  void measure(Value keys, Value numKeys);
  void dealloc();

  /// Reads the record; once in every kernel, before what follows.
  void enter();
  /// The number of digits that keys have (i32). Where a source knows it, it is
  /// set in every kernel.
  Value getNumPasses() const { return numPasses; }
  void setNumPasses(Value passes) { numPasses = passes; }
  /// The key without what no key uses.
  Value makeDense(Value key);
  /// A digit (i32) of a dense key.
  Value getDigit(Value dense, Value pass);
  Value getDigit(Value dense, int64_t pass) {
    return getDigit(dense, b.i32(pass));
  }

private:
  struct Field {
    int64_t shift, width;
    /// In a kernel: the least value (i32), and the place in dense keys.
    Value least, place;
  };
  Value extract(Value key, const Field &field);

  LoopBuilder &b;
  Type keyType;
  SmallVector<Field> fields; // from the lowest up
  int64_t maxPasses;
  bool isSparse;
  Value ranges; // the least values of the fields, then the greatest
  Value numPasses;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_KEYDIGITS_H
