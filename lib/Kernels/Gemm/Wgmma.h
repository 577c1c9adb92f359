//===- Wgmma.h - multiplying by warpgroups ----------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma with A in registers or in shared memory and B in shared memory, as PTX
// ISA describes it under "Asynchronous Warpgroup Level Matrix Instructions".
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_WGMMA_H
#define SPARSECONV_LIB_KERNELS_GEMM_WGMMA_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

/// A warpgroup is four warps, which multiply together.
inline constexpr int64_t kWarpgroupThreads = 4 * kWarpLanes;

/// How the 16-byte pieces of a matrix in shared memory are permuted. The values
/// are those of bits 62 and 63 of a descriptor.
enum class Swizzle : uint64_t {
  None = 0,
  Bytes128 = 1,
  Bytes64 = 2,
  Bytes32 = 3
};

/// Where a matrix of a wgmma is in shared memory: the 64-bit descriptor of PTX
/// ISA, section "Matrix Descriptor Format" of "Asynchronous Warpgroup Level
/// Matrix Instructions". All offsets are in bytes, multiples of 16 below 2^18.
struct MatrixDescriptor {
  /// From a core matrix to the next one along K. A swizzled matrix with K as
  /// its contiguous dimension does not use it.
  uint64_t leadingByteOffset = 16;
  /// From eight rows of the matrix to the next eight.
  uint64_t strideByteOffset = 0;
  Swizzle swizzle = Swizzle::None;

  /// The descriptor of a matrix that begins at address 0.
  uint64_t encode() const;
  /// That of a matrix at `startAddress`, a 32-bit address of shared memory.
  Value encode(GpuBuilder &b, Value startAddress) const;
  /// What to add to a descriptor for a matrix `bytes` further on.
  static int64_t encodeOffset(int64_t bytes) { return bytes >> 4; }
};

/// The A registers of all steps of a chunk, four for each.
using StepOperands = SmallVector<Value>;
StepOperands allSteps(ImplicitGemmEmitter &e, const Fragment &rows);

/// The wgmmas of one chunk whose weights begin at shared address `image`.
SmallVector<Value> multiplyChunk(ImplicitGemmEmitter &e,
                                 const StepOperands &rows, Value image,
                                 ValueRange sums);
/// The same with 64 rows of 128 bytes in shared memory, which begin at `rows`.
SmallVector<Value> multiplyChunk(ImplicitGemmEmitter &e, Value rows,
                                 Value image, ValueRange sums);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_WGMMA_H
