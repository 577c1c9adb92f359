//===- Json.cpp - JSON from strangers -------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Json.h"

using llvm::StringRef;

static constexpr unsigned kMaxDepth = 32;

static bool isTooDeep(StringRef text) {
  unsigned depth = 0;
  bool isString = false;
  for (size_t i = 0, e = text.size(); i < e; ++i) {
    char letter = text[i];
    if (isString && letter == '\\')
      ++i;
    else if (letter == '"')
      isString = !isString;
    else if (!isString && (letter == '[' || letter == '{')) {
      if (++depth > kMaxDepth)
        return true;
    } else if (!isString && (letter == ']' || letter == '}') && depth)
      --depth;
  }
  return false;
}

llvm::Expected<llvm::json::Value> sparseconv::parseJson(StringRef text) {
  if (isTooDeep(text))
    return llvm::createStringError("nested too deeply");
  return llvm::json::parse(text);
}
