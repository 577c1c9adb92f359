//===- ImplicitGemm.h - generators of sparse convolutions -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels that compute, for every output row, the sum over its neighbours of a
// row of the input times a slice of the weights (masked output-stationary
// implicit GEMM). Each main loop is one generator; a configuration names it.
//
// Every kernel has these parameters, all pointers to device memory:
//
//   x        [in rows, in channels]    input rows
//   weights                            image of `buildPackWeights`
//   table    [offsets, pitch] i32      neighbours in tile order, or -1
//   order    [pitch] i32               output row of a slot, or -1
//   masks    [pitch / 16, words] u32   offsets that one of 16 slots has
//   y        [out rows, out channels]  output rows
//   inRows, outRows, pitch  i64        sizes; pitch is a multiple of 64
//   scratch f32, counters i32          only with `splitK`
//   beside   [in rows, channels]       only with `channelsBeside`
//
// and then those of the epilogue. Channels are those of all groups. offsets x
// pitch and in rows x in channels stay below 2^32. A tile is `rowsPerTile`
// consecutive slots.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_IMPLICITGEMM_H
#define SPARSECONV_KERNELS_GEMM_IMPLICITGEMM_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "sparseconv/Kernels/Gemm/ConvTask.h"
#include "sparseconv/Kernels/Gemm/FragmentLayout.h"
#include "sparseconv/Kernels/Gemm/MainLoop.h"
#include <optional>
#include <string>

namespace mlir::sparseconv {

enum class GemmElement { F16, BF16, F32, TF32 };

/// What an implicit GEMM computes.
struct ImplicitGemmShape {
  GemmElement element = GemmElement::F32;
  int64_t offsets = 27;
  int64_t groups = 1;
  /// Of one group.
  int64_t inChannels = 1;
  int64_t outChannels = 1;
  /// The stride of the set whose rows are computed, or 0 if it is not known.
  int64_t rowStride = 0;

  /// Whether the set is the network's finest.
  bool isFinest() const { return rowStride == 1; }
  /// Whether it is about as fine: there are likely enough rows to fill a
  /// device.
  bool isFine() const { return rowStride == 1 || rowStride == 2; }
  bool isDepthwise() const {
    return groups > 1 && inChannels == 1 && outChannels == 1;
  }
};

/// What an implicit GEMM computes, and how.
struct ImplicitGemmConfig : ImplicitGemmShape {
  const MainLoop *loop = nullptr;
  /// Warps of a thread block, and blocks a multiprocessor must hold.
  int64_t warps = 4;
  int64_t blocks = 1;
  /// Input channels per step, output channels per thread block.
  int64_t tileK = 16;
  int64_t tileN = 8;
  /// Stages of a ring in shared memory, of main loops that have one.
  int64_t stages = 1;
  /// Whether all weights of a column tile live in shared memory, of main loops
  /// that leave the choice.
  bool resident = false;
  /// Blocks, or warps, that may share the offsets of the same rows, where there
  /// are fewer rows than the device has room for.
  int64_t splitK = 1;
  /// Of the input channels, the last ones that are in rows of their own.
  int64_t channelsBeside = 0;
  /// Whether rows of the output are f32, whatever is multiplied.
  bool storesF32 = false;

  ImplicitGemmConfig() = default;
  explicit ImplicitGemmConfig(const ImplicitGemmShape &shape)
      : ImplicitGemmShape(shape) {}

  /// The best known configuration for a shape, with `splitK` splits where that
  /// is decided, if a main loop takes it.
  static std::optional<ImplicitGemmConfig>
  choose(const ImplicitGemmShape &shape, const TargetInfo &target,
         std::optional<int64_t> splitK = std::nullopt);

  /// Why no kernel can be made, or an empty string.
  std::string verify(const TargetInfo &target) const;

