//===- PairSums.h - what products of pairs are added to ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_PAIRSUMS_H
#define SPARSECONV_LIB_KERNELS_GEMM_PAIRSUMS_H

#include "ImplicitGemmEmitter.h"
#include "sparseconv/Kernels/Gemm/PairGemm.h"

namespace mlir::sparseconv {

/// The sums of a warp's output rows: f32 in shared memory, which no other warp
/// touches, until all are stored; or the output itself, to which products are
/// added atomically.
class PairSums {
public:
  PairSums(ImplicitGemmEmitter &e, const PairGemmConfig &config,
           Value firstRow);

  void clear();
  /// Calls `body` with the place of an output row's sums, if there is such a
  /// row: it may be -1.
  void forRow(Value row, function_ref<void(Value place)> body);
  /// Adds up to 4 products, from `column` on of this warp's columns.
  void add(Value place, Value column, ArrayRef<Value> products);
  /// The products of a tile have been added by all lanes: the next tile may
  /// give a row to others.
  void finishTile();
  void store();

private:
  void addInShared(Value pointer, ArrayRef<Value> products);
  void addAtomically(Value pointer, Value column, ArrayRef<Value> products);
  /// Stores some columns of a row after the epilogue.
  void storePiece(Value row, Value column, int64_t count);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  const PairGemmConfig &config;
  /// In shared memory.
  Value sums;
  Value firstRow;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_PAIRSUMS_H
