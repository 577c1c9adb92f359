//===- Zip.h - members of zip archives --------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading the members of a zip archive through its central directory.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_ZIP_H
#define SPARSECONV_LIB_IO_ZIP_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBufferRef.h"
#include <cstdint>
#include <vector>

namespace sparseconv::detail {

/// Signatures and sizes of the records, used by the writer also.
namespace zip {
constexpr uint32_t localMagic = 0x04034b50, centralMagic = 0x02014b50,
                   endMagic = 0x06054b50, end64Magic = 0x06064b50,
                   locator64Magic = 0x07064b50;
constexpr uint64_t localBytes = 30, centralBytes = 46, endBytes = 22,
                   end64Bytes = 56, locator64Bytes = 20;
constexpr uint16_t zip64Field = 1;
} // namespace zip

/// The CRC-32 of the parts one after the other.
uint32_t getCrc(llvm::ArrayRef<llvm::StringRef> parts);

struct ZipMember {
  llvm::StringRef name;
  /// Where the member's record and data begin.
  uint64_t offset = 0;
  uint64_t packedBytes = 0, bytes = 0;
  uint32_t crc = 0;
  uint16_t method = 0;
  /// The data as stored, inside the archive's buffer.
  llvm::StringRef packed;
};

/// The members in directory order. Members lie inside the archive and do not
/// overlap, so the archive's size bounds the work of reading all of them.
llvm::Expected<std::vector<ZipMember>>
readZipDirectory(llvm::MemoryBufferRef archive);

/// A member's bytes, with its CRC-32 checked. Memory grows with what the data
/// really inflates to, whatever size the directory claims.
llvm::Expected<std::vector<char>> extractZipMember(llvm::StringRef file,
                                                   const ZipMember &member);

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_ZIP_H