  /// Derived numbers.
  FragmentLayout layout() const;
  int64_t elementBytes() const;
  int64_t outElementBytes() const { return storesF32 ? 4 : elementBytes(); }
  /// Of a group of a row of `x`.
  int64_t ownChannels() const { return inChannels - channelsBeside; }
  /// What tileK is a multiple of.
  int64_t tileUnit() const { return 32 / elementBytes(); }
  int64_t maskWords() const { return (offsets + 31) / 32; }
  int64_t threads() const { return warps * kWarpLanes; }
  int64_t rowsPerTile() const { return loop->rowsPerTile(); }
  int64_t rowsPerBlock() const { return loop->rowsPerBlock(*this); }
  /// Bytes of a row of `x` and of `y`.
  int64_t inRowBytes() const { return groups * ownChannels() * elementBytes(); }
  int64_t outRowBytes() const {
    return groups * outChannels * outElementBytes();
  }
  /// A column tile has output channels of one section: of a group, or of the
  /// whole row where the main loop joins groups.
  int64_t sections() const { return loop->joinsGroups() ? 1 : groups; }
  int64_t sectionChannels() const { return groups * outChannels / sections(); }
  int64_t sectionTiles() const;
  /// Of all sections.
  int64_t columnTiles() const { return sections() * sectionTiles(); }
  int64_t sharedBytes() const {
    return llvm::alignTo(loop->sharedBytes(*this), 16) + oddRowBytes();
  }
  /// Whether every second row of the output begins in the middle of four bytes,
  /// and the shared memory, the last of all, that such rows pass through.
  bool hasOddRows() const;
  int64_t oddRowBytes() const;
  /// Bytes of the packed weights.
  int64_t weightBytes() const { return layout().imageBytes(); }
  bool isPersistent() const { return loop->isPersistent(); }
  /// f32 scratch of one split of a split tile, in bytes; i32 counters per tile.
  int64_t scratchBytesPerSplit() const;
  int64_t countersPerTile() const;
  /// With `splitK`: thread blocks, for each column tile, up to which tiles are
  /// split; so many blocks, or warps where those take tiles one by one; what
  /// they may need of the two buffers.
  int64_t blocksOfSplit(const TargetInfo &target) const;
  int64_t roomOfSplit(const TargetInfo &target) const;
  int64_t scratchBytes(const TargetInfo &target) const;
  int64_t counters(const TargetInfo &target) const;
  /// Where the main loop plans splits: how many counters come before those of
  /// tasks, of which each column tile has one.
  int64_t countersOfTiles() const;

private:
  int64_t tilesOfSplit(const TargetInfo &target) const;
  std::string verifySizes() const;
};

/// The configuration that a tiling and a dataflow's splits describe. Weights
/// are [offsets, in channels, out channels], or with `isTransposed` [offsets,
/// out channels, in channels]; an axis of groups may follow the first one.
ImplicitGemmConfig getTiledGemm(GemmTilingAttr tiling, int64_t splitK,
                                ShapedType weights, bool isTransposed);
/// Why there is no such configuration on `target`, or an empty string.
std::string verifyTiledGemm(GemmTilingAttr tiling, int64_t splitK,
                            ShapedType weights, bool isTransposed,
                            const TargetInfo &target);
GemmTilingAttr getTiling(MLIRContext *context,
                         const ImplicitGemmConfig &config);

/// The best known configuration on `target`, with the splits of its dataflow
/// where that is decided. None where threads have to multiply without tiles,
/// which is so for groups, and for few channels in f32 that may not be rounded
/// to tf32.
std::optional<ImplicitGemmConfig> chooseImplicitGemm(const ConvTask &task,
                                                     const TargetInfo &target);
/// The first two configurations of each main loop that `target` can run, those
/// that differ in their stages alone left out.
SmallVector<ImplicitGemmConfig> getImplicitGemms(const ConvTask &task,
                                                 const TargetInfo &target);

/// Neighbouring channels of a row of the output before they are rounded and
/// stored, `channel` being the first. Their number is a power of two. The index
/// of the first in its row is a multiple of it; where `isAligned`, its index
/// among all elements of the output is one, too.
struct GemmPiece {
  SmallVector<Value> sums;
  Value row, channel;
  bool isAligned = true;
};
/// Stores what the sums of a piece have become, whose number is given.
using StorePiece = function_ref<void(size_t number, ArrayRef<Value> values)>;
/// What the sums of pieces become, given the kernel's arguments for the
/// epilogue. It may load for all of them before it stores the first.
using GemmEpilogue =
    function_ref<void(GpuBuilder &b, ArrayRef<GemmPiece> pieces,
                      ValueRange arguments, StorePiece store)>;
/// The epilogue of `op`, a kernel operation that stores an output by pieces;
/// the arguments are the addresses of its extra operands, and of row numbers.
template <typename OpTy>
void applyEpilogue(GpuBuilder &b, OpTy op, ArrayRef<GemmPiece> pieces,
                   ValueRange pointers, StorePiece store);

/// Adds the kernel of a configuration that `verify` accepts.
gpu::GPUFuncOp buildImplicitGemm(gpu::GPUModuleOp module, StringRef name,
                                 const ImplicitGemmConfig &config,
                                 const TargetInfo &target,
                                 TypeRange epilogueTypes = {},
                                 GemmEpilogue epilogue = {});

/// How weights lie in memory: the slices of all offsets, [in channels, out
/// channels] each.
struct WeightStrides {
  struct Axis {
    int64_t size, stride;
  };
  /// The axes that count slices, the slowest of the order of slices first.
  SmallVector<Axis> slices;
  /// From one channel to the next, in elements.
  int64_t in, out;

  /// Those of dense [offsets, in channels, out channels], or with `transposed`
  /// [offsets, out channels, in channels]; groups may follow the offsets.
  static WeightStrides get(const ImplicitGemmConfig &config, bool transposed);
  /// Those of a dense array of a shape, whose axes are the slices and then the
  /// channels in the given order.
  static WeightStrides get(ArrayRef<int64_t> shape, ArrayRef<int64_t> order);
};

/// Adds the kernel (weights, image) that makes the weight image, in
/// `countPackBlocks` thread blocks of `kPackThreads` threads. A thread makes a
/// piece of 16 bytes.
inline constexpr int64_t kPackThreads = 256;
int64_t countPackBlocks(const ImplicitGemmConfig &config);
gpu::GPUFuncOp buildPackWeights(gpu::GPUModuleOp module, StringRef name,
                                const ImplicitGemmConfig &config,
                                const WeightStrides &strides);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_IMPLICITGEMM_H
