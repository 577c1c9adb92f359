//===- ResidentWeights.h - all weights in shared memory ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_RESIDENTWEIGHTS_H
#define SPARSECONV_LIB_KERNELS_GEMM_RESIDENTWEIGHTS_H

#include "OffsetList.h"

namespace mlir::sparseconv {

/// Weights of one column tile in shared memory, all offsets at once, and the
/// counter that hands out tasks; behind it are the number of tasks and of the
/// splits of a tile. Where the chip has bulk copies, a slice is used as soon as
/// it is there.
class ResidentWeights {
public:
  /// Where the weights are not `resident`, only work is handed out.
  ResidentWeights(ImplicitGemmEmitter &e, bool bulk, bool resident)
      : e(e), b(e.b), bulk(bulk && resident), resident(resident) {}

  /// Shared memory of a thread block: the weights, 32 barriers, the counter,
  /// two slots per warpgroup; each warp's list of offsets if masks have several
  /// words.
  static int64_t getSharedBytes(const ImplicitGemmConfig &config,
                                bool resident) {
    int64_t lists = config.maskWords() > 1 ? config.warps : 0;
    return (resident ? config.layout().columnTileBytes() : 0) + 512 +
           lists * OffsetList::getSharedBytes(config);
  }

  /// Starts the copies; to be called by all threads.
  void fetch(Value splits = {});
  /// Waits for the weights of an offset unless `ready` has its bit; returns
  /// `ready` with it.
  Value wait(Value offset, Value ready);
  /// Waits for what has not been used.
  void drain();
  /// The `splits` that `fetch` was given.
  Value loadSplits();

  Value shared, counter, slots;

private:
  void initialise(Value splits);
  void startCopies(Value size);

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  bool bulk, resident;
  Value barriers;
  int64_t slicesPerBarrier = 1, barrierCount = 1;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_RESIDENTWEIGHTS_H
