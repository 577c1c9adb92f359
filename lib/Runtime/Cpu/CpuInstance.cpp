//===- CpuInstance.cpp - runs of a function on a CPU ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuDevice.h"
#include "sparseconv/Runtime/UseThreads.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

using namespace sparseconv;
using namespace sparseconv::cpu;
using runtime::invalidArgument;
using runtime::Tensors;

namespace {
/// A function; calls take turns. A run is over when it returns.
class CpuInstance final : public runtime::Instance {
public:
  CpuInstance(std::shared_ptr<LoadedPlan> owner,
              const runtime::Function &function, plan::Capacities capacities)
      : owner(std::move(owner)), function(function),
        capacities(std::move(capacities)), bound(function.plan.inputs.size()),
        buffers(function.plan.inputs.size()) {}

  Error run(sparseconv_stream stream, Tensors inputs, Tensors outputs) override;
  Error runHost(Tensors inputs) override;
  Error getResults(bool wait) override;
  Error checkRuns(bool wait) override;
  Error bind(sparseconv_stream stream, Tensors inputs) override;
  Error getOutputCapacity(int64_t index, int64_t *sizes,
                          uint64_t *bytes) override;
  Error getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                  void **data) override;
  Error readOutput(int64_t index, void *host, uint64_t bytes) override;
  Error getInputBuffer(int64_t index, void **data, uint64_t *bytes) override;
  const runtime::Function &getFunction() const override { return function; }
  void describe(sparseconv_instance_info &info) const override {
    info = {};
    info.num_streams = 1;
    info.reports = SPARSECONV_REPORTS_ERRORS | SPARSECONV_REPORTS_SIZES;
  }

  // What a CPU does not have.
  Error capture(Tensors, Tensors) override { return refuse("graphs"); }
  Error replay(sparseconv_stream, Tensors) override { return refuse("graphs"); }
  Error profile(Tensors, double *) override { return refuse("steps"); }
  Error describeStep(int64_t, sparseconv_step_info &) const override {
    return refuse("steps");
  }
  Error describeGrowable(int64_t, sparseconv_growable_info &) const override {
    return refuse("growable capacities");
  }
  Error reserve(const int64_t *, int64_t numWanted) override {
    return numWanted ? refuse("growable capacities") : Error::success();
  }

private:
  static Error refuse(const char *what) {
    return invalidArgument(std::string("a plan for CPUs has no ") + what);
  }
  Error countBytes(bool isInput, int64_t index,
                   const std::vector<int64_t> &sizes, uint64_t &bytes) const;
  Error toArray(int64_t index, const sparseconv_tensor &tensor,
                Array &array) const;
  void finishUnread();
  Error runOnce(Tensors inputs);
  Error checkOutputs(Tensors outputs) const;
  Error copyOutputs(Tensors outputs);
  Error checkOutput(int64_t index, bool needsRun) const;
  uint64_t getOutputBytes(int64_t index) const;

