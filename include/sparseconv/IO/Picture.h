//===- Picture.h - pictures of voxels ---------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A PNG of coloured voxels, from above and in perspective, so that a person
// sees what a network was given and what it said.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_PICTURE_H
#define SPARSECONV_IO_PICTURE_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include <array>
#include <string>
#include <vector>

namespace sparseconv {

/// 8 bits per channel, rows from the top, no padding.
struct Image {
  unsigned width = 0, height = 0;
  std::vector<uint8_t> rgb;
};

/// The bytes of a PNG file. `rgb` has width * height * 3 bytes; neither side
/// is 0 or above 32768.
llvm::Expected<std::string> encodePng(unsigned width, unsigned height,
                                      llvm::ArrayRef<uint8_t> rgb);
llvm::Error writePng(llvm::StringRef path, unsigned width, unsigned height,
                     llvm::ArrayRef<uint8_t> rgb);
llvm::Error writePng(llvm::StringRef path, const Image &image);

/// What stands under the picture: classes with their colours, or the scale of
/// a colour map, or nothing.
struct Legend {
  struct Entry {
    uint32_t rgb;
    std::string text;
  };
  std::vector<Entry> entries;
  bool hasScale = false;
  std::string scaleName;
  double low = 0, high = 1;
};

/// A colour (0xRRGGBB) for each voxel and what the colours mean.
struct Colouring {
  std::vector<uint32_t> rgb;
  Legend legend;
};

/// The colour map at `t` in [0, 1]: from violet over green to yellow, each
/// step lighter than the one before.
uint32_t getScaleColour(double t);

/// A colour for class `index`; neighbouring indices differ well.
uint32_t getClassColour(unsigned index);

/// Colours the rows of a matrix by one column. The scale covers the middle 96%
/// of the values, so that outliers do not flatten it; NaN is grey.
llvm::Expected<Colouring> colourByColumn(const HostTensor &features,
                                         int64_t column, llvm::StringRef name);

/// Colours each row of a matrix by the column with its largest value, the
/// first one on ties. Columns beyond `classNames` are called "class N".
llvm::Expected<Colouring>
colourByArgMax(const HostTensor &features,
               llvm::ArrayRef<std::string> classNames = {});

struct PictureOptions {
  unsigned width = 1800, height = 860;
  /// A line of ASCII above the picture.
  std::string title;
  Legend legend;
  /// The batch item that is shown.
  int32_t batch = 0;
  /// Cells that a coordinate stands for: the stride of its set.
  std::array<int32_t, 3> stride = {1, 1, 1};
  /// Edge of a cell in metres for the scale bar; 0: the bar counts cells.
  double metresPerCell = 0;
};

/// Draws voxels `points` (i32 [N, 4]: batch, x, y, z) in the given colours.
llvm::Expected<Image> renderVoxels(const HostTensor &points,
                                   llvm::ArrayRef<uint32_t> rgbPerVoxel,
                                   const PictureOptions &options = {});

} // namespace sparseconv

#endif // SPARSECONV_IO_PICTURE_H
