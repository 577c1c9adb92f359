//===- SetBounds.cpp - how many rows a set can have -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <map>

using namespace mlir;
using namespace mlir::sparseconv;

int64_t mlir::sparseconv::getReach(ArrayRef<int64_t> displacements,
                                   ArrayRef<int64_t> stride) {
  size_t dim = stride.size();
  std::map<std::vector<int64_t>, int64_t> byRemainder;
  int64_t reach = 0;
  for (; displacements.size() >= dim;
       displacements = displacements.drop_front(dim)) {
    std::vector<int64_t> remainder;
    for (auto [number, step] : llvm::zip(displacements, stride))
      remainder.push_back(llvm::mod(number, step));
    reach = std::max(reach, ++byRemainder[remainder]);
  }
  return reach;
}

AxisCells mlir::sparseconv::getAxisCells(CoordsType set, unsigned axis,
                                         std::optional<RegionAttr> clip) {
  PackingAttr packing = set.getPacking();
  int64_t lower = packing.getMin(axis), upper = packing.getMax(axis);
  if (clip) {
    lower = std::max(lower, clip->getLower()[axis]);
    upper = std::min(upper, clip->getUpper()[axis] - 1);
  }
  int64_t step = set.getStride()[axis];
  int64_t first = llvm::divideCeilSigned(lower, step);
  int64_t last = llvm::divideFloorSigned(upper, step);
  return {first * step, std::max<int64_t>(0, last - first + 1)};
}

int64_t mlir::sparseconv::getNumCells(CoordsType set,
                                      std::optional<RegionAttr> clip) {
  int64_t cells = set.getPacking().getMaxBatch() + 1;
  bool overflows = false;
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    int64_t count = getAxisCells(set, axis, clip).count;
    // An axis without cells leaves none, whatever the others have.
    if (count == 0)
      return 0;
    overflows |= llvm::MulOverflow(cells, count, cells);
  }
  return overflows ? std::numeric_limits<int64_t>::max() : cells;
}

/// Cells of a batch item up to which all of them are looked at; those on axis
/// 0; and those with equal coordinates on the first two axes, which are in
/// memory at once.
static constexpr int64_t kMaxBitmap = int64_t(1) << 28;
static constexpr int64_t kMaxFirstAxis = int64_t(1) << 14;
static constexpr int64_t kMaxLine = int64_t(1) << 18;
/// Bits of a batch index, and of an axis whose differences fit 32 bits.
static constexpr int64_t kMaxBitmapBatch = 8, kMaxBitmapAxis = 30;
/// Offsets that code is written out for, some times over.
static constexpr int64_t kMaxBitmapOffsets = 64;

/// Why an axis of `clip` cannot be one of a bitmap's, or nothing.
static std::string describeAxisProblem(PackingAttr packing, unsigned axis,
                                       RegionAttr clip) {
  if (packing.getBits()[axis] > kMaxBitmapAxis)
    return llvm::formatv("makes a bitmap for axes of at most {0} bits, but "
                         "axis {1} has {2}",
                         kMaxBitmapAxis, axis, packing.getBits()[axis]);
  // A coordinate to spare, so that a row has one behind it.
  int64_t lower = clip.getLower()[axis], upper = clip.getUpper()[axis];
  if (lower < packing.getMin(axis) || upper > packing.getMax(axis))
    return llvm::formatv("makes a bitmap for a clip region within {0} and "
                         "{1} on axis {2}, but it is from {3} to {4}",
                         packing.getMin(axis), packing.getMax(axis), axis,
                         lower, upper);
  return {};
}

std::string mlir::sparseconv::describeBitmapProblem(
    CoordsType set, std::optional<RegionAttr> clip, int64_t numOffsets) {
  if (!clip)
    return "makes a bitmap of the cells of a clip region, but there is none";
  PackingAttr packing = set.getPacking();
  if (set.getDim() < 2)
    return "makes a bitmap on two axes and more, but there is one";
  if (packing.getBatch() > kMaxBitmapBatch)
    return llvm::formatv("makes a bitmap for batch indices of at most {0} "
                         "bits, but they have {1}",
                         kMaxBitmapBatch, packing.getBatch());
  if (numOffsets > kMaxBitmapOffsets)
    return llvm::formatv("makes a bitmap for at most {0} offsets",
                         kMaxBitmapOffsets);
  // All counts are below 2^30.
  int64_t cells = 1, line = 1;
  for (unsigned axis = 0; axis < set.getDim(); ++axis) {
    std::string problem = describeAxisProblem(packing, axis, *clip);
    if (!problem.empty())
      return problem;
    int64_t count = getAxisCells(set, axis, clip).count;
    cells = std::min(cells * count, kMaxBitmap + 1);
    if (axis >= 2)
      line = std::min(line * count, kMaxLine + 1);
  }
  if (cells == 0)
    return "makes a bitmap of the cells of a clip region, which has none";
  if (cells > kMaxBitmap || line > kMaxLine ||
      getAxisCells(set, 0, clip).count > kMaxFirstAxis)
    return llvm::formatv("makes a bitmap of at most {0} cells, {1} of them on "
                         "axis 0 and {2} alike on the first two axes, but the "
                         "clip region has more",
                         kMaxBitmap, kMaxFirstAxis, kMaxLine);
  return {};
}

int64_t mlir::sparseconv::getNumCellColumns(ArrayRef<int64_t> by) {
  int64_t columns = 1;
  for (int64_t factor : by.drop_back())
    if (llvm::MulOverflow(columns, factor, columns))
      return std::numeric_limits<int64_t>::max();
  return columns;
}

/// Columns that code is written out for.
static constexpr int64_t kMaxCellColumns = 16;

std::string mlir::sparseconv::describeMergeProblem(CoordsType coarse,
                                                   ArrayRef<int64_t> by) {
  PackingAttr packing = coarse.getPacking();
  for (auto [axis, stride] : llvm::enumerate(coarse.getStride())) {
    if (by[axis] < 1 || stride % by[axis] != 0)
      return llvm::formatv("expects a factor that divides the stride {0} of "
                           "axis {1}, but found {2}",
                           stride, axis, by[axis]);
    // A packing reaches from -n to n - 1: where it begins with a cell, it ends
    // with one.
    int64_t lowest = packing.getMin(axis);
    if (lowest % stride != 0)
      return llvm::formatv("cannot merge cells of {0} on axis {1}, as the "
                           "lowest coordinate {2} of the packing begins none",
                           stride, axis, lowest);
  }
  int64_t columns = getNumCellColumns(by);
  if (columns > kMaxCellColumns)
    return llvm::formatv("cannot merge cells of {0} columns, at most {1}",
                         columns, kMaxCellColumns);
  return {};
}
