//===- WarpOps.h - what the lanes of a warp do together ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For generators of any builder. All lanes of the warp take part.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_WARPOPS_H
#define SPARSECONV_KERNELS_BUILDERS_WARPOPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::sparseconv {

/// Lanes of a warp of an NVIDIA GPU.
inline constexpr int64_t kWarpLanes = 32;

/// Waits for all lanes; what they stored before, all of them see after.
void syncWarp(ImplicitLocOpBuilder &b);
/// What this thread has seen and stored before, other threads of the device see
/// when they have seen what it stores after, through a fence of their own.
void fenceDevice(ImplicitLocOpBuilder &b);
/// The next kernel in the stream may be started: it waits for the end of this
/// one before it reads or writes anything. (A kernel with a prologue, which
/// reads before it waits, is not started early behind one without.) To be
/// called when most is done, as thread blocks that wait keep other kernels off
/// the device.
void letNextStart(ImplicitLocOpBuilder &b);
/// The lanes where `condition` holds, a bit for each (i32).
Value ballot(ImplicitLocOpBuilder &b, Value condition);
/// The bits of the lanes before this one (i32).
Value lanesBefore(ImplicitLocOpBuilder &b);
/// The bits of the lanes whose `value` (i32) is the same (i32).
Value lanesWithSame(ImplicitLocOpBuilder &b, Value value);
/// The `value` (i32) of the lane so many above; this lane's own where there is
/// none.
Value fromLaneAbove(ImplicitLocOpBuilder &b, Value value, int64_t lanes);
/// The `value` (i32) of lane number `lane` (i32).
Value fromLane(ImplicitLocOpBuilder &b, Value value, Value lane);
/// The `value` (i32) of the lane whose number differs in the bits of `lanes`.
Value fromLaneAcross(ImplicitLocOpBuilder &b, Value value, int64_t lanes);
/// The sum of all lanes' values (i32).
Value sumOfLanes(ImplicitLocOpBuilder &b, Value value);
/// All bits of all lanes' values (i32).
Value orOfLanes(ImplicitLocOpBuilder &b, Value value);
/// The least and the greatest of all lanes' values, unsigned i32.
Value minOfLanes(ImplicitLocOpBuilder &b, Value value);
Value maxOfLanes(ImplicitLocOpBuilder &b, Value value);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_WARPOPS_H
