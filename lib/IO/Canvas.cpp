//===- Canvas.cpp - a software rasteriser ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Canvas.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace sparseconv::detail {

static constexpr float farAway = std::numeric_limits<float>::infinity();

uint32_t scaleColour(uint32_t rgb, float factor) {
  uint32_t result = 0;
  for (unsigned shift : {16, 8, 0}) {
    float channel = ((rgb >> shift) & 255) * factor;
    result |= static_cast<uint32_t>(std::clamp(channel, 0.0f, 255.0f)) << shift;
  }
  return result;
}

Canvas::Canvas(unsigned width, unsigned height)
    : width(width), height(height), depth(size_t(width) * height, farAway),
      colour(size_t(width) * height) {}

/// Samples whose centres lie in [low, high), inside [0, size).
static std::pair<unsigned, unsigned> getSamples(float low, float high,
                                                unsigned size) {
  float limit = static_cast<float>(size);
  return {
      static_cast<unsigned>(std::clamp(std::ceil(low - 0.5f), 0.0f, limit)),
      static_cast<unsigned>(std::clamp(std::ceil(high - 0.5f), 0.0f, limit))};
}

void Canvas::drawSquare(ScreenPoint centre, float size, uint32_t rgb) {
  auto [left, right] =
      getSamples(centre.x - size / 2, centre.x + size / 2, width);
  auto [top, bottom] =
      getSamples(centre.y - size / 2, centre.y + size / 2, height);
  for (unsigned y = top; y < bottom; ++y)
    for (unsigned x = left; x < right; ++x)
      drawSample(x, y, centre.depth, rgb);
}

void Canvas::drawTriangle(const ScreenPoint (&corners)[3], uint32_t rgb) {
  const ScreenPoint &a = corners[0], &b = corners[1], &c = corners[2];
  float area = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
  if (!(std::abs(area) > 1e-6f))
    return;
  auto [left, right] =
      getSamples(std::min({a.x, b.x, c.x}), std::max({a.x, b.x, c.x}), width);
  auto [top, bottom] =
      getSamples(std::min({a.y, b.y, c.y}), std::max({a.y, b.y, c.y}), height);
  for (unsigned y = top; y < bottom; ++y)
    for (unsigned x = left; x < right; ++x) {
      float px = x + 0.5f, py = y + 0.5f;
      float u = ((px - a.x) * (c.y - a.y) - (py - a.y) * (c.x - a.x)) / area;
      float v = ((b.x - a.x) * (py - a.y) - (b.y - a.y) * (px - a.x)) / area;
      if (u >= 0 && v >= 0 && u + v <= 1)
        drawSample(x, y,
                   a.depth + u * (b.depth - a.depth) + v * (c.depth - a.depth),
                   rgb);
    }
}

void Canvas::drawQuad(const ScreenPoint (&corners)[4], uint32_t rgb) {
  drawTriangle({corners[0], corners[1], corners[2]}, rgb);
  drawTriangle({corners[0], corners[2], corners[3]}, rgb);
}

void Canvas::applyShade(const std::vector<float> &measure) {
  static constexpr int directions[8][2] = {{1, 0}, {-1, 0}, {0, 1},  {0, -1},
                                           {1, 1}, {-1, 1}, {1, -1}, {-1, -1}};
  static constexpr int radii[] = {2, 5};
  int w = static_cast<int>(width), h = static_cast<int>(height);
  for (int y = 0; y < h; ++y)
    for (int x = 0; x < w; ++x) {
      size_t index = size_t(y) * width + x;
      if (depth[index] == farAway)
        continue;
      float hidden = 0;
      for (int radius : radii)
        for (auto [dx, dy] : directions) {
          int nx = x + dx * radius, ny = y + dy * radius;
          if (nx < 0 || ny < 0 || nx >= w || ny >= h)
            continue;
          float step = measure[index] - measure[size_t(ny) * width + nx];
          hidden += std::clamp(step, 0.0f, 1.0f);
        }
      colour[index] = scaleColour(colour[index], std::exp(-0.22f * hidden));
    }
}

/// The background: dark blue, a little lighter towards the top.
static float getBackground(unsigned channel, float fromTop) {
  static constexpr float top[] = {25, 31, 43}, bottom[] = {12, 15, 22};
  return top[channel] + (bottom[channel] - top[channel]) * fromTop;
}

void Canvas::copyTo(Image &image, unsigned left, unsigned top,
                    unsigned factor) const {
  unsigned rows = height / factor, columns = width / factor;
  float samples = static_cast<float>(factor * factor);
  for (unsigned y = 0; y < rows; ++y)
    for (unsigned x = 0; x < columns; ++x)
      for (unsigned channel = 0; channel < 3; ++channel) {
        float background = getBackground(channel, (y + 0.5f) / rows), sum = 0;
        for (unsigned i = 0; i < factor * factor; ++i) {
          size_t index =
              size_t(y * factor + i / factor) * width + x * factor + i % factor;
          sum += depth[index] == farAway
                     ? background
                     : (colour[index] >> (16 - 8 * channel)) & 255;
        }
        image.rgb[(size_t(top + y) * image.width + left + x) * 3 + channel] =
            static_cast<uint8_t>(std::lround(sum / samples));
      }
}

} // namespace sparseconv::detail
