//===- MainLoop.h - main loops of implicit GEMMs ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A main loop is one way to carry out an implicit GEMM by tiles of rows: which
// instructions multiply, and how rows and weights reach them. Each is an object
// in a file of its own and knows everything about itself. Code that selects,
// checks, sizes or emits a kernel asks the object and never compares names.
//
// To add one: a file in lib/Kernels/Gemm, its line in MainLoops.def, and its
// line in CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_MAINLOOP_H
#define SPARSECONV_KERNELS_GEMM_MAINLOOP_H

#include "sparseconv/Kernels/Gemm/FragmentLayout.h"
#include "sparseconv/Support/NamedTable.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <string>

namespace mlir::sparseconv {

class ImplicitGemmEmitter;
struct ImplicitGemmConfig;
struct ImplicitGemmShape;
struct TargetInfo;

class MainLoop : public NamedEntry<MainLoop> {
public:
  /// All main loops: those come first whose candidates are tried first.
  /// `#sparseconv.gemm_tiling` names one.
  static llvm::ArrayRef<const MainLoop *> getAll();

  // --- What it is ----------------------------------------------------------
  /// Output rows of a tile, 16 or 64: the rows whose offsets are walked over
  /// together.
  virtual int64_t rowsPerTile() const = 0;
  /// Output rows that a thread block works on at a time.
  virtual int64_t rowsPerBlock(const ImplicitGemmConfig &config) const;
  /// Whether thread blocks loop over tiles; otherwise there is one thread block
  /// for each `rowsPerBlock` rows.
  virtual bool isPersistent() const { return false; }
  /// Whether tensor cores multiply: f32 is then rounded to tf32.
  virtual bool usesTensorCores() const { return true; }
  /// Whether a column tile has channels of several groups, each of which has
  /// one channel in and one out.
  virtual bool joinsGroups() const { return false; }
  /// How it wants the weights to be packed.
  virtual ImageOrder getImageOrder() const { return ImageOrder::Fragments; }
  /// Whether kernels wait for those before them in each task, before its first
  /// rows (ImplicitGemmEmitter::waitForKernels), and not where they start.
  virtual bool hasPrologue() const { return false; }
  /// Whether it reads the sizes `stages` and `resident` of a tiling.
  virtual bool hasStages() const { return false; }
  virtual bool hasResidentWeights() const { return false; }
  /// Whether several thread blocks, or warps, may share the sums of a tile.
  virtual bool splitsSums() const { return true; }
  /// Whether row blocks are split by how many offsets they have (SplitPlan.h).
  virtual bool plansSplits() const { return false; }
  /// For how many times the thread blocks that fit a device at once a sum is
  /// split.
  virtual int64_t wavesOfSplit() const { return 1; }

  /// Whether it is fast for a shape that it takes. Where it is not, only a
  /// tuner tries its candidates.
  virtual bool isChosen(const ImplicitGemmShape &) const { return true; }

  // --- What it needs -------------------------------------------------------
  /// Bytes of shared memory of a thread block.
  virtual int64_t sharedBytes(const ImplicitGemmConfig &config) const = 0;
  /// Registers of a thread, as ptxas was seen to need over many shapes.
  virtual int64_t estimateRegisters(const ImplicitGemmConfig &config) const = 0;
  /// Why it cannot carry out a configuration on `target`, or an empty string.
  /// `ImplicitGemmConfig::verify` checks before what holds for all main loops,
  /// and afterwards that registers and shared memory suffice.
  virtual std::string verify(const ImplicitGemmConfig &config,
                             const TargetInfo &target) const = 0;

  // --- What it does --------------------------------------------------------
  /// Adds the configurations that are known to be fast for `shape`, the fastest
  /// first; those that the chip has no room for are dropped later.
  virtual void addCandidates(
      const ImplicitGemmShape &shape, const TargetInfo &target,
      llvm::SmallVectorImpl<ImplicitGemmConfig> &candidates) const = 0;
  /// Writes the body of a kernel.
  virtual void emit(ImplicitGemmEmitter &e, const TargetInfo &target) const = 0;

protected:
  explicit MainLoop(llvm::StringLiteral name) : NamedEntry(name) {}
  /// `shape` by this main loop. A few splits fill a device that has few rows;
  /// more only cost additions.
  ImplicitGemmConfig makeConfig(const ImplicitGemmShape &shape,
                                bool splits) const;
  /// The columns of tiles of one width, at most `limit`, for `channels`.
  static int64_t getEvenTileN(int64_t channels, int64_t limit);
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_MAINLOOP_H