  const std::shared_ptr<LoadedPlan> owner;
  const runtime::Function &function;
  const plan::Capacities capacities;
  /// By input: where it lies in every run, without data where each run says.
  std::vector<Array> bound;
  /// The instance's own memory for inputs.
  struct Free {
    void operator()(void *memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<void, Free>> buffers;
  /// The last run, if it succeeded.
  std::unique_ptr<Call> call;
  /// By output, the memory of the caller's that it was copied to, or null.
  std::vector<void *> copies;
  bool hasRun = false;
  Error lastError = Error::success();
  /// Whether the last run's results have been asked for, and what one reports
  /// of which they have not.
  bool isRead = true;
  Error missedError = Error::success();
  std::mutex mutex;
};
} // namespace

Error LoadedPlan::createInstance(const runtime::Function &function,
                                 const plan::Capacities &capacities,
                                 uint32_t flags,
                                 std::unique_ptr<runtime::Instance> &instance) {
  return guard([&] {
    if (flags & SPARSECONV_POISON)
      return invalidArgument("SPARSECONV_POISON is for plans for a GPU; for "
                             "CPUs set SPARSECONV_POISON=1 in the environment");
    instance =
        std::make_unique<CpuInstance>(shared_from_this(), function, capacities);
    return Error::success();
  });
}

uint64_t CpuInstance::getOutputBytes(int64_t index) const {
  Array array = call->getOutput(index);
  // It is there, so its size fits.
  return *plan::countBytes(function.plan.outputs[index].type,
                           array.sizes.data(), array.sizes.size());
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// The bytes of an array of sizes that are no less than 0.
Error CpuInstance::countBytes(bool isInput, int64_t index,
                              const std::vector<int64_t> &sizes,
                              uint64_t &bytes) const {
  const auto &values = isInput ? function.plan.inputs : function.plan.outputs;
  auto counted =
      plan::countBytes(values[index].type, sizes.data(), sizes.size());
  bytes = counted.value_or(0);
  if (counted)
    return Error::success();
  return Error(SPARSECONV_OUT_OF_MEMORY,
               function.plan.describe(isInput, index) +
                   " is too large for any memory");
}

Error CpuInstance::toArray(int64_t index, const sparseconv_tensor &tensor,
                           Array &array) const {
  if (Error error = function.checkType(/*isInput=*/true, index, tensor))
    return error;
  if (Error error = function.checkSizes(index, tensor.rank, tensor.sizes))
    return error;
  array.data = tensor.data;
  array.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
  uint64_t bytes = 0;
  if (Error error = countBytes(/*isInput=*/true, index, array.sizes, bytes))
    return error;
  return function.checkData(/*isInput=*/true, index, tensor, bytes);
}

Error CpuInstance::bind(sparseconv_stream stream, Tensors inputs) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkStream(stream))
      return error;
    std::vector<Array> arrays(function.plan.inputs.size());
    if (inputs.data)
      if (Error error = function.checkCount(/*isInput=*/true, inputs))
        return error;
    for (size_t i = 0; inputs.data && i != arrays.size(); ++i) {
      const sparseconv_tensor &tensor = inputs.data[i];
      if (!tensor.data)
        continue;
      if (!function.plan.inputs[i].hasStaticShape()) {
        if (Error error = toArray(i, tensor, arrays[i]))
          return error;
        continue;
      }
      if (Error error = function.checkType(/*isInput=*/true, i, tensor))
        return error;
      arrays[i] = {tensor.data, function.inputSizes[i]};
      uint64_t bytes = 0;
      if (Error error = countBytes(/*isInput=*/true, i, arrays[i].sizes, bytes))
        return error;
      if (Error error = function.checkRoom(/*isInput=*/true, i, tensor, bytes))
        return error;
    }
    bound = std::move(arrays);
    return Error::success();
  });
}

Error CpuInstance::getInputBuffer(int64_t index, void **data, uint64_t *bytes) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = function.checkIndex(/*isInput=*/true, index))
      return error;
    uint64_t needed = 0;
    if (Error error = countBytes(/*isInput=*/true, index,
                                 capacities.inputs[index], needed))
      return error;
    // Memory that nobody writes to takes no place.
    std::unique_ptr<void, Free> &buffer = buffers[index];
    if (!buffer)
      buffer.reset(std::malloc(std::max<uint64_t>(needed, 1)));
    if (!buffer)
      return Error(SPARSECONV_OUT_OF_MEMORY, describeMissing(needed));
    if (data)
      *data = buffer.get();
    if (bytes)
      *bytes = needed;
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// Keeps what the last run reports, if nobody has asked for it.
void CpuInstance::finishUnread() {
  if (!std::exchange(isRead, true) && lastError && !missedError)
    missedError = function.blameEarlierRun(lastError);
}

/// A failure of the program itself is the run's result, and no error here.
/// Where inputs do not fit there is no run, and the results of the last one
/// stay.
Error CpuInstance::runOnce(Tensors inputs) {
  if (Error error = function.checkCount(/*isInput=*/true, inputs))
    return error;
  std::vector<Array> arrays = bound;
  for (size_t i = 0; i != arrays.size(); ++i) {
    if (arrays[i].data) {
      if (Error error = function.checkBound(i, inputs.data[i], arrays[i].data))
        return error;
      continue;
    }
    if (Error error = toArray(i, inputs.data[i], arrays[i]))
      return error;
  }
  finishUnread();
  call.reset();
  copies.assign(function.plan.outputs.size(), nullptr);
  hasRun = false;
  UseThreads threads(owner->numThreads);
  const plan::Plan &plan = owner->program->getPlan();
  std::unique_ptr<Call> made;
  Error error =
      owner->program->run(&function.plan - plan.functions.data(), arrays, made);
  if (error && error.getCode() != SPARSECONV_PROGRAM_ERROR &&
      error.getCode() != SPARSECONV_OVER_CAPACITY)
    return error;
  hasRun = true;
  if (!error)
    call = std::move(made);
  lastError = std::move(error);
  isRead = false;
  return Error::success();
}

