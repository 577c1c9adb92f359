//===- Views.h - views of voxels --------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How voxels come onto a canvas: from above, and seen by a camera.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_VIEWS_H
#define SPARSECONV_LIB_IO_VIEWS_H

#include "Canvas.h"

namespace sparseconv::detail {

using Vector = std::array<double, 3>;

/// A voxel: its lower corner in cells, and its colour.
struct Cell {
  Vector corner;
  uint32_t rgb;
};

/// The cells to draw and the part of space that is worth showing.
struct Scene {
  std::vector<Cell> cells;
  /// Edges of every cell.
  Vector size = {1, 1, 1};
  /// Bounds that stray cells do not stretch.
  Vector low = {0, 0, 0}, high = {1, 1, 1};

  /// Finds `low` and `high`: all cells, or the middle 96% on an axis where
  /// the rest would take much more room.
  void findBounds();
};

/// Draws from above, x to the right and y upwards; returns samples per cell
/// unit.
double drawTopView(const Scene &scene, Canvas &canvas);

/// Draws what a camera sees that looks down at the scene's middle.
void drawPerspective(const Scene &scene, Canvas &canvas);

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_VIEWS_H
