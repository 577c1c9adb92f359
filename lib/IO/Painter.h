//===- Painter.h - bars and text on a picture -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_PAINTER_H
#define SPARSECONV_LIB_IO_PAINTER_H

#include "sparseconv/IO/Picture.h"

namespace sparseconv::detail {

/// Draws bars and lines of text onto an image. What lies outside the image is
/// clipped. Positions and sizes are in pixels, from the upper left.
class Painter {
public:
  explicit Painter(Image &image) : image(image) {}

  void fill(unsigned left, unsigned top, unsigned width, unsigned height,
            uint32_t rgb);

  /// Draws a line of ASCII text and returns where it ends. Other bytes look
  /// like '?'.
  unsigned drawText(unsigned left, unsigned top, llvm::StringRef text,
                    uint32_t rgb);

  /// Pixels that `drawText` needs.
  static unsigned getTextWidth(llvm::StringRef text);
  static constexpr unsigned textHeight = 17;

private:
  Image &image;
};

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_PAINTER_H
