//===- OffsetList.h - the offsets of a tile in shared memory ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the bits of several mask words is a chain of loads and selects,
// and a step of a main loop waits for each of them. A list of the offsets is
// written once for a tile, and its entries are loaded with no computation
// before. An entry has 16 bits. Behind the last one comes -1, so often that
// every walk that is some offsets ahead may pass the end.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_OFFSETLIST_H
#define SPARSECONV_LIB_KERNELS_GEMM_OFFSETLIST_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

class OffsetList {
public:
  /// A list `bytes` behind the start of dynamic shared memory.
  OffsetList(ImplicitGemmEmitter &e, Value bytes) : e(e), begin(bytes) {}

  static int64_t getSharedBytes(const ImplicitGemmConfig &config);

  /// Writes, by one warp, the offsets in a range of the mask words that
  /// `loadWord` gives.
  void write(const OffsetRange &range,
             function_ref<Value(Value word)> loadWord) const;
  /// The walk from its first entry on, once it is written.
  OffsetWalk start() const { return {Value(), begin}; }
  /// The next entry of a walk.
  static Value takeEntry(GpuBuilder &b, OffsetWalk &walk);

private:
  ImplicitGemmEmitter &e;
  Value begin;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_OFFSETLIST_H