Error CpuInstance::checkOutputs(Tensors outputs) const {
  if (!outputs.data)
    return Error::success();
  if (Error error = function.checkCount(/*isInput=*/false, outputs))
    return error;
  for (int64_t i = 0; i != outputs.size; ++i)
    if (outputs.data[i].data)
      if (Error error =
              function.checkType(/*isInput=*/false, i, outputs.data[i]))
        return error;
  return Error::success();
}

Error CpuInstance::copyOutputs(Tensors outputs) {
  for (int64_t i = 0; call && outputs.data && i != outputs.size; ++i) {
    const sparseconv_tensor &tensor = outputs.data[i];
    if (!tensor.data)
      continue;
    uint64_t bytes = getOutputBytes(i);
    // Callers cannot know the size of a result that is not static.
    if (Error error = function.checkRoom(/*isInput=*/false, i, tensor, bytes))
      return Error(SPARSECONV_OVER_CAPACITY, std::move(error).takeText());
    if (bytes)
      std::memcpy(tensor.data, call->getOutput(i).data, bytes);
    copies[i] = tensor.data;
  }
  return Error::success();
}

Error CpuInstance::run(sparseconv_stream stream, Tensors inputs,
                       Tensors outputs) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkStream(stream))
      return error;
    if (Error error = checkOutputs(outputs))
      return error;
    if (Error error = runOnce(inputs))
      return error;
    return copyOutputs(outputs);
  });
}

Error CpuInstance::runHost(Tensors inputs) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = runOnce(inputs))
      return error;
    isRead = true;
    return lastError;
  });
}

Error CpuInstance::checkRuns(bool) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    finishUnread();
    return std::exchange(missedError, Error::success());
  });
}

Error CpuInstance::getResults(bool) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasRun)
    return invalidArgument(function.plan.describe() + " has not run");
  isRead = true;
  return lastError;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

Error CpuInstance::checkOutput(int64_t index, bool needsRun) const {
  if (Error error = function.checkIndex(/*isInput=*/false, index))
    return error;
  return needsRun && !call ? function.refuseResults() : Error::success();
}

Error CpuInstance::getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                             void **data) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkOutput(index, /*needsRun=*/true))
      return error;
    Array array = call->getOutput(index);
    if (sizes)
      std::copy(array.sizes.begin(), array.sizes.end(), sizes);
    if (bytes)
      *bytes = getOutputBytes(index);
    if (data)
      *data = copies[index] ? copies[index] : const_cast<void *>(array.data);
    return Error::success();
  });
}

Error CpuInstance::getOutputCapacity(int64_t index, int64_t *sizes,
                                     uint64_t *bytes) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkOutput(index, /*needsRun=*/false))
      return error;
    const plan::Value &value = function.plan.outputs[index];
    std::vector<int64_t> room =
        call ? call->getOutput(index).sizes : function.outputSizes[index];
    if (!call && !value.hasStaticShape())
      return invalidArgument(
          function.plan.describe(/*isInput=*/false, index) +
          ": on a CPU its size is known after a run; without data it goes to "
          "memory of the instance");
    uint64_t needed = 0;
    if (Error error = countBytes(/*isInput=*/false, index, room, needed))
      return error;
    if (sizes)
      std::copy(room.begin(), room.end(), sizes);
    if (bytes)
      *bytes = needed;
    return Error::success();
  });
}

Error CpuInstance::readOutput(int64_t index, void *host, uint64_t bytes) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkOutput(index, /*needsRun=*/true))
      return error;
    if (Error error =
            function.checkResult(index, host, bytes, getOutputBytes(index)))
      return error;
    if (bytes)
      std::memcpy(host, call->getOutput(index).data, bytes);
    return Error::success();
  });
}
