//===- WeightGrad.h - generators of gradients by the weights ----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that computes, for every offset, the sum over its pairs of rows of
// the outer product of a row of x and a row of dy. A thread block owns one tile
// of channels of one offset, and adds up its products in registers. Its sums
// are one share of the gradient, a split.
//
// The pairs of all offsets are shared out evenly: an offset with many pairs has
// many thread blocks. They take its pairs in turn, some at a time. So all
// thread blocks go over the rows side by side, and find in the L2 cache what
// others have read. Splits are added up afterwards, in their order. Nothing
// depends on which thread block comes first.
//
// The kernel has these parameters, all pointers to device memory:
//
//   x       [in rows, groups * in channels]
//   dy      [out rows, groups * out channels]
//   in_rows, out_rows  [offsets, out rows] i32   rows of x and dy of the pairs
//   counts  [offsets] i32      pairs of each offset
//   shares  [offsets + 1] i32  the first thread block of each offset
//   splits  [splits, groups, in channels, out channels] f32
//   inRows, outRows  i64       sizes
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
  /// What a thread block owns of its offset.
  int64_t tileGroups = 1, tileIn = 1, tileOut = 1;
  /// What a thread, or a warp on tensor cores, owns of one group of it.
  int64_t pieceIn = 1, pieceOut = 1;
  /// Owners of each piece: they take the pairs of a step in turn.
  int64_t slices = 1;
  /// Pairs in shared memory at a time; how often that is there.
  int64_t pairs = 16, stages = 1;
  /// Blocks that a multiprocessor must hold.
  int64_t blocks = 1;
  /// Thread blocks that share the pairs of all offsets, for each tile. There
  /// are no fewer than offsets.
  int64_t splitK = 1;

  WeightGradConfig() = default;
  explicit WeightGradConfig(const WeightGradShape &shape)
      : WeightGradShape(shape) {}

  /// The best known configuration for a shape. `verify` refuses it where
  /// `target` has none for the shape.
  static WeightGradConfig choose(const WeightGradShape &shape,
                                 const TargetInfo &target);
  /// The thread blocks that are best for the sizes of the tiles.
  int64_t chooseSplitK(const TargetInfo &target) const;

  /// Why no kernel can be made, or an empty string.
  std::string verify(const TargetInfo &target) const;

  /// Derived numbers.
  int64_t elementBytes() const { return xElement.isF32() ? 4 : 2; }
  int64_t pieces() const {
    return tileGroups * (tileIn / pieceIn) * (tileOut / pieceOut);
  }
  int64_t threads() const;
  int64_t tilesIn() const { return llvm::divideCeil(inChannels, tileIn); }
  int64_t tilesOut() const { return llvm::divideCeil(outChannels, tileOut); }
  int64_t tiles() const {
    return tilesIn() * tilesOut() * llvm::divideCeil(groups, tileGroups);
  }
  int64_t splits() const { return gridX() * slices; }
  /// Elements of one offset's gradient.
  int64_t elements() const { return groups * inChannels * outChannels; }
  /// Steps for whose numbers of rows there is room in shared memory: those
  /// whose stages are filled, and as many more that are on their way.
  int64_t rowSlots() const { return 2 * stages; }
  /// Bytes of a pair's row in shared memory, for either side.
  int64_t xPitch() const;
  int64_t dyPitch() const;
  int64_t stageBytes() const { return pairs * (xPitch() + dyPitch()); }
  int64_t ringBytes() const { return stages * stageBytes(); }
  int64_t sharedBytes() const;
  int64_t gridX() const { return std::max(splitK, offsets); }
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
  /// All of them: the first is chosen that takes a shape and is fast for it.
  /// `#sparseconv.weight_grad_tiling` names one.
  static ArrayRef<const WeightGradLoop *> getAll();

  /// Whether tensor cores multiply: f32 is then rounded to tf32.
  virtual bool usesTensorCores() const = 0;
  /// Threads of a thread block.
  virtual int64_t threads(const WeightGradConfig &config) const = 0;
  /// Bytes of a row of `tile` channels in shared memory.
  virtual int64_t rowPitch(const WeightGradConfig &config,
                           int64_t tile) const = 0;
  /// Registers of a thread.
  virtual int64_t estimateRegisters(const WeightGradConfig &config) const = 0;
  /// Why it does not take a shape, or an empty string.
  virtual std::string verifyShape(const WeightGradShape &shape) const = 0;
  /// Whether it is fast for a shape that it takes.
  virtual bool isChosen(const WeightGradShape &) const { return true; }
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
/// Before it: shares[k] up to, but not including, shares[k + 1] are the thread
/// blocks of offset k, which has counts[k] pairs.
void emitShares(LoopBuilder &b, const WeightGradConfig &config, Value counts,
                Value shares);
/// After it: adds up the splits of each offset, in their order, and rounds.
void emitSumOfSplits(LoopBuilder &b, const WeightGradConfig &config,
                     Value shares, Value splits, Value dw);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_WEIGHTGRAD_H
