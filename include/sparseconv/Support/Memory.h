//===- Memory.h - sizes that are checked before they are used ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sizes come from files, command lines and IR that others wrote. They are
// checked here before memory is asked for: a container of the C++ library ends
// the program where there is none.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_MEMORY_H
#define SPARSECONV_SUPPORT_MEMORY_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>

namespace sparseconv {

/// More bytes than any address space has.
constexpr int64_t kMaxTensorBytes = int64_t(1) << 47;

/// The bytes of a dense tensor with elements of `width` bytes; nothing for a
/// negative size, or where the bytes pass kMaxTensorBytes.
std::optional<int64_t> getTensorBytes(llvm::ArrayRef<int64_t> shape,
                                      int64_t width);

/// An error with the size in it, unless the system has that many bytes to give
/// at this moment.
llvm::Error checkMemory(int64_t bytes);

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_MEMORY_H
