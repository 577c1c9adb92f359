//===- PictureTest.cpp - pictures of voxels -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Picture.h"
#include "Helpers.h"
#include <cmath>
#include <limits>
#include <png.h>
#include <set>

using namespace sparseconv;
using namespace sparseconv::test;

/// Decodes a PNG into pixels of 3 bytes.
static std::vector<uint8_t> decodePng(const std::string &bytes, unsigned &width,
                                      unsigned &height) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  EXPECT_TRUE(
      png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()))
      << image.message;
  EXPECT_EQ(image.format, unsigned(PNG_FORMAT_RGB));
  width = image.width;
  height = image.height;
  std::vector<uint8_t> rgb(PNG_IMAGE_SIZE(image));
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, rgb.data(), 0, nullptr))
      << image.message;
  return rgb;
}

TEST(Png, HoldsThePixels) {
  unsigned width = 0, height = 0;
  std::vector<uint8_t> rgb;
  for (unsigned i = 0; i < 7 * 5 * 3; ++i)
    rgb.push_back(i * 37 % 256);
  EXPECT_EQ(decodePng(valueOf(encodePng(7, 5, rgb)), width, height), rgb);
  EXPECT_EQ(width, 7u);
  EXPECT_EQ(height, 5u);
}

TEST(Png, RefusesSizesThatDoNotFit) {
  std::vector<uint8_t> rgb(12);
  for (auto [width, height] :
       {std::pair(0u, 2u), std::pair(2u, 0u), std::pair(2u, 3u),
        std::pair(1u << 31, 1u << 31)})
    expectContains(messageOf(encodePng(width, height, rgb)),
                   "expected a picture of");
  expectContains(messageOf(writePng("x.png", 3, 3, rgb)),
                 "x.png: expected a picture of");
  expectContains(messageOf(writePng("no/such/x.png", 2, 2, rgb)),
                 "no/such/x.png: cannot be written");
}

