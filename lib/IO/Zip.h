//===- Zip.h - zip archives -------------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading and writing zip archives through libarchive.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_ZIP_H
#define SPARSECONV_LIB_IO_ZIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <memory>

struct archive;

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace sparseconv::detail {

/// Calls `visit` with the name and the bytes of each member, in the order of
/// the archive, until it returns an error. Memory grows with what the data
/// really inflates to, whatever size the directory claims, and all members
/// together inflate to at most 1032 times the archive.
llvm::Error readZip(
    llvm::MemoryBufferRef archive,
    llvm::function_ref<llvm::Error(llvm::StringRef name, llvm::StringRef bytes)>
        visit);

/// Writes stored members, with a constant time stamp.
class ZipWriter {
public:
  /// Writes to `os`; `path` is for messages.
  ZipWriter(llvm::StringRef path, llvm::raw_ostream &os);

  /// Writes a member whose bytes are the parts one after the other.
  llvm::Error write(llvm::StringRef name,
                    llvm::ArrayRef<llvm::StringRef> parts);
  llvm::Error finish();

private:
  llvm::Error check(int status);

  struct Delete {
    void operator()(archive *handle) const;
  };
  llvm::StringRef path;
  std::unique_ptr<archive, Delete> handle;
};

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_ZIP_H
