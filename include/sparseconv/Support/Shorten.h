//===- Shorten.h - text from outside in messages ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A file or a module may bring a shape of thousands of sizes, or thousands of
// names. A message shows enough of them to be understood.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_SHORTEN_H
#define SPARSECONV_SUPPORT_SHORTEN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>

namespace sparseconv {

/// `text` itself, or where it has more than `longest` bytes its begin and its
/// end: "tensor<1x1x1 ... x1xf32>".
std::string shorten(llvm::StringRef text, size_t longest = 160);

/// What `value` prints, shortened: a type, an attribute.
template <typename T> std::string printShort(const T &value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return shorten(text);
}

/// The first ten items, each shortened, with `separator` between them, and the
/// number of the others: "a, b, c" or "a, ..., j, and 12 more".
template <typename Range>
std::string joinShort(const Range &items, llvm::StringRef separator) {
  constexpr size_t most = 10;
  std::string text;
  size_t count = 0;
  for (const auto &item : items)
    if (count++ < most)
      text += (count > 1 ? separator.str() : "") + shorten(item);
  if (count > most)
    text += separator.str() + "and " + std::to_string(count - most) + " more";
  return text;
}

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_SHORTEN_H
