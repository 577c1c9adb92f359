//===- ChildProcess.h - a program with input, output and a limit -*- C++ -*-==//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CAPI_COMPILER_CHILDPROCESS_H
#define SPARSECONV_LIB_CAPI_COMPILER_CHILDPROCESS_H

#include <string>
#include <string_view>
#include <vector>

namespace sparseconv::capi {

/// How a process ended.
struct ChildResult {
  enum class End {
    Exited,    ///< with `status`
    Signalled, ///< by signal `status`
    TimeLimit, ///< killed
    Cancelled, ///< killed
    Failed     ///< it could not be run, as `problem` says
  };
  End end = End::Failed;
  int status = 0;
  std::string output, diagnostics, problem;
};

/// What ends a process early: a number of seconds other than 0, and a number
/// elsewhere that becomes another one than 0.
struct ChildLimits {
  double seconds = 0;
  const volatile int *cancel = nullptr;
};

/// Runs `program` on `input` to its end. The process starts with default signal
/// handling and none of this one's open files.
ChildResult runChild(const std::string &program,
                     const std::vector<std::string> &arguments,
                     std::string_view input, ChildLimits limits);

} // namespace sparseconv::capi

#endif // SPARSECONV_LIB_CAPI_COMPILER_CHILDPROCESS_H
