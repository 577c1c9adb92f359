//===- Shorten.cpp - text from outside in messages ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/Twine.h"

std::string sparseconv::shorten(llvm::StringRef text, size_t longest) {
  if (text.size() <= longest)
    return text.str();
  return (llvm::Twine(text.take_front(longest * 5 / 8)) + " ... " +
          text.take_back(longest / 4))
      .str();
}
