//===- Npy.h - numpy arrays in files ----------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Element types: b1, i1, u1, i2, i4, i8, f2, f4 and f8 in either byte order,
// and bf16, which numpy has no descriptor for. As `ml_dtypes` does, a bf16
// array is written as two-byte void elements ('<V2'); numpy reads it as such
// and `.view(ml_dtypes.bfloat16)` gives the numbers. The reader takes '<V2',
// '|V2', '>V2' and 'bfloat16'.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_NPY_H
#define SPARSECONV_IO_NPY_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <string>

namespace sparseconv {

/// Reads an .npy file, format versions 1 to 3. Fortran order is transposed to
/// row-major; big-endian elements are swapped; a bool is 0 or 1.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path);

/// The same from memory; errors name the buffer's identifier. The buffer holds
/// exactly one array.
llvm::Expected<HostTensor> parseNpy(llvm::MemoryBufferRef buffer);

/// Writes format version 1, or 2 where the header needs it.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

/// The bytes that come before a tensor's own in an .npy file.
std::string getNpyHeader(const HostTensor &tensor);

} // namespace sparseconv

#endif // SPARSECONV_IO_NPY_H
