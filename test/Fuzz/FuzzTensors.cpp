//===- FuzzTensors.cpp - the tensor parsers -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first byte picks the format; the rest is the file. A tensor that is read
// has as many bytes as its shape says.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Npy.h"
#include "sparseconv/IO/Npz.h"
#include "sparseconv/IO/Safetensors.h"

using namespace sparseconv;

static void check(const HostTensor &tensor) {
  if (tensor.getNumBytes() != static_cast<size_t>(tensor.getNumElements()) *
                                  getByteWidth(tensor.getKind()))
    abort();
}

static void check(llvm::Expected<NamedTensors> tensors) {
  if (!tensors)
    return llvm::consumeError(tensors.takeError());
  for (const NamedTensor &entry : *tensors)
    check(entry.tensor);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size == 0)
    return 0;
  llvm::StringRef bytes(reinterpret_cast<const char *>(data) + 1, size - 1);
  llvm::MemoryBufferRef buffer(bytes, "fuzz");
  // ASCII digits, as in the seeds.
  switch ((data[0] - '0') % 3u) {
  case 0: {
    llvm::Expected<HostTensor> tensor = parseNpy(buffer);
    if (tensor)
      check(*tensor);
    else
      llvm::consumeError(tensor.takeError());
    break;
  }
  case 1:
    check(parseNpz(buffer));
    break;
  case 2:
    check(parseSafetensors(buffer));
    break;
  }
  return 0;
}
