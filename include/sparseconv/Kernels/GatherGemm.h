//===- GatherGemm.h - generators of sparse convolutions ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that compute, for every output row, the sum over its neighbours of a
// row of the input times a slice of the weights (masked output-stationary
// implicit GEMM). Each strategy is one generator; a configuration chooses.
//
// Every kernel has these parameters, all pointers to device memory:
//
//   x        [in rows, in channels]    input rows
//   weights  image of `buildPackWeights`, or the weights as they are (FMA)
//   table    [offsets, pitch] i32      neighbours in tile order, or -1
//   order    [pitch] i32               output row of a slot, or -1
//   masks    [tiles, words] u32        offsets present in a tile
//   y        [out rows, out channels]  output rows
//   inRows, outRows, pitch  i64        sizes; pitch is a multiple of 64
//   scratch f32, counters i32          only with `splitK`
//
// and then those of the epilogue. offsets x pitch and in rows x in channels
// stay below 2^32. A tile is `rowsPerTile` consecutive slots.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GATHERGEMM_H
#define SPARSECONV_KERNELS_GATHERGEMM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Kernels/FragmentLayout.h"
#include "sparseconv/Kernels/GpuBuilder.h"
#include <string>

namespace mlir::sparseconv {

/// What the generators need to know about a GPU.
struct GpuChip {
  StringRef name;
  int64_t capability;
  int64_t sharedPerBlock;
  int64_t sharedPerMultiprocessor;
  /// Of its largest GPU.
  int64_t multiprocessors;
  bool hasWgmma;

  /// The chip of that name (sm_80, sm_86, sm_89, sm_90a), or what stands for
  /// one that is later than sm_80 and not in the table, or null.
  static const GpuChip *find(StringRef name);
  static ArrayRef<GpuChip> all();
};

/// As the tiling attribute describes them.
using GatherStrategy = GemmStrategy;

enum class GemmElement { F16, BF16, F32, TF32 };

struct GatherGemmConfig {
  GatherStrategy strategy = GatherStrategy::Fma;
  GemmElement element = GemmElement::F32;
  int64_t offsets = 27;
  int64_t inChannels = 1;
  int64_t outChannels = 1;
  /// Fma only. Weights are [offsets, in channels / groups, out channels].
  int64_t groups = 1;
  /// Fma only, groups of 1: slices are stored transposed.
  bool transposedWeights = false;

  /// Warps of a thread block, and blocks a multiprocessor must hold.
  int64_t warps = 4;
  int64_t blocks = 1;
  /// Input channels a step, output channels a thread block.
  int64_t depth = 16;
  int64_t width = 8;
  /// Warp16: weights live in shared memory.
  bool resident = false;
  /// Ring64, Fma16: stages of the ring.
  int64_t stages = 1;
  /// Ring64, Fma16, Warp16: blocks, or warps, that may share the offsets of the
  /// same rows, where there are fewer rows than the device has room for.
  int64_t splitK = 1;

  bool multipliesOnTensorCores() const {
    return strategy != GatherStrategy::Fma && strategy != GatherStrategy::Fma16;
  }

  /// The best known configuration for a shape.
  static GatherGemmConfig choose(GemmElement element, int64_t offsets,
                                 int64_t inChannels, int64_t outChannels,
                                 int64_t groups, const GpuChip &chip);

  /// Why no kernel can be made, or an empty string.
  std::string verify(const GpuChip &chip) const;

  /// Derived numbers.
  FragmentLayout layout() const;
  int64_t elementBytes() const;
  int64_t maskWords() const { return (offsets + 31) / 32; }
  int64_t threads() const { return warps * 32; }
  int64_t rowsPerTile() const;
  int64_t rowsPerBlock() const;
  int64_t parts() const;
  int64_t sharedBytes() const;
  /// Fma16: bytes of a row's chunk in shared memory. The 16 bytes more put
  /// neighbouring rows into different banks.
  int64_t rowPitch() const { return depth * 4 + 16; }
  /// Bytes of `weights`.
  int64_t weightBytes() const;
  /// Blocks loop over tiles; else there is one block for `rowsPerBlock` rows.
  bool isPersistent() const;
  /// f32 scratch of one part of a split tile, in bytes; i32 counters a tile.
  int64_t scratchBytesPerPart() const;
  int64_t countersPerTile() const;
  /// With `splitK`: thread blocks, for each part of the output channels, up to
  /// which tiles are split; so many blocks, or warps where those take tiles one
  /// by one; what they may need of the two buffers.
  int64_t blocksOfSplit(const GpuChip &chip) const;
  int64_t roomOfSplit(const GpuChip &chip) const;
  int64_t scratchBytes(const GpuChip &chip) const;
  int64_t counters(const GpuChip &chip) const;

private:
  int64_t tilesOfSplit(const GpuChip &chip) const;
  int64_t estimateRegisters() const;
  std::string verifyFma16(const GpuChip &chip) const;
  std::string verifyResources(int64_t registers, const GpuChip &chip) const;
};

/// The configuration that a tiling and a dataflow describe, for weights
/// [offsets, in channels, out channels], or `isTransposed` [offsets, out
/// channels, in channels], with an axis of groups behind the first one or not.
GatherGemmConfig getTiledGemm(GemmTilingAttr tiling, DataflowAttr dataflow,
                              ShapedType weights, bool isTransposed);
GemmTilingAttr getTiling(MLIRContext *context, const GatherGemmConfig &config);

/// The best known configuration on `chip`: FMA where tensor cores cannot take
/// the weights, or where features have another type, and for f32 that may not
/// be rounded to tf32.
GatherGemmConfig chooseGatherGemm(ShapedType weights, bool isTransposed,
                                  Type features, bool allowTf32,
                                  const GpuChip &chip);

/// What to do with a sum before it is rounded and stored.
using GemmEpilogue = function_ref<Value(GpuBuilder &b, Value sum, Value row,
                                        Value channel, ValueRange arguments)>;

/// Adds the kernel of a configuration that `verify` accepts.
gpu::GPUFuncOp buildGatherGemm(gpu::GPUModuleOp module, StringRef name,
                               const GatherGemmConfig &config,
                               const GpuChip &chip,
                               TypeRange epilogueTypes = {},
                               GemmEpilogue epilogue = {});

/// Adds the kernel (weights, image) that makes the weight image. One thread a
/// register: grid = imageBytes / 4 / 256 rounded up, block = 256. `transposed`:
/// the weights are [offsets, out channels, in channels].
gpu::GPUFuncOp buildPackWeights(gpu::GPUModuleOp module, StringRef name,
                                const GatherGemmConfig &config,
                                bool transposed);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GATHERGEMM_H
