//===- Shorten.cpp - text from outside in messages ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/Twine.h"

std::string sparseconv::shorten(llvm::StringRef text) {
  constexpr size_t longest = 160, beginning = 100, ending = 40;
  if (text.size() <= longest)
    return text.str();
  return (llvm::Twine(text.take_front(beginning)) + " ... " +
          text.take_back(ending))
      .str();
}
