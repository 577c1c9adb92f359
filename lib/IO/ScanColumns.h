//===- ScanColumns.h - scans as typed columns -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PLY and PCD store points as typed columns at fixed steps, row by row or
// column by column. Their parsers describe the columns; this makes the scan.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_SCANCOLUMNS_H
#define SPARSECONV_LIB_IO_SCANCOLUMNS_H

#include "sparseconv/IO/Scan.h"
#include "llvm/ADT/bit.h"

namespace sparseconv::detail {

enum class ScalarType : uint8_t {
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  F32,
  F64
};

unsigned getByteWidth(ScalarType type);

struct Column {
  std::string name;
  ScalarType type = ScalarType::F32;
  /// Byte position of the first row's value and distance to the next row's.
  uint64_t offset = 0, step = 0;
  /// The four bytes are b, g, r, alpha: three features in one column.
  bool isPackedColour = false;
};

/// Gathers `count` rows. The caller has checked that they lie in the data.
/// Columns x, y, z must be there, and no name may come twice.
llvm::Expected<Scan> gatherColumns(llvm::StringRef file, const char *data,
                                   uint64_t count,
                                   llvm::ArrayRef<Column> columns,
                                   llvm::endianness order);

/// Makes room for the points of a scan, as floats of `kind`, and for its named
/// features.
llvm::Error allocate(llvm::StringRef file, Scan &scan, ElementKind kind,
                     int64_t rows);

/// Reads blank-separated numbers into rows that gatherColumns understands.
class TextRows {
public:
  TextRows(llvm::StringRef file, llvm::StringRef text)
      : file(file), rest(text) {}

  /// The next word; empty at the end of the text.
  llvm::StringRef next();
  /// Parses the next word and stores its bytes, in the machine's order.
  llvm::Error read(ScalarType type, llvm::StringRef column, uint64_t row,
                   char *to);
  /// Bytes of text that are left.
  uint64_t remaining() const { return rest.size(); }

private:
  llvm::StringRef file, rest;
};

/// Splits off a line of a text header, without its end; none when the text
/// has no further line end.
std::optional<llvm::StringRef> takeLine(llvm::StringRef &text);

/// An error for the first point with a NaN or infinite coordinate.
llvm::Error checkFinite(llvm::StringRef file, const HostTensor &points);

llvm::Expected<Scan> parsePly(llvm::MemoryBufferRef buffer);
llvm::Expected<Scan> parsePcd(llvm::MemoryBufferRef buffer);

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_SCANCOLUMNS_H
