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
// row blocks, whose number is a constant. A thread block owns one row block,
// one offset and one tile of channels. It lists the pairs that it finds in its
// column of the neighbour table, and adds their products up in registers. Its
// sums are one share of the gradient, a split; splits are added up afterwards,
// in their order. Nothing depends on which block comes first.
//
// A thread block may own several offsets: each then belongs to a team of its
// threads. Teams go over the rows together, so that what one reads of x and of
// dy is near when the others do: offsets that are next to each other have most
// of their rows in common.
//
// The kernel has these parameters, all pointers to device memory:
//
//   x       [in rows, groups * in channels]
//   dy      [out rows, groups * out channels]
//   table   [offsets, pitch] i32  neighbours by offset, no row of x for none;
//                                 pitch is out rows rounded up to rowGrain
//   splits  [splits, offsets, groups, in channels, out channels] f32
//   inRows, outRows  i64          sizes
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_WEIGHTGRAD_H
#define SPARSECONV_KERNELS_GEMM_WEIGHTGRAD_H

#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

namespace mlir::sparseconv {

class WeightGradEmitter;
class WeightGradLoop;

/// The gradient that is computed.
struct WeightGradShape {
  /// f32, f16 or bf16.
  Type xElement, dyElement;
  /// Channels are those of one group.
  int64_t offsets = 1, groups = 1, inChannels = 1, outChannels = 1;
  /// Whether f32 may be rounded to tf32.
  bool allowTf32 = false;
};

/// The gradient that is computed, and how.
struct WeightGradConfig : WeightGradShape {
  const WeightGradLoop *loop = nullptr;
  /// Offsets that a thread block owns, each of them a team of its threads.
  int64_t tileOffsets = 1;
  /// What a team owns of its offset.
  int64_t tileGroups = 1, tileIn = 1, tileOut = 1;
  /// What a thread, or a warp on tensor cores, owns of one group of it.
  int64_t pieceIn = 1, pieceOut = 1;
  /// Owners of each piece: they take the pairs of a step in turn.
  int64_t slices = 1;
  /// Pairs in shared memory at a time; how often that is there.
  int64_t pairs = 16, stages = 1;
  /// Blocks that a multiprocessor must hold.
  int64_t blocks = 1;
  /// Row blocks, whose sums are splits of the gradient.
  int64_t rowBlocks = 1;

  /// Row blocks are whole grains of rows.
  static constexpr int64_t rowGrain = 256;

  WeightGradConfig() = default;
  explicit WeightGradConfig(const WeightGradShape &shape)
      : WeightGradShape(shape) {}

  /// The best known configuration for a shape. `verify` refuses it where
  /// `target` has none for the shape.
  static WeightGradConfig choose(const WeightGradShape &shape,
                                 const TargetInfo &target);
  /// The row blocks that are best for the sizes of the others.
  int64_t chooseRowBlocks(const TargetInfo &target) const;

  /// Why no kernel can be made, or an empty string.
  std::string verify(const TargetInfo &target) const;

