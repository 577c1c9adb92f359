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

/// Multiples of `step` from `lower` to `upper`, both inclusive.
static int64_t countMultiples(int64_t lower, int64_t upper, int64_t step) {
  if (lower > upper)
    return 0;
  return llvm::divideFloorSigned(upper, step) -
         llvm::divideCeilSigned(lower, step) + 1;
}

int64_t mlir::sparseconv::getNumCells(CoordsType set,
                                      std::optional<RegionAttr> clip) {
  PackingAttr packing = set.getPacking();
  int64_t cells = packing.getMaxBatch() + 1;
  bool overflows = false;
  for (auto [axis, step] : llvm::enumerate(set.getStride())) {
    int64_t lower = packing.getMin(axis), upper = packing.getMax(axis);
    if (clip) {
      lower = std::max(lower, clip->getLower()[axis]);
      upper = std::min(upper, clip->getUpper()[axis] - 1);
    }
    int64_t count = countMultiples(lower, upper, step);
    // An axis without cells leaves none, whatever the others have.
    if (count == 0)
      return 0;
    overflows |= llvm::MulOverflow(cells, count, cells);
  }
  return overflows ? std::numeric_limits<int64_t>::max() : cells;
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
