//===- Predict.cpp - what a layer takes at least --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Tuning/Choices.h"
#include "llvm/Support/Threading.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// What a device does in a microsecond at best.
struct Peak {
  double operations, bytes;
  /// Microseconds that a kernel takes even where it does nothing.
  double launch;
};

/// What a layer cannot do without.
struct Work {
  double operations = 0, bytes = 0;
};
} // namespace

/// Nominal rates, good to a factor of two: a multiprocessor does at 1500 MHz
/// 4096 operations a cycle by wgmma, 2048 by mma.sync and 256 without, and gets
/// 16 bytes a cycle of memory; a core of a CPU does at 2500 MHz two fused
/// multiply-adds of a vector, and gets 4 bytes.
static Peak getPeak(const TargetInfo &target) {
  if (!target.isGpu) {
    double cycles =
        2500.0 * llvm::hardware_concurrency().compute_thread_count();
    return {cycles * static_cast<double>(target.vectorBits) / 32 * 4,
            cycles * 4, 1};
  }
  double cycles = 1500.0 * static_cast<double>(target.multiprocessors);
  return {cycles * (target.hasWgmma ? 4096
                    : target.hasMma ? 2048
                                    : 256),
          cycles * 16, 3};
}

static double getBytes(Type element) {
  return element.getIntOrFloatBitWidth() / 8.0;
}

static double getPairs(double rows, int64_t offsets) {
  return rows * std::max(1.0, static_cast<double>(offsets) / 3);
}

static Work getWork(ImplicitGemmOpInterface op, double rows) {
  RankedTensorType weights = op.getWeightsType();
  auto numbers = static_cast<double>(weights.getNumElements());
  int64_t offsets = weights.getDimSize(0);
  double perPair = numbers / static_cast<double>(offsets);
  double groups = weights.getRank() == 4 ? weights.getDimSize(1) : 1;
  double channels = groups * (weights.getDimSize(weights.getRank() - 2) +
                              weights.getDimSize(weights.getRank() - 1));
  double bytes = getBytes(op.getFeatures().getType().getElementType());
  return {2 * getPairs(rows, offsets) * perPair,
          bytes * (numbers + rows * channels) +
              4 * rows * static_cast<double>(offsets)};
}

static Work getWork(Operation *layer, double rows) {
  if (auto gemm = dyn_cast<ImplicitGemmOpInterface>(layer))
    return getWork(gemm, rows);
  double keys = 2 * 8 * rows;
  if (auto map = dyn_cast<KernelMapOp>(layer))
    return {0, keys + 4 * rows *
                          static_cast<double>(map.getOffsets().getVolume())};
  return {0, keys};
}

double mlir::sparseconv::predictMicroseconds(Operation *layer, int64_t rows) {
  Peak peak = getPeak(getTargetInfo(layer));
  // Without tensor cores f32 multiplies at a sixteenth of their rate.
  auto gemm = dyn_cast<ImplicitGemmOpInterface>(layer);
  if (gemm && peak.launch > 1 && !gemm.getAllowTf32() &&
      gemm.getFeatures().getType().getElementType().isF32())
    peak.operations /= 16;
  Work work = getWork(layer, static_cast<double>(rows));
  return peak.launch +
         std::max(work.operations / peak.operations, work.bytes / peak.bytes);
}
