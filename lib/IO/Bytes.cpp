//===- Bytes.cpp - what the parsers share ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/Support/CheckedArithmetic.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <limits>

namespace sparseconv::detail {

std::string quote(llvm::StringRef text) {
  constexpr size_t longest = 48;
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '\'';
  os.write_escaped(text.take_front(longest));
  os << (text.size() > longest ? "...'" : "'");
  return result;
}

std::optional<uint64_t> getTensorBytes(ElementKind kind,
                                       llvm::ArrayRef<int64_t> shape) {
  std::optional<int64_t> bytes = getByteWidth(kind);
  bool isEmpty = false;
  for (int64_t size : shape) {
    isEmpty |= size == 0;
    if (size != 0)
      bytes = llvm::checkedMul(*bytes, size);
    if (!bytes)
      return std::nullopt;
  }
  return isEmpty ? 0 : *bytes;
}

std::string getShapeString(llvm::ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleave(shape, os, "x");
  return shorten(text);
}

llvm::Expected<HostTensor> makeTensor(llvm::StringRef file, ElementKind kind,
                                      llvm::ArrayRef<int64_t> shape) {
  llvm::Expected<HostTensor> tensor = HostTensor::create(kind, shape);
  if (!tensor)
    return makeFileError(file, "{0}", toString(tensor.takeError()));
  return tensor;
}

void swapBytes(llvm::MutableArrayRef<char> data, unsigned width) {
  if (width > 1)
    for (size_t i = 0; i + width <= data.size(); i += width)
      std::reverse(data.data() + i, data.data() + i + width);
}

void normaliseBools(HostTensor &tensor) {
  if (tensor.getKind() == ElementKind::I1)
    for (uint8_t &value : tensor.as<uint8_t>())
      value = value != 0;
}

} // namespace sparseconv::detail
