//===- CallFrame.h - arguments and results in the C interface ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_EXECUTION_CALLFRAME_H
#define SPARSECONV_LIB_EXECUTION_CALLFRAME_H

#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Support/Status.h"
#include <vector>

namespace mlir::sparseconv {

/// One call of a compiled function through MLIR's C interface
/// (`_mlir_ciface_*`, packed). Tensors are passed as pointers to memref
/// descriptors, scalars by value. Results come back in one struct of
/// descriptors and scalars. The last argument is the status record.
class CallFrame {
public:
  CallFrame(const Signature &signature,
            ArrayRef<::sparseconv::HostTensor> arguments);
  /// Frees the results that were not taken.
  ~CallFrame();
  CallFrame(const CallFrame &) = delete;
  CallFrame &operator=(const CallFrame &) = delete;

  /// Error: an allocation of the function failed.
  llvm::Error call(void (*function)(void **));
  const ::sparseconv::StatusRecord &getStatus() const { return status; }
  /// Copies the results out. Error: there is no memory for them.
  llvm::Expected<std::vector<::sparseconv::HostTensor>> takeResults();

private:
  const Signature &signature;
  ::sparseconv::StatusRecord status;
  /// Descriptors as words: pointer, aligned pointer, offset, sizes, strides.
  std::vector<std::vector<int64_t>> descriptors;
  std::vector<int64_t> resultWords;
  std::vector<size_t> resultOffsets; // in bytes
  std::vector<void *> pointers;      // what the packed arguments point to
  std::vector<void *> packed;
  ArrayRef<::sparseconv::HostTensor> arguments;
  bool called = false;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_EXECUTION_CALLFRAME_H
