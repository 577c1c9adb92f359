//===- NamedTensors.cpp - files of named tensors --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/NamedTensors.h"
#include "sparseconv/IO/Npz.h"
#include "sparseconv/IO/Safetensors.h"
#include "llvm/Support/Path.h"

using namespace sparseconv;

llvm::Expected<NamedTensors>
sparseconv::readNamedTensors(llvm::StringRef path) {
  llvm::StringRef extension = llvm::sys::path::extension(path);
  if (extension == ".npz")
    return readNpz(path);
  if (extension == ".safetensors")
    return readSafetensors(path);
  return llvm::createStringError("'" + path +
                                 "': weights are .npz or .safetensors files");
}

static bool isOtherFloat(const HostTensor &tensor, ElementKind kind) {
  return tensor.getKind() != kind && isFloat(tensor.getKind()) && isFloat(kind);
}

void sparseconv::convertFloats(HostTensor &tensor, ElementKind kind) {
  if (isOtherFloat(tensor, kind))
    tensor = tensor.convert(kind);
}

llvm::StringRef sparseconv::getConversionHint(const HostTensor &tensor,
                                              ElementKind kind) {
  return isOtherFloat(tensor, kind) ? " (--convert-weights rounds it)" : "";
}
