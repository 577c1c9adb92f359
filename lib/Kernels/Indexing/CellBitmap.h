//===- CellBitmap.h - the cells of a region as bits, by slices --*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cells of a clip region are bits, in the order of their keys. They are cut
// into slices of some cells on axis 1, a line of cells on the other axes behind
// each, at one cell on axis 0 and one batch item. A worker (a block of a GPU,
// or an iteration on a CPU) takes slices that follow each other, and has the
// bitmap of one at a time.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_INDEXING_CELLBITMAP_H
#define SPARSECONV_LIB_KERNELS_INDEXING_CELLBITMAP_H

#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"
#include "sparseconv/Kernels/Indexing/BlockSums.h"

namespace mlir::sparseconv {

/// Bits of a bitmap's words.
constexpr int64_t kBitmapWord = 32;

/// How the cells of a batch item are cut.
struct Slicing {
  Slicing(CoordsType set, RegionAttr clip);

  /// By axis.
  SmallVector<AxisCells> axes;
  /// Cells of a line; lines of a slice but the last of a place on axis 0;
  /// slices at such a place.
  int64_t lineCells = 1, lines, slices;
  int64_t getNumWords() const {
    return llvm::divideCeil(lines * lineCells, kBitmapWord);
  }
  int64_t getNumSlices() const { return axes[0].count * slices; }
};

/// What keys reach from one displacement on axis 0: the displacements on the
/// other axes, and the bounds of those on axis 1.
struct Reach {
  int64_t displacement;
  SmallVector<SmallVector<int64_t>> others;
  int64_t getLowest() const;
  int64_t getHighest() const;
};

/// Marks the cells of a region that the keys of a set reach.
class CellBitmap {
public:
  /// What runs the code of a kernel: one of a worker's threads, of which it has
  /// one on a CPU.
  struct Worker {
    Value number, thread;
    Value bits, pieces, sums;
  };
  struct Slice {
    /// The key of its first cell; that of axis 1 alone, its lines (i32).
    Value key, firstLine, numLines;
  };
  /// Workers on a GPU.
  static constexpr int64_t kGpuWorkers = 2048;

  CellBitmap(LoopBuilder &b, CoverOp op);

  int64_t getNumWorkers() const { return numWorkers; }
  /// Threads of a worker.
  int64_t getNumThreads() const { return numThreads; }
  /// Words of a slice's bits.
  int64_t getNumWords() const { return slicing.getNumWords(); }

  void forEachWorker(function_ref<void(const Worker &worker)> body);
  /// A loop over the slices of a worker, whose bits are set, which carries a
  /// number.
  Value forSlices(const Worker &worker, Value init,
                  function_ref<Value(Slice slice, Value carried)> body);
  /// The key of a cell of a slice.
  Value getKey(const Slice &slice, Value cell);
  /// Sums over the threads of a worker of a GPU.
  BlockSums sumThreads(const Worker &worker, Value own);

private:
  /// The thread's share of 0 .. count-1.
  void forShare(const Worker &worker, Value count,
                function_ref<void(Value i)> body);
  void meet();
  Slice getSlice(Value number);
  /// Sets the bits of the cells of a slice that keys reach.
  void mark(const Worker &worker, const Slice &slice);
  /// The first key of each piece, and the first one behind it.
  void findPieces(const Worker &worker, const Slice &slice);
  void markPiece(const Worker &worker, const Slice &slice, Value begin,
                 Value end, const Reach &reach);
  void markKey(const Worker &worker, const Slice &slice, Value key,
               const Reach &reach);
  void setBit(const Worker &worker, Value cell);

  LoopBuilder &b;
  CoordsType set;
  PackingAttr packing;
  Type keyType;
  Slicing slicing;
  SmallVector<Reach> reaches;
  Value keys, numRows;
  int64_t numWorkers, numThreads;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_INDEXING_CELLBITMAP_H
