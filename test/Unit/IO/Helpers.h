//===- Helpers.h - what the tests of IO share -------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_IO_HELPERS_H
#define SPARSECONV_TEST_UNIT_IO_HELPERS_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/Path.h"
#include "gtest/gtest.h"
#include <cstring>
#include <initializer_list>
#include <string>

namespace sparseconv::test {

/// A folder that disappears with its files.
class TemporaryFolder {
public:
  TemporaryFolder() {
    EXPECT_FALSE(llvm::sys::fs::createUniqueDirectory("sparseconv-io", path));
  }
  ~TemporaryFolder() { EXPECT_FALSE(llvm::sys::fs::remove_directories(path)); }
  std::string file(llvm::StringRef name) const {
    llvm::SmallString<128> result(path);
    llvm::sys::path::append(result, name);
    return result.str().str();
  }
  llvm::StringRef getPath() const { return path; }

private:
  llvm::SmallString<128> path;
};

/// The value of `result`; a failure that shows the message, and an empty
/// value, where it is an error.
template <typename T> T valueOf(llvm::Expected<T> result) {
  if (result)
    return std::move(*result);
  ADD_FAILURE() << llvm::toString(result.takeError());
  return T();
}

/// The message of an expected error.
template <typename T> std::string messageOf(llvm::Expected<T> result) {
  if (!result)
    return llvm::toString(result.takeError());
  ADD_FAILURE() << "expected an error";
  return "";
}
inline std::string messageOf(llvm::Error error) {
  EXPECT_TRUE(static_cast<bool>(error)) << "expected an error";
  return llvm::toString(std::move(error));
}

/// The same for the error of a file of `asBuffer`, which it has to name.
template <typename T> std::string fileErrorOf(llvm::Expected<T> result) {
  std::string message = messageOf(std::move(result));
  EXPECT_EQ(message.find("test-file: "), 0u) << message;
  return message;
}

inline void expectSuccess(llvm::Error error) {
  bool failed = static_cast<bool>(error);
  EXPECT_FALSE(failed) << llvm::toString(std::move(error));
}

inline void expectContains(llvm::StringRef text, llvm::StringRef part) {
  EXPECT_TRUE(text.contains(part))
      << "expected '" << part.str() << "' in: " << text.str();
}

inline llvm::MemoryBufferRef asBuffer(llvm::StringRef bytes) {
  return llvm::MemoryBufferRef(bytes, "test-file");
}

/// The little-endian (or reversed) bytes of `value`.
template <typename T> std::string bytesOf(T value, bool bigEndian = false) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bigEndian ? std::string(bytes.rbegin(), bytes.rend()) : bytes;
}
template <typename T>
std::string bytesOf(std::initializer_list<T> values, bool bigEndian = false) {
  std::string bytes;
  for (T value : values)
    bytes += bytesOf(value, bigEndian);
  return bytes;
}

/// A tensor of any kind from doubles.
inline HostTensor makeTensor(ElementKind kind, llvm::ArrayRef<int64_t> shape,
                             std::initializer_list<double> values) {
  HostTensor tensor(kind, shape);
  EXPECT_EQ(tensor.getNumElements(), static_cast<int64_t>(values.size()));
  int64_t index = 0;
  for (double value : values)
    tensor.setDouble(index++, value);
  return tensor;
}

inline void expectEqual(const HostTensor &a, const HostTensor &b) {
  EXPECT_EQ(a.getTypeString(), b.getTypeString());
  ASSERT_EQ(a.getNumBytes(), b.getNumBytes());
  if (a.getNumBytes() != 0)
    EXPECT_EQ(llvm::StringRef(a.getData(), a.getNumBytes()),
              llvm::StringRef(b.getData(), b.getNumBytes()));
}

/// One small tensor of each element kind.
inline std::vector<HostTensor> makeAllKinds() {
  std::vector<HostTensor> tensors;
  for (ElementKind kind :
       {ElementKind::I1, ElementKind::I8, ElementKind::U8, ElementKind::I16,
        ElementKind::I32, ElementKind::I64, ElementKind::F16, ElementKind::BF16,
        ElementKind::F32, ElementKind::F64})
    tensors.push_back(makeTensor(kind, {2, 3}, {0, 1, 2, 3, 100, 7}));
  return tensors;
}

} // namespace sparseconv::test

#endif // SPARSECONV_TEST_UNIT_IO_HELPERS_H
