//===- CpuDevice.h - a CPU behind the C interface ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_RUNTIME_CPU_CPUDEVICE_H
#define SPARSECONV_LIB_RUNTIME_CPU_CPUDEVICE_H

#include "sparseconv/Runtime/CpuProgram.h"

namespace sparseconv::cpu {

using runtime::Error;

/// The processor that this runs on. Streams are NULL, and a call that
/// allocates or runs is done when it returns.
class CpuDevice final : public runtime::Device {
public:
  /// Code for `level`, or where that is empty for the widest vectors that there
  /// are; 0 threads are as many as the system offers.
  static Error create(std::string_view level, int numThreads,
                      std::shared_ptr<runtime::Device> &device);

  const std::string &getChip() const override { return level; }
  const std::string &getName() const override { return name; }
  Error trim() override;
  Error synchronise() override { return Error::success(); }
  Error load(std::string file,
             std::shared_ptr<runtime::Program> &program) override;
  Error allocate(sparseconv_stream stream, uint64_t bytes,
                 void **data) override;
  Error free(sparseconv_stream stream, void *data) override;
  Error upload(sparseconv_stream stream, void *data, const void *host,
               uint64_t bytes) override;
  Error download(sparseconv_stream stream, void *host, const void *data,
                 uint64_t bytes) override;
  Error wait(sparseconv_stream stream, sparseconv_stream other) override;

private:
  CpuDevice(std::string_view wanted, std::string_view level, int numThreads)
      : wanted(wanted), level(level), numThreads(numThreads) {}

  /// The level that a plan must have code for; empty where any does that the
  /// processor runs, of which `level` is the widest.
  std::string wanted, level, name = "CPU";
  int numThreads;
};

/// A plan with its functions.
class LoadedPlan final : public runtime::Program,
                         public std::enable_shared_from_this<LoadedPlan> {
public:
  LoadedPlan(std::shared_ptr<cpu::Program> program, int numThreads)
      : program(std::move(program)), numThreads(numThreads) {}

  const std::vector<runtime::Function> &getFunctions() const override {
    return program->getFunctions();
  }
  Error bindConstant(const std::string &name, std::string_view bytes) override;
  Error createInstance(const runtime::Function &function,
                       const plan::Capacities &capacities, uint32_t flags,
                       std::unique_ptr<runtime::Instance> &instance) override;

  const std::shared_ptr<cpu::Program> program;
  const int numThreads;
};

/// Calls that may run out of memory, which comes as an exception: none leaves
/// this library.
template <typename Body> Error guard(const Body &body) {
  try {
    return body();
  } catch (...) {
    return Error(SPARSECONV_OUT_OF_MEMORY,
                 "the host has no memory for what the call needs");
  }
}

/// An error unless a stream is NULL.
Error checkStream(sparseconv_stream stream);

} // namespace sparseconv::cpu

#endif // SPARSECONV_LIB_RUNTIME_CPU_CPUDEVICE_H
