//===- Bytes.h - what the parsers share -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parsers share: files to parse, errors that name the file, sizes that
// cannot overflow, and element byte order.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_IO_BYTES_H
#define SPARSECONV_LIB_IO_BYTES_H

#include "sparseconv/IO/File.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FormatVariadic.h"
#include <optional>
#include <string>

namespace sparseconv::detail {

/// "file: message", with the message in llvm::formatv's syntax.
template <typename... Ts>
llvm::Error makeFileError(llvm::StringRef file, const char *format,
                          Ts &&...values) {
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      file + ": " + llvm::formatv(format, std::forward<Ts>(values)...).str());
}

/// A zero-filled tensor for what a file holds; an error where there is no
/// memory for it.
llvm::Expected<HostTensor> makeTensor(llvm::StringRef file, ElementKind kind,
                                      llvm::ArrayRef<int64_t> shape);

/// What `parse` makes of the file at `path`.
template <typename Parse>
auto parseFile(llvm::StringRef path, Parse parse)
    -> decltype(parse(llvm::MemoryBufferRef())) {
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> buffer = readFile(path);
  if (!buffer)
    return buffer.takeError();
  return parse((*buffer)->getMemBufferRef());
}

/// Untrusted text as part of a message: escaped, cut short, in quotes.
std::string quote(llvm::StringRef text);

/// Bytes of a tensor of that shape, or none where the number of elements (or
/// their product without zero sizes, which strides are made of) or of bytes
/// does not fit 63 bits. Sizes are not negative.
std::optional<uint64_t> getTensorBytes(ElementKind kind,
                                       llvm::ArrayRef<int64_t> shape);

/// "3x4", "scalar"; shortened where it has very many sizes.
std::string getShapeString(llvm::ArrayRef<int64_t> shape);

/// Swaps the bytes of each element of `width` bytes in place.
void swapBytes(llvm::MutableArrayRef<char> data, unsigned width);

/// Makes every byte of an i1 tensor 0 or 1.
void normaliseBools(HostTensor &tensor);

/// Adds `name` to `seen`; an error when it is there already.
template <typename Set>
llvm::Error checkDistinct(llvm::StringRef file, Set &seen,
                          llvm::StringRef name) {
  if (seen.insert(name).second)
    return llvm::Error::success();
  return makeFileError(file, "two tensors have the name {0}", quote(name));
}

} // namespace sparseconv::detail

#endif // SPARSECONV_LIB_IO_BYTES_H
