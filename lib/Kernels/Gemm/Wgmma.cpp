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
  StepOperands operands;
  for (int64_t step : llvm::seq(e.layout.steps()))
    llvm::append_range(operands, e.stepRegisters(rows, step));
  return operands;
}

/// A matrix of rows of 128 bytes that hold 64 channels, those of four steps.
static constexpr int64_t kRowBytes = 128, kStepBytes = 32;

static Value describeRows(GpuBuilder &b, Value address) {
  MatrixDescriptor matrix;
  matrix.strideByteOffset = 8 * kRowBytes;
  matrix.swizzle = Swizzle::Bytes128;
  return matrix.encode(b, address);
}

static Value moveOn(GpuBuilder &b, Value descriptor, int64_t bytes) {
  return b.add(descriptor, b.i64(MatrixDescriptor::encodeOffset(bytes)));
}

/// `multiply` starts the wgmma of a step, given the descriptor of its weights.
static SmallVector<Value>
multiplySteps(ImplicitGemmEmitter &e, Value image, ValueRange sums,
              function_ref<SmallVector<Value>(int64_t step, Value weights,
                                              ValueRange sums)>
                  multiply) {
  GpuBuilder &b = e.b;
  Value descriptor = describeRows(b, image);
  SmallVector<Value> next(sums);
  b.wgmmaFence();
  for (int64_t step : llvm::seq(e.layout.steps())) {
    // A row for each output channel; tileN rows on come the next 64 channels.
    int64_t bytes =
        step / 4 * e.layout.tileN * kRowBytes + step % 4 * kStepBytes;
    next = multiply(step, moveOn(b, descriptor, bytes), next);
  }
  b.wgmmaCommit();
  // Waits for all groups of wgmmas, this one too (0 may stay pending). A wgmma
  // reads its matrices, and writes its accumulators, until it is waited for.
  // The next step needs both: rows in registers are replaced, and a stage may
  // be filled again once a warp says that it is done with it. What runs beside
  // the tensor cores is the other warpgroups of the multiprocessor, and the
  // loads of rows that were started before the multiplication.
  b.wgmmaWait(/*pending=*/0);
  return next;
}

SmallVector<Value> mlir::sparseconv::multiplyChunk(ImplicitGemmEmitter &e,
                                                   const StepOperands &rows,
                                                   Value image,
                                                   ValueRange sums) {
  return multiplySteps(e, image, sums,
                       [&](int64_t step, Value weights, ValueRange now) {
                         auto own = ArrayRef<Value>(rows).slice(step * 4, 4);
                         return e.b.wgmma(e.mmaType, own, weights, now);
                       });
}

/// ptxas takes no wgmma whose registers are more than a thread has where the
/// kernel starts, whatever it acquires later.
static int64_t getColumns(const ImplicitGemmConfig &config) {
  bool areEnough = config.warps <= 12 || config.tileN <= 128;
  return areEnough ? config.tileN : llvm::alignTo(config.tileN / 2, 8);
}

SmallVector<Value> mlir::sparseconv::multiplyChunk(ImplicitGemmEmitter &e,
                                                   Value rows, Value image,
                                                   ValueRange sums) {
  GpuBuilder &b = e.b;
  Value descriptor = describeRows(b, rows);
  int64_t columns = getColumns(e.config);
  return multiplySteps(
      e, image, sums, [&](int64_t step, Value weights, ValueRange now) {
        Value at = moveOn(b, descriptor, step * kStepBytes);
        SmallVector<Value> next;
        for (int64_t first = 0; first < e.config.tileN; first += columns) {
          int64_t count = std::min(columns, e.config.tileN - first);
          llvm::append_range(
              next, b.wgmmaShared(
                        e.mmaType, at, moveOn(b, weights, first * kRowBytes),
                        now.slice(first / 2, count / 2), /*transposed=*/false));
        }
        return next;
      });
}
