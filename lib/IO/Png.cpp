//===- Png.cpp - PNG files ------------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "Zip.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Picture.h"
#include <zlib.h>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

static std::string bigEndian(uint32_t value) {
  char bytes[4];
  support::endian::write32be(bytes, value);
  return std::string(bytes, 4);
}

static std::string makeChunk(StringRef kind, StringRef data) {
  return bigEndian(data.size()) + kind.str() + data.str() +
         bigEndian(getCrc({kind, data}));
}

Expected<std::string> sparseconv::encodePng(unsigned width, unsigned height,
                                            ArrayRef<uint8_t> rgb) {
  constexpr unsigned largest = 1 << 15;
  uint64_t rowBytes = uint64_t(width) * 3;
  if (width == 0 || height == 0 || width > largest || height > largest ||
      rgb.size() != rowBytes * height)
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected a picture of 1 to {0} pixels a side and 3 bytes a "
                "pixel, found {1} by {2} with {3} bytes",
                largest, width, height, rgb.size())
            .str());

  // Each row stores its difference to the row above, which compresses well
  // where pixels change little.
  constexpr char filterUp = 2;
  std::string raw;
  raw.reserve((rowBytes + 1) * height);
  for (uint64_t y = 0; y < height; ++y) {
    raw += filterUp;
    for (uint64_t x = 0; x < rowBytes; ++x)
      raw += static_cast<char>(rgb[y * rowBytes + x] -
                               (y ? rgb[(y - 1) * rowBytes + x] : 0));
  }
  uLongf packedBytes = compressBound(raw.size());
  std::string packed(packedBytes, '\0');
  if (compress2(reinterpret_cast<Bytef *>(packed.data()), &packedBytes,
                reinterpret_cast<const Bytef *>(raw.data()), raw.size(),
                /*level=*/6) != Z_OK)
    return createStringError(inconvertibleErrorCode(),
                             "zlib cannot compress the picture");
  packed.resize(packedBytes);

  // 8 bits a channel, RGB, and the only compression, filter set and order.
  std::string header = bigEndian(width) + bigEndian(height) +
                       std::string("\x08\x02\x00\x00\x00", 5);
  return "\x89PNG\r\n\x1a\n" + makeChunk("IHDR", header) +
         makeChunk("IDAT", packed) + makeChunk("IEND", "");
}

Error sparseconv::writePng(StringRef path, unsigned width, unsigned height,
                           ArrayRef<uint8_t> rgb) {
  Expected<std::string> bytes = encodePng(width, height, rgb);
  if (!bytes)
    return makeFileError(path, "{0}", toString(bytes.takeError()));
  return writeFile(path, [&](raw_ostream &os) { os << *bytes; });
}

Error sparseconv::writePng(StringRef path, const Image &image) {
  return writePng(path, image.width, image.height, image.rgb);
}
