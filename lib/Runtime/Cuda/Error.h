//===- Error.h - what a call of the runtime returns -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_ERROR_H
#define SPARSECONV_LIB_RUNTIME_CUDA_ERROR_H

#include "sparseconv/Runtime/Error.h"

namespace sparseconv::cuda {
using runtime::Error;
using runtime::invalidArgument;
} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_ERROR_H
