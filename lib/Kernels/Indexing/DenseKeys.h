//===- DenseKeys.h - keys near a block of rows in 32 bits -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rows of a thread block, which follow each other among sorted keys, span a
// small part of space. So do the queries of a search: the keys of those rows,
// displaced. This is about numbers of fewer bits that order keys among queries.
//
// Each field of the queries has a least and a greatest value. A dense number
// has a digit for each field: 0 for values below the least, then one for each
// value up to the greatest, and one for all above. Only the highest field has
// no such digits at its ends: all keys below its range share the number 0, and
// all above share the last one. So for a key and a query:
//
// - Both compare as their numbers do. Where the first field that differs does,
//   the digits differ in the same direction, as the query's value is in range.
// - The key is the query plus t units along the last axis just where its number
//   is the query's plus t, as long as that sum is a query, too.
//
// It does not hold for two keys of which neither is a query.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_DENSEKEYS_H
#define SPARSECONV_LIB_KERNELS_INDEXING_DENSEKEYS_H

#include "sparseconv/Kernels/Indexing/Search.h"

namespace mlir::sparseconv {

class DenseKeys {
public:
  DenseKeys(LoopBuilder &b, const SearchTask &task);

  /// Whether fields are narrow enough for arithmetic in 32 bits.
  static bool areNarrow(PackingAttr packing);

  /// The greatest values of the fields of a block's rows, and of their
  /// complements, in shared memory. All threads clear them, and measure after a
  /// barrier.
  MemRefType getRangesType() const;
  void clear(const LoopBuilder::Thread &t, Value ranges);
  void measure(const LoopBuilder::Thread &t, Value key, Value ranges);

  /// Reads them, after another barrier and before what follows.
  void enter(Value ranges);
  /// Whether numbers have at most so many bits, at most 31 (i1). Else those
  /// below mean nothing.
  Value fitBits(int64_t bits);
  /// The number of a key (i32).
  Value getNumber(Value key);
  /// What is a displacement away from the number of each query of a row (i32).
  /// The row's key may be none of its queries, nor near one, and then this is
  /// not its number.
  Value getCenter(Value key);
  /// What a displacement adds to that (i32).
  Value getDisplacement(int64_t number);

private:
  /// A field that has bits, and what queries add to its values.
  struct Field {
    int64_t shift, width, leastAdded, mostAdded;
    /// The axis, or -1 for the batch, and what its coordinates are counted in.
    int64_t axis, unit;
    /// In a kernel: the values of digit 0 and of the highest one, and what a
    /// digit counts (i32).
    Value below, above, scale;
  };
  Value extract(Value key, const Field &field);
  /// The number of which these are the digits, from `below` up.
  Value join(function_ref<Value(const Field &field)> getDigit);
  /// What a displacement adds on an axis.
  int64_t getAdded(int64_t number, int64_t axis) const;

  LoopBuilder &b;
  const SearchTask &task;
  SmallVector<Field> fields; // from the lowest up
  /// How many numbers there are (i64; over 2^31 where there are more), and what
  /// scaled values of fields sum up to for number 0, modulo 2^32 (i32).
  Value count, origin;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_DENSEKEYS_H
