//===- NumberChannel.h - a number that a thread sends to others -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_NUMBERCHANNEL_H
#define SPARSECONV_LIB_KERNELS_GEMM_NUMBERCHANNEL_H

#include "RingBarriers.h"

namespace mlir::sparseconv {

/// Takes numbers of one thread to all of its thread block, one after the other,
/// without a meeting of all: a ring of one stage.
class NumberChannel {
public:
  /// Lies `begin` bytes behind the start of dynamic shared memory.
  NumberChannel(ImplicitGemmEmitter &e, int64_t begin)
      : e(e), b(e.b), begin(begin), barriers(b, /*stages=*/1) {}

  static int64_t getSharedBytes() { return RingBarriers::getBytes(1) + 8; }

  /// Makes the barriers, which are ready once all threads have met.
  void setUp(Value isFirst);

  /// The parity of the first number, which turns with each of them.
  Value getStart() { return b.i32(0); }
  /// By one thread, once all have received the number before.
  void send(Value number, Value parity);
  /// The threads of each warpgroup meet.
  Value receive(Value warpgroup, Value &parity);

private:
  RingBarriers::Place getPlace(Value parity) { return {b.i32(0), parity}; }
  Value getWord();

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  int64_t begin;
  RingBarriers barriers;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_NUMBERCHANNEL_H
