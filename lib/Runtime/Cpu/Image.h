//===- Image.h - machine code of a plan in this process ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CPU_IMAGE_H
#define SPARSECONV_LIB_RUNTIME_CPU_IMAGE_H

#include "sparseconv/Runtime/CpuCall.h"
#include "sparseconv/Runtime/Error.h"
#include <memory>

namespace sparseconv::cpu {

/// Machine code in executable memory. It sees the functions of getSymbols(),
/// and no others.
class Image {
public:
  /// `code` has been verified.
  static runtime::Error load(const plan::Image &code,
                             std::unique_ptr<Image> &image);
  ~Image();
  Image(const Image &) = delete;
  Image &operator=(const Image &) = delete;

  Function getFunction(uint64_t offset) const {
    return reinterpret_cast<Function>(memory + offset);
  }

private:
  Image(char *memory, size_t size) : memory(memory), size(size) {}
  runtime::Error fillImports(const plan::Image &code);
  runtime::Error protect(const plan::Image &code);

  char *memory;
  size_t size;
};

} // namespace sparseconv::cpu

#endif // SPARSECONV_LIB_RUNTIME_CPU_IMAGE_H
