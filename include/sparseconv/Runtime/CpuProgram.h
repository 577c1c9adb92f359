//===- CpuProgram.h - a plan for CPUs in this process -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_CPUPROGRAM_H
#define SPARSECONV_RUNTIME_CPUPROGRAM_H

#include "sparseconv/Runtime/CpuCall.h"
#include "sparseconv/Runtime/Device.h"
#include <mutex>

namespace sparseconv::cpu {

class Image;

/// A plan's code for one vector level. All but bindConstant() may be called by
/// several threads at a time.
class Program {
public:
  /// Loads the code for `level`, or where that is empty for the widest vectors
  /// that this processor has. Errors: what is wrong with the file; a plan for
  /// GPUs; no code that the processor runs.
  static runtime::Error load(std::string file, std::string_view level,
                             std::shared_ptr<Program> &program);
  ~Program();

  const plan::Plan &getPlan() const { return plan; }
  const std::vector<runtime::Function> &getFunctions() const {
    return functions;
  }

  /// Data that the plan holds by reference.
  runtime::Error bindConstant(const std::string &name, std::string_view bytes);

  /// Calls function `index` of the plan. There is an input of the right type
  /// for each of its inputs; sizes are checked. `call` has the outputs.
  runtime::Error run(size_t index, const std::vector<Array> &inputs,
                     std::unique_ptr<Call> &call) const;

private:
  explicit Program(std::string file);
  runtime::Error initialise(std::string_view wanted);

  std::string file; ///< what `plan` has views of
  plan::Plan plan;
  std::string level;
  std::unique_ptr<Image> image;
  std::vector<runtime::Function> functions;
  /// By function, its code.
  std::vector<Function> code;
  /// Of those that the plan holds by reference, copies, which stay where they
  /// are once they are there.
  std::vector<std::string> bound;
  mutable std::mutex mutex; ///< of `bound`
};

} // namespace sparseconv::cpu

#endif // SPARSECONV_RUNTIME_CPUPROGRAM_H