/// Relative luminance of an sRGB colour.
static double luminance(uint32_t rgb) {
  auto linear = [&](unsigned shift) {
    return std::pow(((rgb >> shift & 255) / 255.0 + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(16) + 0.7152 * linear(8) + 0.0722 * linear(0);
}

TEST(Colours, GrowLighterAlongTheScale) {
  for (int i = 0; i < 64; ++i)
    EXPECT_LT(luminance(getScaleColour(i / 64.0)),
              luminance(getScaleColour((i + 1) / 64.0)));
  EXPECT_EQ(getScaleColour(-5), getScaleColour(0));
  EXPECT_EQ(getScaleColour(INFINITY), getScaleColour(1));
  EXPECT_EQ(getScaleColour(NAN), 0x707070u);
}

TEST(Colours, DifferBetweenClasses) {
  std::set<uint32_t> colours;
  for (unsigned i = 0; i < 64; ++i)
    colours.insert(getClassColour(i));
  EXPECT_EQ(colours.size(), 64u);
}

TEST(Colours, FollowAColumn) {
  HostTensor features =
      makeTensor(ElementKind::F32, {3, 2}, {9, -1, 9, 3, 9, std::nan("")});
  Colouring colouring = valueOf(colourByColumn(features, 1, "height"));
  EXPECT_EQ(colouring.rgb,
            (std::vector<uint32_t>{getScaleColour(0), getScaleColour(1),
                                   getScaleColour(NAN)}));
  EXPECT_TRUE(colouring.legend.hasScale);
  EXPECT_EQ(colouring.legend.low, -1);
  EXPECT_EQ(colouring.legend.high, 3);
  // A constant column is in the middle of its scale.
  EXPECT_EQ(
      valueOf(colourByColumn(makeTensor(ElementKind::I32, {1, 1}, {4}), 0, "x"))
          .rgb[0],
      getScaleColour(0.5));
  EXPECT_TRUE(
      valueOf(colourByColumn(HostTensor(ElementKind::F32, {0, 1}), 0, "x"))
          .rgb.empty());
  expectContains(
      messageOf(colourByColumn(features, 2, "x")),
      "at least 3 columns to colour voxels by, found tensor<3x2xf32>");
  expectContains(messageOf(colourByColumn(features, -1, "x")), "at least 0");
}

TEST(Colours, FollowTheLargestColumn) {
  HostTensor features = makeTensor(ElementKind::F32, {4, 3},
                                   {0, 5, 5, 1, 0, 0, 0, 7, 1, -2, -1, -3});
  Colouring colouring = valueOf(colourByArgMax(features, {"road"}));
  EXPECT_EQ(colouring.rgb,
            (std::vector<uint32_t>{getClassColour(1), getClassColour(0),
                                   getClassColour(1), getClassColour(1)}));
  ASSERT_EQ(colouring.legend.entries.size(), 2u);
  EXPECT_EQ(colouring.legend.entries[0].text, "class 1");
  EXPECT_EQ(colouring.legend.entries[1].text, "road");
  expectContains(
      messageOf(colourByArgMax(HostTensor(ElementKind::F32, {3, 0}))),
      "at least 1 columns");
}

/// The share of pixels in [left, right) that are of one pure colour: channel
/// `channel` is bright and the others are not.
static double countPure(const Image &image, unsigned left, unsigned right,
                        unsigned channel) {
  size_t count = 0;
  for (size_t y = 0; y < image.height; ++y)
    for (size_t x = left; x < right; ++x) {
      const uint8_t *pixel = &image.rgb[(y * image.width + x) * 3];
      count += pixel[channel] > 90 && pixel[(channel + 1) % 3] < 60 &&
               pixel[(channel + 2) % 3] < 60;
    }
  return double(count) / ((right - left) * image.height);
}

/// A flat square of red cells with a green tower on its first row's corner.
static HostTensor makeTown(std::vector<uint32_t> &rgb, int32_t scale = 1) {
  std::vector<int32_t> rows;
  for (int32_t x = 0; x < 40; ++x)
    for (int32_t y = 0; y < 40; ++y) {
      rows.insert(rows.end(), {0, x * scale, y * scale, 0});
      rgb.push_back(0xff0000);
    }
  for (int32_t z = 1; z < 20; ++z) {
    rows.insert(rows.end(), {0, 30 * scale, 30 * scale, z * scale});
    rgb.push_back(0x00ff00);
  }
  HostTensor points(ElementKind::I32, {int64_t(rgb.size()), 4});
  std::memcpy(points.getData(), rows.data(), points.getNumBytes());
  return points;
}

TEST(Picture, ShowsVoxelsFromAboveAndInPerspective) {
  std::vector<uint32_t> rgb;
  HostTensor points = makeTown(rgb);
  PictureOptions options;
  options.width = 800;
  options.height = 400;
  Image image = valueOf(renderVoxels(points, rgb, options));
  ASSERT_EQ(image.rgb.size(), 800u * 400 * 3);
  // From above the square fills its panel, in perspective a part of it; the
  // tower is one cell from above and rises in perspective.
  EXPECT_GT(countPure(image, 0, 312, 0), 0.6);
  EXPECT_GT(countPure(image, 320, 800, 0), 0.1);
  EXPECT_GT(countPure(image, 320, 800, 1), 2 * countPure(image, 0, 312, 1));
  // x points right and y up: the tower stands in the upper right quarter.
  size_t found = 0;
  for (size_t y = 0; y < 400; ++y)
    for (size_t x = 0; x < 312; ++x) {
      const uint8_t *pixel = &image.rgb[(y * 800 + x) * 3];
      if (pixel[1] > 150 && pixel[0] < 60 && pixel[2] < 60) {
        ++found;
        EXPECT_GT(x, 156u);
        EXPECT_LT(y, 200u);
      }
    }
  EXPECT_GT(found, 10u);
}

TEST(Picture, ScalesWithStrideAndIsDeterministic) {
  std::vector<uint32_t> rgb, wideRgb;
  HostTensor points = makeTown(rgb), wide = makeTown(wideRgb, 8);
  PictureOptions options, wideOptions;
  options.width = wideOptions.width = 800;
  options.height = wideOptions.height = 400;
  wideOptions.stride = {8, 8, 8};
  options.metresPerCell = 0.8;
  wideOptions.metresPerCell = 0.1;
  Image image = valueOf(renderVoxels(points, rgb, options));
  EXPECT_EQ(image.rgb, valueOf(renderVoxels(points, rgb, options)).rgb);
  // Only the shading's rounding may differ.
  Image wideImage = valueOf(renderVoxels(wide, wideRgb, wideOptions));
  ASSERT_EQ(wideImage.rgb.size(), image.rgb.size());
  for (size_t i = 0; i < image.rgb.size(); ++i)
    ASSERT_NEAR(image.rgb[i], wideImage.rgb[i], 3) << i;
}

TEST(Picture, DrawsAnyNumberAndExtentOfVoxels) {
  PictureOptions options;
  options.width = 400;
  options.height = 300;
  options.title = "a title that is much too long for so small a picture, \xff";
  options.legend.entries.assign(50, {0xff00ff, "class"});
  EXPECT_EQ(
      valueOf(renderVoxels(HostTensor(ElementKind::I32, {0, 4}), {}, options))
          .width,
      400u);
  for (const HostTensor &points :
       {makeTensor(ElementKind::I32, {1, 4}, {0, -7, 5, 3}),
        makeTensor(ElementKind::I32, {2, 4},
                   {0, INT32_MIN, INT32_MIN, INT32_MIN, 0, INT32_MAX, INT32_MAX,
                    INT32_MAX}),
        makeTensor(ElementKind::I32, {2, 4}, {0, 0, 0, 0, 0, 0, 0, 1000})}) {
    std::vector<uint32_t> rgb(points.getDim(0), 0xff0000);
    Image image = valueOf(renderVoxels(points, rgb, options));
    EXPECT_GT(countPure(image, 0, 180, 0), 0) << points.getDim(0);
    EXPECT_GT(countPure(image, 190, 400, 0), 0) << points.getDim(0);
  }
}

TEST(Picture, ShowsOneBatchItem) {
  HostTensor points =
      makeTensor(ElementKind::I32, {2, 4}, {0, 0, 0, 0, 1, 0, 0, 0});
  PictureOptions options;
  options.batch = 1;
  Image image = valueOf(renderVoxels(points, {0xff0000, 0x00ff00}, options));
  EXPECT_GT(countPure(image, 0, 700, 1), 0.1);
}

TEST(Picture, RefusesWrongArguments) {
  HostTensor points = makeTensor(ElementKind::I32, {1, 4}, {0, 0, 0, 0});
  expectContains(messageOf(renderVoxels(points, {})),
                 "a colour for each of 1 voxels, found 0");
  expectContains(
      messageOf(renderVoxels(HostTensor(ElementKind::F32, {1, 4}), {0})),
      "tensor<?x4xi32> to draw, found tensor<1x4xf32>");
  PictureOptions options;
  options.width = 10;
  expectContains(messageOf(renderVoxels(points, {0}, options)), "10x860");
  options = {};
  options.stride[1] = 0;
  expectContains(messageOf(renderVoxels(points, {0}, options)), "strides");
}