  /// Derived numbers.
  int64_t elementBytes() const { return xElement.isF32() ? 4 : 2; }
  int64_t pieces() const {
    return tileGroups * (tileIn / pieceIn) * (tileOut / pieceOut);
  }
  int64_t threads() const { return tileOffsets * teamThreads(); }
  int64_t teamThreads() const;
  int64_t teamWarps() const { return teamThreads() / kWarpLanes; }
  int64_t offsetTiles() const { return llvm::divideCeil(offsets, tileOffsets); }
  int64_t tilesIn() const { return llvm::divideCeil(inChannels, tileIn); }
  int64_t tilesOut() const { return llvm::divideCeil(outChannels, tileOut); }
  int64_t tiles() const {
    return tilesIn() * tilesOut() * llvm::divideCeil(groups, tileGroups);
  }
  int64_t splits() const { return rowBlocks * slices; }
  /// Elements of one offset's gradient.
  int64_t elements() const { return groups * inChannels * outChannels; }
  /// Rows that a team looks at in one go, and the pairs it lists before it
  /// multiplies them.
  int64_t rowsPerThread() const { return llvm::alignTo(1024 / threads(), 4); }
  int64_t scanRows() const { return teamThreads() * rowsPerThread(); }
  int64_t listRoom() const { return 512 + scanRows() + pairs * stages; }
  int64_t listBytes() const { return listRoom() * 8; }
  /// Bytes of a pair's row in shared memory, for either side.
  int64_t xPitch() const;
  int64_t dyPitch() const;
  int64_t stageBytes() const { return pairs * (xPitch() + dyPitch()); }
  int64_t ringBytes() const { return stages * stageBytes(); }
  int64_t sharedBytes() const;
  int64_t gridX() const { return rowBlocks * offsetTiles(); }
  int64_t gridY() const { return tiles(); }

private:
  std::string verifySizes(const TargetInfo &target) const;
};

/// A way to multiply the pairs of a list: an object in a file of its own. What
/// selects, checks or emits a kernel asks it and never compares names.
///
/// To add one: a file in lib/Kernels/Gemm, its line in WeightGradLoops.def, and
/// its line in CMakeLists.txt.
class WeightGradLoop : public NamedEntry<WeightGradLoop> {
public:
  /// All of them: the first that takes a shape is chosen.
  /// `#sparseconv.weight_grad_tiling` names one.
  static ArrayRef<const WeightGradLoop *> getAll();

  /// Whether tensor cores multiply: f32 is then rounded to tf32.
  virtual bool usesTensorCores() const = 0;
  /// Threads of a thread block that own one offset.
  virtual int64_t teamThreads(const WeightGradConfig &config) const = 0;
  /// Bytes of a row of `tile` channels in shared memory.
  virtual int64_t rowPitch(const WeightGradConfig &config,
                           int64_t tile) const = 0;
  /// Registers of a thread.
  virtual int64_t estimateRegisters(const WeightGradConfig &config) const = 0;
  /// Why it does not take a shape, or an empty string.
  virtual std::string verifyShape(const WeightGradShape &shape) const = 0;
  /// Whether teams of a thread block may own an offset each.
  virtual bool hasTeams() const { return false; }
  /// Why it cannot carry out the sizes of a configuration, or an empty string.
  virtual std::string verify(const WeightGradConfig &config,
                             const TargetInfo &target) const = 0;
  /// Sets the sizes that are known to be fast for the shape of `config`.
  virtual void chooseSizes(WeightGradConfig &config) const = 0;
  /// Writes the body of a kernel.
  virtual void emit(WeightGradEmitter &e) const = 0;

protected:
  explicit WeightGradLoop(llvm::StringLiteral name) : NamedEntry(name) {}
};

/// The configuration that a tiling and a dataflow's splits describe.
WeightGradConfig getWeightGrad(WeightGradTilingAttr tiling, int64_t splitK,
                               const WeightGradShape &shape);
/// Why there is no such configuration on `target`, or an empty string.
std::string verifyWeightGrad(WeightGradTilingAttr tiling, int64_t splitK,
                             const WeightGradShape &shape,
                             const TargetInfo &target);
WeightGradTilingAttr getTiling(MLIRContext *context,
                               const WeightGradConfig &config);

/// The shape of weights [offsets, in channels, out channels], or with an axis
/// of groups behind the first one.
WeightGradShape getWeightGradShape(ShapedType weights, Type xElement,
                                   Type dyElement, bool allowTf32);
WeightGradShape getWeightGradShape(const ConvTask &task);

/// Adds the kernel of a configuration.
gpu::GPUFuncOp buildWeightGrad(gpu::GPUModuleOp module, StringRef name,
                               const WeightGradConfig &config);
/// Before it: `table` [N, K] as [K, N], N rounded up and -1 behind it; then the
/// rows of x and N in `sizes`.
Value emitTurnedTable(LoopBuilder &b, Value table, Value xRows, Value sizes);
/// After it: adds up the splits that have rows, in their order, and rounds.
void emitSumOfSplits(LoopBuilder &b, const WeightGradConfig &config, Value rows,
                     Value splits, Value dw);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_WEIGHTGRAD_H
