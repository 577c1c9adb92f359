//===- CallFrame.cpp - arguments and results in the C interface -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallFrame.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/Memory.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include <cstring>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;

/// pointer, aligned pointer, offset, sizes, strides
static size_t getDescriptorWords(size_t rank) { return 3 + 2 * rank; }

static std::vector<int64_t> makeDescriptor(const void *data,
                                           ArrayRef<int64_t> shape) {
  std::vector<int64_t> words(getDescriptorWords(shape.size()));
  words[0] = words[1] = reinterpret_cast<intptr_t>(data);
  int64_t stride = 1;
  for (size_t axis = shape.size(); axis-- > 0;) {
    words[3 + axis] = shape[axis];
    words[3 + shape.size() + axis] = stride;
    stride *= shape[axis];
  }
  return words;
}

CallFrame::CallFrame(const Signature &signature, ArrayRef<HostTensor> arguments)
    : signature(signature), arguments(arguments) {
  // Results: descriptors are 8-byte aligned, scalars by their own size.
  size_t bytes = 0;
  for (const Parameter &result : signature.results) {
    size_t width = result.isScalar() ? ::sparseconv::getByteWidth(result.kind)
                                     : sizeof(int64_t);
    bytes = llvm::alignTo(bytes, width);
    resultOffsets.push_back(bytes);
    bytes += result.isScalar()
                 ? width
                 : sizeof(int64_t) * getDescriptorWords(result.shape.size());
  }
  resultWords.assign(llvm::divideCeil(bytes, sizeof(int64_t)), 0);
  for (const HostTensor &argument : arguments)
    descriptors.push_back(
        makeDescriptor(argument.getData(), argument.getShape()));
  descriptors.push_back(makeDescriptor(&status, {8}));
}

CallFrame::~CallFrame() {
  if (!called)
    return;
  for (auto [result, offset] : llvm::zip(signature.results, resultOffsets))
    if (!result.isScalar())
      _mlir_memref_to_llvm_free(
          llvm::bit_cast<void *>(resultWords[offset / sizeof(int64_t)]));
}

llvm::Error CallFrame::call(void (*function)(void **)) {
  // A lone scalar is returned by value, which the packed form stores last; all
  // else goes through a pointer to the results, which comes first.
  bool isLoneScalar =
      signature.results.size() == 1 && signature.results[0].isScalar();
  pointers.clear();
  if (!signature.results.empty() && !isLoneScalar)
    pointers.push_back(resultWords.data());
  size_t first = pointers.size();
  for (auto &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  packed.clear();
  for (size_t i = 0; i < pointers.size(); ++i) {
    bool isScalar = i >= first && i - first < signature.arguments.size() &&
                    signature.arguments[i - first].isScalar();
    packed.push_back(isScalar
                         ? const_cast<char *>(arguments[i - first].getData())
                         : static_cast<void *>(&pointers[i]));
  }
  if (isLoneScalar)
    packed.push_back(resultWords.data());
  if (uint64_t bytes = sparseconv_cpu_call(function, packed.data()))
    return llvm::createStringError(
        "out of memory: cannot allocate " +
        (bytes > ::sparseconv::kMaxTensorBytes
             ? "more than " + llvm::Twine(::sparseconv::kMaxTensorBytes)
             : llvm::Twine(bytes)) +
        " bytes");
  called = true;
  return llvm::Error::success();
}

llvm::Expected<std::vector<HostTensor>> CallFrame::takeResults() {
  std::vector<HostTensor> results;
  for (auto [result, offset] : llvm::zip(signature.results, resultOffsets)) {
    const char *base = reinterpret_cast<const char *>(resultWords.data());
    if (result.isScalar()) {
      HostTensor &scalar =
          results.emplace_back(result.kind, ArrayRef<int64_t>());
      std::memcpy(scalar.getData(), base + offset, scalar.getNumBytes());
      continue;
    }
    // Entry functions return buffers in the identity layout.
    const auto *words = reinterpret_cast<const int64_t *>(base + offset);
    ArrayRef<int64_t> shape(words + 3, result.shape.size());
    llvm::Expected<HostTensor> tensor = HostTensor::create(result.kind, shape);
    if (!tensor)
      return tensor.takeError();
    const char *data = llvm::bit_cast<const char *>(words[1]) +
                       words[2] * ::sparseconv::getByteWidth(result.kind);
    if (tensor->getNumBytes())
      std::memcpy(tensor->getData(), data, tensor->getNumBytes());
    results.push_back(std::move(*tensor));
  }
  return results;
}
