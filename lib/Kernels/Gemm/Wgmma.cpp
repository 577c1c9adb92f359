//===- Wgmma.cpp - multiplying by warpgroups ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Wgmma.h"

using namespace mlir;
using namespace mlir::sparseconv;

// The bits of a descriptor:
//   0 to 13   start address, in units of 16 bytes
//   16 to 29  leading byte offset, in units of 16 bytes
//   32 to 45  stride byte offset, in units of 16 bytes
//   49 to 51  base offset: 0 for a matrix that begins where the pattern of its
//             swizzle does
//   62 to 63  swizzle
static constexpr int64_t kAddressMask = 0x3ffff;

uint64_t MatrixDescriptor::encode() const {
  return leadingByteOffset >> 4 << 16 | strideByteOffset >> 4 << 32 |
         static_cast<uint64_t>(swizzle) << 62;
}

Value MatrixDescriptor::encode(GpuBuilder &b, Value startAddress) const {
  Value address =
      b.extend64(b.shiftRight(b.andBits(startAddress, kAddressMask), 4));
  return b.orBits(address, b.i64(static_cast<int64_t>(encode())));
}

StepOperands mlir::sparseconv::allSteps(ImplicitGemmEmitter &e,
                                        const Fragment &rows) {
  return llvm::map_to_vector(llvm::seq(e.layout.steps()), [&](int64_t step) {
    return e.stepRegisters(rows, step);
  });
}

SmallVector<Value> mlir::sparseconv::multiplyChunk(ImplicitGemmEmitter &e,
                                                   const StepOperands &rows,
                                                   Value image,
                                                   ValueRange sums) {
  GpuBuilder &b = e.b;
  // The image has rows of 128 bytes, one for each output channel, that hold the
  // 64 input channels of four steps; tileN rows on come the next 64.
  constexpr int64_t rowBytes = 128, stepBytes = 32;
  MatrixDescriptor matrix;
  matrix.strideByteOffset = 8 * rowBytes;
  matrix.swizzle = Swizzle::Bytes128;
  Value descriptor = matrix.encode(b, image);
  SmallVector<Value> next(sums);
  b.wgmmaFence();
  for (int64_t step : llvm::seq(e.layout.steps())) {
    int64_t bytes = step / 4 * e.layout.tileN * rowBytes + step % 4 * stepBytes;
    Value at = b.add(descriptor, b.i64(MatrixDescriptor::encodeOffset(bytes)));
    next = b.wgmma(e.mmaType, rows[step], at, next);
  }
  b.wgmmaCommit();
  // Waits for all groups of wgmmas, this one too (0 may stay pending). A wgmma
  // reads its A registers, and writes its accumulators, until it is waited for.
  // The next step needs both: its rows are moved into the A registers that this
  // one reads, and its weights' stage may be filled again once a warp says that
  // it is done with it. What runs beside the tensor cores is the other
  // warpgroups of the multiprocessor and the loads of rows that were started
  // before the multiplication.
  b.wgmmaWait(/*pending=*/0);
  return next;
}
