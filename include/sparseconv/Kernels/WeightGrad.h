//===- WeightGrad.h - generators of gradients by the weights ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that computes, for every offset, the sum over its pairs of rows of
// the outer product of a row of x and a row of dy. The output rows are cut into
// chunks, whose number is a constant; a thread block owns a chunk, an offset
// and a tile of channels, lists the pairs it finds in its column of the
// neighbour table, and adds their products up in registers. Its sums are one
// part of the gradient; parts are added up afterwards, in their order. Nothing
// depends on which block comes first.
//
// The kernel has these parameters, all pointers to device memory:
//
//   x      [in rows, groups * in channels]
//   dy     [out rows, groups * out channels]
//   table  [offsets, pitch] i32   neighbours by offset, no row of x for none;
//                                 pitch is out rows rounded up to rowGrain
//   parts  [parts, offsets, groups, in channels, out channels] f32
//   inRows, outRows  i64          sizes
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_WEIGHTGRAD_H
#define SPARSECONV_KERNELS_WEIGHTGRAD_H

#include "sparseconv/Kernels/GatherGemm.h"

namespace mlir::sparseconv {

struct WeightGradConfig {
  /// f32, f16 or bf16.
  Type xElement, dyElement;
  /// Channels are those of one group.
  int64_t offsets = 1, groups = 1, inChannels = 1, outChannels = 1;

  /// mma.sync, for two sides of one type, 16-bit or tf32, whose rows are whole
  /// pieces of 16 bytes; else threads multiply and add.
  bool tensorCores = false;
  /// What a thread block owns of one offset.
  int64_t tileGroups = 1, tileIn = 1, tileOut = 1;
  /// What a thread, or a warp on tensor cores, owns of one group of it.
  int64_t pieceIn = 1, pieceOut = 1;
  /// Owners of each piece: they take the pairs of a step in turn.
  int64_t lanes = 1;
  /// Pairs in shared memory at a time; how often that is there.
  int64_t pairs = 16, stages = 1;
  int64_t threads = 256;
  /// Blocks that a multiprocessor must hold.
  int64_t blocks = 1;
  int64_t chunks = 1;

  /// Chunks are whole grains of rows.
  static constexpr int64_t rowGrain = 256;

  static WeightGradConfig choose(Type xElement, Type dyElement, int64_t offsets,
                                 int64_t groups, int64_t inChannels,
                                 int64_t outChannels, bool allowTf32,
                                 const GpuChip &chip);

  /// Derived numbers.
  int64_t elementBytes() const { return xElement.isF32() ? 4 : 2; }
  int64_t pieces() const {
    return tileGroups * (tileIn / pieceIn) * (tileOut / pieceOut);
  }
  int64_t tilesIn() const { return llvm::divideCeil(inChannels, tileIn); }
  int64_t tilesOut() const { return llvm::divideCeil(outChannels, tileOut); }
  int64_t tiles() const {
    return tilesIn() * tilesOut() * llvm::divideCeil(groups, tileGroups);
  }
  int64_t parts() const { return chunks * lanes; }
  /// Elements of one offset's gradient.
  int64_t elements() const { return groups * inChannels * outChannels; }
  /// Rows that a block looks at in one go, and the pairs it lists before it
  /// multiplies them.
  int64_t rowsPerThread() const { return llvm::alignTo(1024 / threads, 4); }
  int64_t scanRows() const { return threads * rowsPerThread(); }
  int64_t listRoom() const { return 512 + scanRows() + pairs * stages; }
  /// Bytes of a pair's row in shared memory, for either side.
  int64_t xPitch() const { return pitch(tileIn); }
  int64_t dyPitch() const { return pitch(tileOut); }
  int64_t stageBytes() const { return pairs * (xPitch() + dyPitch()); }
  int64_t sharedBytes() const;
  int64_t gridX() const { return chunks * offsets; }
  int64_t gridY() const { return tiles(); }

private:
  int64_t pitch(int64_t tile) const {
    // The bytes more put what a warp reads at once into different banks: eight
    // rows of 16 bytes, or of f32 four rows of 32 bytes.
    return tensorCores ? (tile + 8) * elementBytes() : tileGroups * tile * 4;
  }
};

/// Adds the kernel of a configuration.
gpu::GPUFuncOp buildWeightGrad(gpu::GPUModuleOp module, StringRef name,
                               const WeightGradConfig &config);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_WEIGHTGRAD_H
