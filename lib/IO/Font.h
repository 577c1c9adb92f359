//===- Font.h - a 5x7 bitmap font -------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_FONT_H
#define SPARSECONV_LIB_IO_FONT_H

#include <cstdint>
#include <iterator>

namespace sparseconv::detail {

/// Whether the 5x7 glyph of `letter` covers that pixel (from the upper left).
/// Letters outside printable ASCII look like '?'.
bool isGlyphPixel(char letter, unsigned x, unsigned y);

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_FONT_H
