//===- CpuCall.h - one call of compiled CPU code ----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_CPUCALL_H
#define SPARSECONV_RUNTIME_CPUCALL_H

#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Support/Status.h"

namespace sparseconv::cpu {

/// A function in MLIR's C interface, packed: it takes pointers to its
/// arguments, and after them one to where its result goes.
using Function = void (*)(void **);

/// Contiguous, row major, in host memory.
struct Array {
  const void *data = nullptr;
  std::vector<int64_t> sizes;
};

/// One call of a compiled function. Tensors are passed as pointers to memref
/// descriptors, scalars by value. Results come back in one struct of
/// descriptors and scalars. The last argument is the status record.
class Call {
public:
  /// There is an array for each argument, of its rank.
  Call(const std::vector<plan::Value> &arguments,
       const std::vector<plan::Value> &outputs,
       const std::vector<Array> &arrays);
  /// Frees the outputs.
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  /// Once. Returns 0, or the bytes of an allocation that failed.
  uint64_t run(Function function);
  const StatusRecord &getStatus() const { return status; }
  /// After a run that succeeded; it lives as long as the call.
  Array getOutput(size_t index) const;

private:
  const std::vector<plan::Value> &arguments, &outputs;
  StatusRecord status;
  /// Descriptors as words: pointer, aligned pointer, offset, sizes, strides.
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<int64_t> outputWords;
  std::vector<size_t> outputOffsets; // in bytes
  std::vector<void *> pointers;      // what the packed arguments point to
  std::vector<void *> packed;
  bool called = false;
};

/// "out of memory: cannot allocate 12 bytes", for what run() returns.
std::string describeMissing(uint64_t bytes);

} // namespace sparseconv::cpu

#endif // SPARSECONV_RUNTIME_CPUCALL_H
