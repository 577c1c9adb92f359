//===- Program.h - a plan loaded into a context -----------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CUDA_PROGRAM_H
#define SPARSECONV_LIB_RUNTIME_CUDA_PROGRAM_H

#include "Context.h"
#include "sparseconv/Runtime/Device.h"
#include "sparseconv/Runtime/PlanLayout.h"
#include "sparseconv/Runtime/PlanParams.h"

namespace sparseconv::cuda {

/// Nothing of it changes after loading but the constants, which are locked.
class Program final : public runtime::Program,
                      public std::enable_shared_from_this<Program> {
public:
  using Function = runtime::Function;

  static Error load(std::shared_ptr<Context> context, std::string file,
                    std::shared_ptr<Program> &program);
  ~Program() override;

  const std::shared_ptr<Context> context;
  const plan::Plan &getPlan() const { return plan; }
  const std::vector<Function> &getFunctions() const override {
    return functions;
  }
  /// Whether the steps are so few that the host is done with them sooner one
  /// after the other than with a graph of them, or with handing them from
  /// stream to stream.
  static bool isShort(const plan::Function &function) {
    return function.steps.size() < 4;
  }
  CUfunction getKernel(uint32_t index) const { return kernels[index]; }
  /// Whether a kernel waits for those before it by itself.
  bool startsEarly(uint32_t index) const {
    return modules[plan.kernels[index].module]->startsEarly;
  }

  /// Data that the plan holds by reference.
  Error bindConstant(const std::string &name, std::string_view bytes) override;
  Error createInstance(const Function &function,
                       const plan::Capacities &capacities, uint32_t flags,
                       std::unique_ptr<runtime::Instance> &instance) override;
  /// The device memory of a constant, which is uploaded where it is not yet.
  Error getConstant(uint32_t index, CUdeviceptr &pointer);

private:
  Program(std::shared_ptr<Context> context, std::string file)
      : context(std::move(context)), file(std::move(file)) {}
  Error initialise();
  /// `cluster` is the largest of its launches.
  Error loadKernel(const plan::Kernel &kernel, uint32_t cluster);
  Error askForPlaces(size_t kernel, plan::ParamPlaces &places) const;
  Error checkLaunches();
  Error upload(uint32_t index, std::string_view bytes);

  std::string file; ///< what `plan` has views of
  plan::Plan plan;
  std::vector<Function> functions;
  std::vector<std::shared_ptr<LoadedModule>> modules;
  std::vector<CUfunction> kernels;
  std::mutex mutex;
  std::vector<CUdeviceptr> constants; ///< 0 where not uploaded
};

} // namespace sparseconv::cuda

#endif // SPARSECONV_LIB_RUNTIME_CUDA_PROGRAM_H
