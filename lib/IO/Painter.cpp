//===- Painter.cpp - bars and text on a picture ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The drawing is done by the Anti-Grain Geometry library, which also brings the
// glyphs.
//
//===----------------------------------------------------------------------===//

#include "Painter.h"
#include "llvm/ADT/StringExtras.h"
#include <agg_embedded_raster_fonts.h>
#include <agg_glyph_raster_bin.h>
#include <agg_pixfmt_rgb.h>
#include <agg_renderer_base.h>
#include <agg_renderer_raster_text.h>
#include <agg_rendering_buffer.h>

namespace sparseconv::detail {

using PixelFormat = agg::pixfmt_srgb24;
using Glyphs = agg::glyph_raster_bin<PixelFormat::color_type>;

/// Its glyphs are 17 pixels tall and cover printable ASCII.
static const agg::int8u *const font = agg::verdana17;

/// The library looks glyphs up without a check.
static std::string makePrintable(llvm::StringRef text) {
  std::string result = text.str();
  for (char &letter : result)
    if (!llvm::isPrint(letter))
      letter = '?';
  return result;
}

/// Calls `draw` with a renderer of the image's pixels.
template <typename Draw> static void drawOn(Image &image, Draw draw) {
  agg::rendering_buffer rows(image.rgb.data(), image.width, image.height,
                             static_cast<int>(image.width * 3));
  PixelFormat pixels(rows);
  agg::renderer_base<PixelFormat> renderer(pixels);
  draw(renderer);
}

static PixelFormat::color_type makeColour(uint32_t rgb) {
  return {rgb >> 16 & 255, rgb >> 8 & 255, rgb & 255};
}

void Painter::fill(unsigned left, unsigned top, unsigned width, unsigned height,
                   uint32_t rgb) {
  if (width == 0 || height == 0)
    return;
  drawOn(image, [&](auto &renderer) {
    renderer.copy_bar(left, top, left + width - 1, top + height - 1,
                      makeColour(rgb));
  });
}

unsigned Painter::drawText(unsigned left, unsigned top, llvm::StringRef text,
                           uint32_t rgb) {
  drawOn(image, [&](auto &renderer) {
    Glyphs glyphs(font);
    agg::renderer_raster_htext_solid<std::decay_t<decltype(renderer)>, Glyphs>
        writer(renderer, glyphs);
    writer.color(makeColour(rgb));
    double baseLine = top + glyphs.height() - glyphs.base_line();
    writer.render_text(left, baseLine, makePrintable(text).c_str(),
                       /*flip=*/true);
  });
  return left + getTextWidth(text);
}

unsigned Painter::getTextWidth(llvm::StringRef text) {
  Glyphs glyphs(font);
  return static_cast<unsigned>(glyphs.width(makePrintable(text).c_str()));
}

} // namespace sparseconv::detail
