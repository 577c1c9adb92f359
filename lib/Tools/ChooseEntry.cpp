//===- ChooseEntry.cpp - the function that a tool calls -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Tools/Arguments.h"

using namespace mlir;
using namespace mlir::sparseconv;

llvm::Expected<std::string>
mlir::sparseconv::chooseEntry(StringRef asked, ArrayRef<StringRef> entries) {
  if (!asked.empty())
    return asked.str();
  if (entries.size() == 1)
    return entries[0].str();
  if (llvm::is_contained(entries, "main"))
    return std::string("main");
  if (entries.empty())
    return llvm::createStringError("the module has no public function");
  return llvm::createStringError("choose a function with --entry: " +
                                 ::sparseconv::joinShort(entries, ", "));
}
