//===- Device.h - what runs plans -------------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The objects behind the handles of the C interface, for GPUs and for CPUs. A
// call that has no meaning for one of them is SPARSECONV_INVALID_ARGUMENT.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_DEVICE_H
#define SPARSECONV_RUNTIME_DEVICE_H

#include "sparseconv/Runtime/Error.h"
#include "sparseconv/Runtime/Plan.h"
#include <memory>

namespace sparseconv::runtime {

struct Tensors {
  const sparseconv_tensor *data = nullptr;
  int64_t size = 0;
};

/// A function of a plan, with what does not depend on capacities.
struct Function {
  explicit Function(const plan::Function &function);
  const plan::Function &plan;
  /// Static sizes, for the C interface.
  std::vector<std::vector<int64_t>> inputSizes, outputSizes;
  /// Number of the inputs' dynamic dimensions.
  size_t numCapacities = 0;
  /// What plan::Function::findEqualRows() says.
  std::vector<std::pair<uint32_t, uint32_t>> equalRows;

  // What callers do wrong is said in the same words for every device. Checks
  // that succeed allocate nothing.
  /// A tensor for each input or output; without `data` there is none.
  Error checkCount(bool isInput, Tensors tensors) const;
  Error checkIndex(bool isInput, int64_t index) const;
  Error checkType(bool isInput, int64_t index,
                  const sparseconv_tensor &tensor) const;
  /// Rank and sizes of an input; a dynamic one is at most its capacity, or
  /// kMaxRows where none are given.
  Error checkSizes(int64_t index, int64_t rank, const int64_t *sizes,
                   const int64_t *capacities = nullptr) const;
  /// Inputs that need as many rows; `getRows` says how many one has.
  template <typename Fn> Error checkRows(Fn getRows) const {
    for (auto [input, other] : equalRows)
      if (Error error = checkRows(input, getRows(input), other, getRows(other)))
        return error;
    return Error::success();
  }
  /// The rows of two such inputs.
  Error checkRows(uint32_t input, int64_t rows, uint32_t other,
                  int64_t otherRows) const;
  /// Whether a tensor has room for `bytes`.
  Error checkRoom(bool isInput, int64_t index, const sparseconv_tensor &tensor,
                  uint64_t bytes) const;
  /// The same, and whether it has data where it has to.
  Error checkData(bool isInput, int64_t index, const sparseconv_tensor &tensor,
                  uint64_t bytes) const;
  /// What a run brings for an input that is bound to `data`.
  Error checkBound(int64_t index, const sparseconv_tensor &tensor,
                   const void *data) const;
  /// Whether an output of `found` bytes can be copied to `host`.
  Error checkResult(int64_t index, const void *host, uint64_t bytes,
                    uint64_t found) const;
  /// The error that there are no outputs to look at.
  Error refuseResults() const;
  /// What a run reports whose results nobody has asked for.
  Error blameEarlierRun(Error error) const;
};

/// See sparseconv_instance_*.
class Instance {
public:
  virtual ~Instance() = default;

  virtual Error run(sparseconv_stream stream, Tensors inputs,
                    Tensors outputs) = 0;
  virtual Error capture(Tensors inputs, Tensors outputs) = 0;
  virtual Error replay(sparseconv_stream stream, Tensors inputs) = 0;
  virtual Error runHost(Tensors inputs) = 0;
  virtual Error profile(Tensors inputs, double *times) = 0;
  virtual Error describeStep(int64_t index,
                             sparseconv_step_info &info) const = 0;
  virtual Error getResults(bool wait) = 0;
  virtual Error checkRuns(bool wait) = 0;

  virtual const Function &getFunction() const = 0;
  virtual void describe(sparseconv_instance_info &info) const = 0;
  virtual Error describeGrowable(int64_t index,
                                 sparseconv_growable_info &info) const = 0;
  virtual Error reserve(const int64_t *wanted, int64_t numWanted) = 0;
  virtual Error bind(sparseconv_stream stream, Tensors inputs) = 0;

  virtual Error getOutputCapacity(int64_t index, int64_t *sizes,
                                  uint64_t *bytes) = 0;
  virtual Error getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                          void **data) = 0;
  virtual Error readOutput(int64_t index, void *host, uint64_t bytes) = 0;
  virtual Error getInputBuffer(int64_t index, void **data, uint64_t *bytes) = 0;
};

/// See sparseconv_program_*.
class Program {
public:
  virtual ~Program() = default;
  virtual const std::vector<Function> &getFunctions() const = 0;
  virtual Error bindConstant(const std::string &name,
                             std::string_view bytes) = 0;
  /// `function` is one of getFunctions().
  virtual Error createInstance(const Function &function,
                               const plan::Capacities &capacities,
                               uint32_t flags,
                               std::unique_ptr<Instance> &instance) = 0;
};

/// See sparseconv_context_* and sparseconv_memory_*.
class Device {
public:
  virtual ~Device() = default;
  virtual const std::string &getChip() const = 0;
  virtual const std::string &getName() const = 0;
  virtual Error trim() = 0;
  virtual Error synchronise() = 0;
  virtual Error load(std::string file, std::shared_ptr<Program> &program) = 0;

  virtual Error allocate(sparseconv_stream stream, uint64_t bytes,
                         void **data) = 0;
  virtual Error free(sparseconv_stream stream, void *data) = 0;
  virtual Error upload(sparseconv_stream stream, void *data, const void *host,
                       uint64_t bytes) = 0;
  virtual Error download(sparseconv_stream stream, void *host, const void *data,
                         uint64_t bytes) = 0;
  virtual Error wait(sparseconv_stream stream, sparseconv_stream other) = 0;
};

} // namespace sparseconv::runtime

namespace sparseconv::cuda {

/// 0 where the driver finds none. Error: there is no usable driver.
runtime::Error countDevices(int &count);
/// The primary context of a GPU.
runtime::Error createDevice(int ordinal,
                            std::shared_ptr<runtime::Device> &device);

} // namespace sparseconv::cuda

#endif // SPARSECONV_RUNTIME_DEVICE_H
