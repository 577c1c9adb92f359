//===- Picture.cpp - pictures of voxels -----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Picture.h"
#include "Canvas.h"
#include "Painter.h"
#include "Views.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

/// Samples of a canvas along each side of a pixel.
static constexpr unsigned oversampling = 2;
static constexpr unsigned textHeight = Painter::textHeight, gap = 12;
static constexpr unsigned titleHeight = 44, legendHeight = 44, margin = 20;
static constexpr uint32_t textColour = 0xdfe5ee, dimColour = 0x8b96a8,
                          barColour = 0x10141c;

static std::string formatNumber(double value) {
  std::string text;
  raw_string_ostream(text) << format("%.4g", value);
  return text;
}

static void drawScale(Painter &painter, unsigned top, const Legend &legend) {
  constexpr unsigned barWidth = 240;
  unsigned left = painter.drawText(margin, top, legend.scaleName, textColour);
  left = painter.drawText(left + gap, top, formatNumber(legend.low), dimColour);
  left += gap;
  for (unsigned x = 0; x < barWidth; ++x)
    painter.fill(left + x, top, 1, textHeight,
                 getScaleColour((x + 0.5) / barWidth));
  painter.drawText(left + barWidth + gap, top, formatNumber(legend.high),
                   dimColour);
}

/// Draws classes as far as there is room, and the number of the others.
static void drawEntries(Painter &painter, unsigned width, unsigned top,
                        const Legend &legend) {
  unsigned left = margin;
  for (auto [index, entry] : enumerate(legend.entries)) {
    unsigned needed =
        textHeight + gap / 2 + Painter::getTextWidth(entry.text) + gap;
    std::string rest =
        "+" + std::to_string(legend.entries.size() - index) + " more";
    bool isLast = index + 1 == legend.entries.size();
    unsigned reserve = isLast ? 0 : Painter::getTextWidth(rest) + gap;
    if (left + needed + reserve > width) {
      painter.drawText(left, top, rest, dimColour);
      return;
    }
    painter.fill(left, top, textHeight, textHeight, entry.rgb);
    painter.drawText(left + textHeight + gap / 2, top, entry.text, textColour);
    left += needed;
  }
}

/// A bar of a round length, at most a third of the panel.
static void drawScaleBar(Painter &painter, unsigned panelWidth, unsigned bottom,
                         double pixelsPerCell, double metresPerCell) {
  double unit = metresPerCell > 0 ? metresPerCell : 1;
  double largest = panelWidth / 3.0 / pixelsPerCell * unit;
  double length = std::pow(10, std::floor(std::log10(largest)));
  for (double factor : {5.0, 2.0})
    if (length * factor <= largest) {
      length *= factor;
      break;
    }
  unsigned pixels =
      static_cast<unsigned>(std::lround(length / unit * pixelsPerCell));
  painter.fill(margin, bottom - 14, pixels, 3, textColour);
  painter.drawText(margin, bottom - 20 - textHeight,
                   formatNumber(length) +
                       (metresPerCell > 0 ? " m" : " voxels"),
                   textColour);
}

/// Distinct coordinates; a scan's points repeat them.
static size_t countDistinct(const Scene &scene) {
  std::vector<Vector> corners;
  for (const Cell &cell : scene.cells)
    corners.push_back(cell.corner);
  llvm::sort(corners);
  return std::unique(corners.begin(), corners.end()) - corners.begin();
}

static Error checkArguments(const HostTensor &points,
                            ArrayRef<uint32_t> rgbPerVoxel,
                            const PictureOptions &options) {
  auto fail = [](const Twine &message) {
    return createStringError(inconvertibleErrorCode(), message);
  };
  if (points.getKind() != ElementKind::I32 || points.getRank() != 2 ||
      points.getDim(1) != 4)
    return fail("expected voxels of type tensor<?x4xi32> to draw, found " +
                points.getTypeString());
  if (static_cast<int64_t>(rgbPerVoxel.size()) != points.getDim(0))
    return fail("expected a colour for each of " + Twine(points.getDim(0)) +
                " voxels, found " + Twine(rgbPerVoxel.size()));
  if (options.width < 320 || options.height < 200 || options.width > 16384 ||
      options.height > 16384)
    return fail("expected a picture of 320x200 to 16384x16384 pixels, found " +
                Twine(options.width) + "x" + Twine(options.height));
  for (int32_t stride : options.stride)
    if (stride < 1)
      return fail("expected strides of at least 1, found " + Twine(stride));
  return Error::success();
}

Expected<Image> sparseconv::renderVoxels(const HostTensor &points,
                                         ArrayRef<uint32_t> rgbPerVoxel,
                                         const PictureOptions &options) {
  if (Error error = checkArguments(points, rgbPerVoxel, options))
    return error;

  Scene scene;
  ArrayRef<int32_t> rows = points.as<int32_t>();
  for (unsigned axis = 0; axis < 3; ++axis)
    scene.size[axis] = options.stride[axis];
  for (size_t row = 0; row < rgbPerVoxel.size(); ++row)
    if (rows[row * 4] == options.batch)
      scene.cells.push_back(
          {{double(rows[row * 4 + 1]), double(rows[row * 4 + 2]),
            double(rows[row * 4 + 3])},
           rgbPerVoxel[row]});
  scene.findBounds();

  Image image;
  image.width = options.width;
  image.height = options.height;
  image.rgb.resize(size_t(image.width) * image.height * 3);
  Painter painter(image);
  painter.fill(0, 0, image.width, image.height, barColour);

  unsigned panelHeight = image.height - titleHeight - legendHeight;
  unsigned topWidth = std::min(panelHeight, image.width * 45 / 100);
  Canvas top(topWidth * oversampling, panelHeight * oversampling);
  Canvas side((image.width - topWidth - 2) * oversampling,
              panelHeight * oversampling);
  double scale = drawTopView(scene, top);
  drawPerspective(scene, side);
  top.copyTo(image, 0, titleHeight, oversampling);
  side.copyTo(image, topWidth + 2, titleHeight, oversampling);

  size_t count = countDistinct(scene);
  unsigned titleTop = (titleHeight - textHeight) / 2, left = margin;
  if (!options.title.empty())
    left = painter.drawText(left, titleTop, options.title, textColour) + gap;
  painter.drawText(left, titleTop,
                   std::to_string(count) + (count == 1 ? " voxel" : " voxels"),
                   dimColour);
  unsigned legendTop = image.height - (legendHeight + textHeight) / 2;
  if (options.legend.hasScale)
    drawScale(painter, legendTop, options.legend);
  else
    drawEntries(painter, image.width, legendTop, options.legend);
  if (!scene.cells.empty())
    drawScaleBar(painter, topWidth, titleHeight + panelHeight,
                 scale / oversampling, options.metresPerCell);
  return image;
}
