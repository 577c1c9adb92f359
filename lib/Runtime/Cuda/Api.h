//===- Api.h - what the parts of the C interface share ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_API_H
#define SPARSECONV_LIB_RUNTIME_CUDA_API_H

#include "Program.h"

struct sparseconv_context {
  std::shared_ptr<sparseconv::cuda::Context> impl;
};

namespace sparseconv::cuda {

/// The end of every function: its code, and the text for
/// sparseconv_last_error().
int report(const Error &error);
int rejectNull(const char *what);

// Functions of a program or a plan, as `owner` says.
using Functions = std::vector<Program::Function>;
Error findFunction(const Functions &functions, const char *owner,
                   const char *name, const Program::Function *&function);
Error countValues(const Functions &functions, const char *owner,
                  const char *name, int64_t *numInputs, int64_t *numOutputs);
Error describeValue(const Functions &functions, const char *owner,
                    const char *name, int64_t index, bool isInput,
                    sparseconv_value_info *info);

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_API_H
