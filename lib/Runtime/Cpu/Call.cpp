//===- Call.cpp - one call of compiled CPU code ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuCall.h"
#include "sparseconv/Runtime/CpuRuntime.h"

using namespace sparseconv;
using namespace sparseconv::cpu;

/// pointer, aligned pointer, offset, sizes, strides
static size_t getDescriptorWords(size_t rank) { return 3 + 2 * rank; }

static std::vector<int64_t> makeDescriptor(const void *data,
                                           const std::vector<int64_t> &sizes) {
  std::vector<int64_t> words(getDescriptorWords(sizes.size()));
  words[0] = words[1] = reinterpret_cast<intptr_t>(data);
  int64_t stride = 1;
  for (size_t axis = sizes.size(); axis-- > 0;) {
    words[3 + axis] = sizes[axis];
    words[3 + sizes.size() + axis] = stride;
    stride *= sizes[axis];
  }
  return words;
}

static void *toPointer(int64_t word) {
  return reinterpret_cast<void *>(word); // NOLINT: as compiled code stores it
}

Call::Call(const std::vector<plan::Value> &arguments,
           const std::vector<plan::Value> &outputs,
           const std::vector<Array> &arrays)
    : arguments(arguments), outputs(outputs) {
  // Descriptors are 8-byte aligned, scalars by their own size.
  size_t bytes = 0;
  for (const plan::Value &output : outputs) {
    size_t width =
        output.isScalar ? getByteWidth(output.type) : sizeof(int64_t);
    bytes = (bytes + width - 1) / width * width;
    outputOffsets.push_back(bytes);
    bytes += output.isScalar
                 ? width
                 : sizeof(int64_t) * getDescriptorWords(output.dims.size());
  }
  outputWords.assign((bytes + sizeof(int64_t) - 1) / sizeof(int64_t), 0);
  for (const Array &array : arrays)
    descriptors.push_back(makeDescriptor(array.data, array.sizes));
  descriptors.push_back(
      makeDescriptor(&status, {sizeof(status) / sizeof(int64_t)}));
}

Call::~Call() {
  if (!called)
    return;
  for (size_t i = 0; i != outputs.size(); ++i)
    if (!outputs[i].isScalar)
      _mlir_memref_to_llvm_free(
          toPointer(outputWords[outputOffsets[i] / sizeof(int64_t)]));
}

uint64_t Call::run(Function function) {
  // A lone scalar is returned by value, which the packed form stores last; all
  // else goes through a pointer to the results, which comes first.
  bool isLoneScalar = outputs.size() == 1 && outputs[0].isScalar;
  if (!outputs.empty() && !isLoneScalar)
    pointers.push_back(outputWords.data());
  size_t first = pointers.size();
  for (std::vector<int64_t> &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  for (size_t i = 0; i != pointers.size(); ++i) {
    bool isScalar = i >= first && i - first < arguments.size() &&
                    arguments[i - first].isScalar;
    packed.push_back(isScalar ? toPointer(descriptors[i - first][0])
                              : static_cast<void *>(&pointers[i]));
  }
  if (isLoneScalar)
    packed.push_back(outputWords.data());
  uint64_t missing = sparseconv_cpu_call(function, packed.data());
  called = missing == 0;
  return missing;
}

Array Call::getOutput(size_t index) const {
  const char *place =
      reinterpret_cast<const char *>(outputWords.data()) + outputOffsets[index];
  const plan::Value &output = outputs[index];
  if (output.isScalar)
    return {place, {1}};
  // Entry functions return buffers in the identity layout.
  const auto *words = reinterpret_cast<const int64_t *>(place);
  const char *data = static_cast<const char *>(toPointer(words[1])) +
                     words[2] * getByteWidth(output.type);
  return {data, {words + 3, words + 3 + output.dims.size()}};
}

std::string cpu::describeMissing(uint64_t bytes) {
  // More than any address space has.
  constexpr uint64_t most = uint64_t(1) << 47;
  return "out of memory: cannot allocate " +
         (bytes > most ? "more than " + std::to_string(most)
                       : std::to_string(bytes)) +
         " bytes";
}
