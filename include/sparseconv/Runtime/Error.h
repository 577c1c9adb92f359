//===- Error.h - errors of the runtime --------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_ERROR_H
#define SPARSECONV_RUNTIME_ERROR_H

#include "sparseconv/Runtime/CudaRuntime.h"
#include <string>
#include <utility>

namespace sparseconv::runtime {

/// A code and its text; true where there is an error.
class [[nodiscard]] Error {
public:
  Error(int code, std::string text) : code(code), text(std::move(text)) {}
  static Error success() { return Error(SPARSECONV_OK, {}); }

  explicit operator bool() const { return code != SPARSECONV_OK; }
  int getCode() const { return code; }
  const std::string &getText() const { return text; }
  std::string takeText() && { return std::move(text); }
  Error within(const std::string &what) && {
    text = what + ": " + text;
    return std::move(*this);
  }

private:
  int code;
  std::string text;
};

inline Error invalidArgument(std::string text) {
  return Error(SPARSECONV_INVALID_ARGUMENT, std::move(text));
}

} // namespace sparseconv::runtime

#endif // SPARSECONV_RUNTIME_ERROR_H
