//===- Npz.h - archives of numpy arrays -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A zip archive of .npy members, as numpy.savez and savez_compressed write.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_NPZ_H
#define SPARSECONV_IO_NPZ_H

#include "sparseconv/IO/NamedTensors.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace sparseconv {

/// Reads every array, in the order of the archive, under its name without
/// ".npy". Sizes may be zip64; each member's CRC-32 is checked.
llvm::Expected<NamedTensors> readNpz(llvm::StringRef path);

/// The same from memory; errors name the buffer's identifier.
llvm::Expected<NamedTensors> parseNpz(llvm::MemoryBufferRef buffer);

/// Writes the arrays stored (not compressed), in order. The bytes depend on
/// names and tensors only (the time stamp is constant).
llvm::Error writeNpz(llvm::StringRef path, llvm::ArrayRef<NamedTensor> tensors);

} // namespace sparseconv

#endif // SPARSECONV_IO_NPZ_H
