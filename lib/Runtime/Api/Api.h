//===- Api.h - what the parts of the C interface share ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_API_API_H
#define SPARSECONV_LIB_RUNTIME_API_API_H

#include "sparseconv/Runtime/Device.h"

struct sparseconv_context {
  std::shared_ptr<sparseconv::runtime::Device> impl;
};
struct sparseconv_program {
  std::shared_ptr<sparseconv::runtime::Program> impl;
};
struct sparseconv_plan {
  std::string file; ///< what `plan` has views of
  sparseconv::plan::Plan plan;
  std::vector<sparseconv::runtime::Function> functions;
};

namespace sparseconv::runtime {

/// The end of every function: its code, and the text for
/// sparseconv_last_error().
int report(Error error);
/// The same where there is no memory, not even for a text.
int reportOutOfMemory() noexcept;

inline Error isNull(const char *what) {
  return invalidArgument(std::string(what) + " is NULL");
}

/// Calls the body of a function of the interface, which returns an Error. All
/// that it can throw is that the host has no memory, and no exception leaves
/// the interface.
template <typename Body> int guard(const Body &body) noexcept {
  try {
    return report(body());
  } catch (...) {
    return reportOutOfMemory();
  }
}

/// The same for a getter, which has no code to return: `otherwise` where there
/// is nothing to get. The body sets the result.
template <typename T, typename Body>
T guardGetter(T otherwise, const Body &body) noexcept {
  T result = otherwise;
  return guard([&] { return body(result); }) == SPARSECONV_OK ? result
                                                              : otherwise;
}

/// Guards `body` and calls it with the device of a context.
template <typename Body>
int within(sparseconv_context *context, const Body &body) noexcept {
  return guard([&]() -> Error {
    if (!context)
      return isNull("context");
    return body(*context->impl);
  });
}

/// What has functions: a program or a plan, which may be null.
struct Owner {
  explicit Owner(const sparseconv_program *program)
      : kind("program"),
        functions(program ? &program->impl->getFunctions() : nullptr) {}
  explicit Owner(const sparseconv_plan *plan)
      : kind("plan"), functions(plan ? &plan->functions : nullptr) {}

  Error find(const char *name, const Function *&function) const;
  // The functions of the interface that a program and a plan have in common.
  int64_t countFunctions() const noexcept;
  const char *getName(int64_t index) const noexcept;
  int countValues(const char *name, int64_t *numInputs,
                  int64_t *numOutputs) const noexcept;
  int describeValue(const char *name, int64_t index, bool isInput,
                    sparseconv_value_info *info) const noexcept;

  const char *kind;
  const std::vector<Function> *functions;
};

/// A CPU, by the library that has all that code for CPUs needs; it is opened
/// when it is first asked for.
Error openCpu(std::string_view level, int numThreads,
              std::shared_ptr<Device> &device);

/// A copy of a plan's file.
Error copyFile(const void *bytes, uint64_t size, std::string &file);

} // namespace sparseconv::runtime

#endif // SPARSECONV_LIB_RUNTIME_API_API_H
