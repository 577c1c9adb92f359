//===- Safetensors.h - safetensors files ------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The safetensors format: a length, a JSON header, and the tensors' bytes.
// Element types: BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_SAFETENSORS_H
#define SPARSECONV_IO_SAFETENSORS_H

#include "sparseconv/IO/NamedTensors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace sparseconv {

/// Reads every tensor, in the order of their bytes. The tensors cover the data
/// section without holes or overlaps, as the format demands.
llvm::Expected<NamedTensors> readSafetensors(llvm::StringRef path);

/// The same from memory; errors name the buffer's identifier.
llvm::Expected<NamedTensors> parseSafetensors(llvm::MemoryBufferRef buffer);

llvm::Error writeSafetensors(llvm::StringRef path,
                             llvm::ArrayRef<NamedTensor> tensors);

} // namespace sparseconv

#endif // SPARSECONV_IO_SAFETENSORS_H
