//===- Png.cpp - PNG files ------------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Picture.h"
#include <png.h>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

Expected<std::string> sparseconv::encodePng(unsigned width, unsigned height,
                                            ArrayRef<uint8_t> rgb) {
  constexpr unsigned largest = 1 << 15;
  uint64_t rowBytes = uint64_t(width) * 3;
  if (width == 0 || height == 0 || width > largest || height > largest ||
      rgb.size() != rowBytes * height)
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected a picture of 1 to {0} pixels per side and 3 bytes "
                "per pixel, found {1} by {2} with {3} bytes",
                largest, width, height, rgb.size())
            .str());

  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  image.width = width;
  image.height = height;
  image.format = PNG_FORMAT_RGB;
  png_alloc_size_t bytes = PNG_IMAGE_PNG_SIZE_MAX(image);
  std::string png(bytes, '\0');
  if (!png_image_write_to_memory(&image, png.data(), &bytes,
                                 /*convert_to_8bit=*/0, rgb.data(),
                                 /*row_stride=*/0, /*colormap=*/nullptr))
    return createStringError(inconvertibleErrorCode(),
                             Twine("the picture cannot be encoded: ") +
                                 image.message);
  png.resize(bytes);
  return png;
}

Error sparseconv::writePng(StringRef path, unsigned width, unsigned height,
                           ArrayRef<uint8_t> rgb) {
  Expected<std::string> bytes = encodePng(width, height, rgb);
  if (!bytes)
    return makeFileError(path, "{0}", toString(bytes.takeError()));
  return writeFile(path, [&](raw_ostream &os) {
    os << *bytes;
    return Error::success();
  });
}

Error sparseconv::writePng(StringRef path, const Image &image) {
  return writePng(path, image.width, image.height, image.rgb);
}
