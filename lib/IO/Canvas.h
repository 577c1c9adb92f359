//===- Canvas.h - a software rasteriser -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A small software rasteriser: colour and depth for each sample, triangles,
// squares, and shading from depth alone. It is our own because libraries that
// draw in two dimensions keep no depth, and those that do want a GPU's driver
// or Mesa.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_CANVAS_H
#define SPARSECONV_LIB_IO_CANVAS_H

#include "sparseconv/IO/Picture.h"

namespace sparseconv::detail {

/// A point on the canvas: position in samples, and a depth that is linear on
/// the screen (smaller is nearer).
struct ScreenPoint {
  float x = 0, y = 0, depth = 0;
};

class Canvas {
public:
  Canvas(unsigned width, unsigned height);

  unsigned getWidth() const { return width; }
  unsigned getHeight() const { return height; }

  /// Fills a square of `size` samples around `centre`.
  void drawSquare(ScreenPoint centre, float size, uint32_t rgb);
  void drawTriangle(const ScreenPoint (&corners)[3], uint32_t rgb);
  /// A convex quadrilateral, corners in order around it.
  void drawQuad(const ScreenPoint (&corners)[4], uint32_t rgb);

  /// Darkens samples whose neighbours are nearer ("eye-dome lighting"), so
  /// that edges and hollows show. `measure` maps a depth to a scale on which
  /// a difference of 1 is a deep step.
  template <typename Measure> void shade(Measure measure);

  /// Averages blocks of `factor` by `factor` samples into the image at (left,
  /// top), over a dark background.
  void copyTo(Image &image, unsigned left, unsigned top, unsigned factor) const;

private:
  void drawSample(unsigned x, unsigned y, float sampleDepth, uint32_t rgb) {
    size_t index = size_t(y) * width + x;
    if (sampleDepth < depth[index]) {
      depth[index] = sampleDepth;
      colour[index] = rgb;
    }
  }
  void applyShade(const std::vector<float> &measure);

  unsigned width, height;
  std::vector<float> depth;
  std::vector<uint32_t> colour;
};

template <typename Measure> void Canvas::shade(Measure measure) {
  std::vector<float> measured(depth.size());
  for (size_t i = 0; i < depth.size(); ++i)
    measured[i] = measure(depth[i]);
  applyShade(measured);
}

/// A colour with each channel multiplied by `factor`.
uint32_t scaleColour(uint32_t rgb, float factor);

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_CANVAS_H
