//===- Memory.cpp - sizes that are checked before they are asked for ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Memory.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include <cstdlib>

using namespace sparseconv;

std::optional<int64_t> sparseconv::getTensorBytes(llvm::ArrayRef<int64_t> shape,
                                                  int64_t width) {
  if (llvm::any_of(shape, [](int64_t size) { return size < 0; }))
    return std::nullopt;
  if (llvm::is_contained(shape, 0))
    return 0;
  int64_t bytes = width;
  for (int64_t size : shape)
    if (llvm::MulOverflow(bytes, size, bytes) || bytes > kMaxTensorBytes)
      return std::nullopt;
  return bytes;
}

llvm::Error sparseconv::checkMemory(int64_t bytes) {
  // Below this, what is missing is not for want of this request.
  constexpr int64_t small = int64_t(1) << 20;
  if (bytes <= small)
    return llvm::Error::success();
  // The system reserves a large block without touching it, so that this costs
  // two system calls, and a container that follows gets the same.
  void *block = std::malloc(bytes);
  if (!block)
    return llvm::createStringError("out of memory: cannot allocate " +
                                   llvm::Twine(bytes) + " bytes");
  // Written, so that the compiler does not take the allocation out.
  *static_cast<volatile char *>(block) = 0;
  std::free(block);
  return llvm::Error::success();
}
