//===- Json.h - JSON from strangers -----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_JSON_H
#define SPARSECONV_SUPPORT_JSON_H

#include "llvm/Support/JSON.h"

namespace sparseconv {

/// Parses a text that nests at most 32 deep, or says why not. LLVM's parser
/// calls itself for each level, and brackets alone would exhaust the stack.
llvm::Expected<llvm::json::Value> parseJson(llvm::StringRef text);

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_JSON_H
