//===- File.h - whole files -------------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole-file reading and writing with errors that name the file.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_FILE_H
#define SPARSECONV_IO_FILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace sparseconv {

/// Reads a file into memory. The buffer's identifier is `path`. The bytes are
/// a copy, so a writer that truncates the file meanwhile does no harm.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readFile(llvm::StringRef path);

/// Calls `write` with a stream and puts what it wrote at `path`. The file
/// appears whole or not at all: the bytes go to a temporary file beside it,
/// which replaces it once all of them are written. Devices and pipes are
/// written to directly. A short write is an error, as is one that `write`
/// returns.
llvm::Error
writeFile(llvm::StringRef path,
          llvm::function_ref<llvm::Error(llvm::raw_ostream &)> write);

} // namespace sparseconv

#endif // SPARSECONV_IO_FILE_H
