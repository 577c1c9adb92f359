//===- Lzf.cpp - LZF decompression ----------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LZF data is a sequence of literal runs and back references. The high three
// bits of a control byte tell them apart: 0 starts a run of (low bits + 1)
// literals; 1..6 a reference of that many + 2 bytes; 7 one whose length goes
// on in the next byte. The low five bits and the last byte of a reference are
// the distance back, less one.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "ScanColumns.h"

using namespace llvm;

namespace sparseconv::detail {

Expected<std::vector<char>> expandLzf(StringRef file, StringRef packed,
                                      uint64_t bytes) {
  auto damaged = [&](const char *what) {
    return makeFileError(file, "the compressed data is damaged: {0}", what);
  };
  // Three bytes give at most 264, so a small file cannot ask for much memory.
  if (bytes / 88 > packed.size())
    return damaged("it is too short for its size");
  std::vector<char> output;
  output.reserve(bytes);
  for (size_t at = 0; at < packed.size();) {
    unsigned control = static_cast<uint8_t>(packed[at++]);
    uint64_t length = control >> 5;
    if (length == 0) {
      length = control + 1;
      if (length > packed.size() - at)
        return damaged("a literal run passes its end");
      if (length > bytes - output.size())
        return damaged("it is longer than its size");
      output.insert(output.end(), packed.begin() + at,
                    packed.begin() + at + length);
      at += length;
      continue;
    }
    if (packed.size() - at < (length == 7 ? 2u : 1u))
      return damaged("a reference passes its end");
    if (length == 7)
      length += static_cast<uint8_t>(packed[at++]);
    length += 2;
    uint64_t distance =
        ((control & 31) << 8) + static_cast<uint8_t>(packed[at++]) + 1;
    if (distance > output.size())
      return damaged("a reference points before its begin");
    if (length > bytes - output.size())
      return damaged("it is longer than its size");
    // Source and destination may overlap: a short distance repeats.
    for (size_t from = output.size() - distance; length > 0; --length)
      output.push_back(output[from++]);
  }
  if (output.size() != bytes)
    return damaged("it is shorter than its size");
  return output;
}

} // namespace sparseconv::detail
