//===- SetBounds.h - how many rows a set can have ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What geometry says of the rows of a set, before any coordinate is known.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_IR_SETBOUNDS_H
#define SPARSECONV_DIALECT_SPARSECONV_IR_SETBOUNDS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"

namespace mlir::sparseconv {

/// The reach of a coordinate: the most of its displaced copies that can be
/// multiples of `stride`. All of those have one remainder, so it is the largest
/// number of displacements that agree modulo the stride: a window of 3 at
/// stride 2 reaches 2 of them on each axis. `displacements` has one number for
/// each axis, again and again.
int64_t getReach(ArrayRef<int64_t> displacements, ArrayRef<int64_t> stride);

/// The most coordinates that a set of type `set` can have, all of them inside
/// `clip` where there is one: its cells, over all batch items; INT64_MAX where
/// there are more.
int64_t getNumCells(CoordsType set, std::optional<RegionAttr> clip = {});

/// The multiples of a set's stride on one axis, inside its packing and a clip
/// region.
struct AxisCells {
  int64_t lowest, count;
};
AxisCells getAxisCells(CoordsType set, unsigned axis,
                       std::optional<RegionAttr> clip);

/// Why the cells of `clip` cannot be the bits of a map that tells which of
/// them coordinates reach by `numOffsets` offsets, for a set of type `set`
/// (`#sparseconv.coarsening<bitmap>`), or nothing. All cells of all batch items
/// are looked at, so that there are limits.
std::string describeBitmapProblem(CoordsType set,
                                  std::optional<RegionAttr> clip,
                                  int64_t numOffsets);

/// Why a set cannot be floored to `coarse` by factors `by` without sorting
/// (`#sparseconv.coarsening<merge>`), or nothing.
std::string describeMergeProblem(CoordsType coarse, ArrayRef<int64_t> by);

/// The columns along the last axis that a cell is made of.
int64_t getNumCellColumns(ArrayRef<int64_t> by);

} // namespace mlir::sparseconv

#endif // SPARSECONV_DIALECT_SPARSECONV_IR_SETBOUNDS_H
