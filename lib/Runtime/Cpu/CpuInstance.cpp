//===- CpuInstance.cpp - runs of a function on a CPU ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuDevice.h"
#include <cstring>
#include <mutex>
#include <omp.h>

using namespace sparseconv;
using namespace sparseconv::cpu;
using runtime::invalidArgument;
using runtime::Tensors;
using std::to_string;

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
  Error bind(sparseconv_stream stream, Tensors inputs) override;
  Error getOutputCapacity(int64_t index, int64_t *sizes,
                          uint64_t *bytes) override;
  Error getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                  void **data) override;
  Error readOutput(int64_t index, void *host, uint64_t bytes) override;
  Error getInputBuffer(int64_t index, void **data, uint64_t *bytes) override;
  void describe(sparseconv_instance_info &info) const override {
    info = {};
    info.num_streams = 1;
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
  std::string getName(bool isInput, int64_t index) const;
  Error toArray(int64_t index, const sparseconv_tensor &tensor,
                Array &array) const;
  Error runOnce(Tensors inputs);
  Error copyOutputs(Tensors outputs) const;
  Error checkOutput(int64_t index, bool needsRun) const;
  uint64_t getBytes(const plan::Value &value, const Array &array) const;

  const std::shared_ptr<LoadedPlan> owner;
  const runtime::Function &function;
  const plan::Capacities capacities;
  /// By input: where it lies in every run, without data where each run says.
  std::vector<Array> bound;
  /// The instance's own memory for inputs.
  std::vector<std::vector<char>> buffers;
  /// The last run, if it succeeded.
  std::unique_ptr<Call> call;
  bool hasRun = false;
  Error lastError = Error::success();
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

std::string CpuInstance::getName(bool isInput, int64_t index) const {
  const auto &values = isInput ? function.plan.inputs : function.plan.outputs;
  return "function '" + function.plan.name +
         (isInput ? "': input '" : "': output '") + values[index].name + "'";
}

uint64_t CpuInstance::getBytes(const plan::Value &value,
                               const Array &array) const {
  uint64_t bytes = getByteWidth(value.type);
  for (int64_t size : array.sizes)
    bytes *= size;
  return bytes;
}

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

Error CpuInstance::toArray(int64_t index, const sparseconv_tensor &tensor,
                           Array &array) const {
  const plan::Value &value = function.plan.inputs[index];
  std::string what = getName(/*isInput=*/true, index);
  if (tensor.type != int32_t(value.type))
    return invalidArgument(what + " is " + plan::getName(value.type) +
                           ", not type " + to_string(tensor.type));
  if (tensor.rank != int64_t(value.dims.size()))
    return invalidArgument(what + " has rank " + to_string(tensor.rank) +
                           ", expected " + to_string(value.dims.size()));
  if (tensor.rank && !tensor.sizes)
    return invalidArgument(what + ": sizes is NULL");
  array.data = tensor.data;
  array.sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
  // Sizes are checked by the program, but must not wrap here.
  uint64_t bytes = getByteWidth(value.type);
  for (int64_t size : array.sizes)
    if (size < 0 || __builtin_mul_overflow(bytes, uint64_t(size), &bytes))
      return invalidArgument(what + " has a dimension of size " +
                             to_string(size));
  if (bytes && !tensor.data)
    return invalidArgument(what + ": data is NULL");
  if (bytes > tensor.bytes)
    return invalidArgument(what + " needs " + to_string(bytes) +
                           " bytes, but has " + to_string(tensor.bytes));
  return Error::success();
}

Error CpuInstance::bind(sparseconv_stream stream, Tensors inputs) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkStream(stream))
      return error;
    std::vector<Array> arrays(function.plan.inputs.size());
    if (inputs.data && inputs.size != int64_t(arrays.size()))
      return invalidArgument("function '" + function.plan.name + "' has " +
                             to_string(arrays.size()) + " inputs, but " +
                             to_string(inputs.size) + " are given");
    for (size_t i = 0; inputs.data && i != arrays.size(); ++i) {
      const sparseconv_tensor &tensor = inputs.data[i];
      if (!tensor.data)
        continue;
      const plan::Value &value = function.plan.inputs[i];
      if (!value.hasStaticShape())
        return invalidArgument(getName(/*isInput=*/true, i) +
                               " has no static shape, so it cannot be bound");
      arrays[i] = {tensor.data, function.inputSizes[i]};
      if (tensor.bytes < getBytes(value, arrays[i]))
        return invalidArgument(getName(/*isInput=*/true, i) + " needs " +
                               to_string(getBytes(value, arrays[i])) +
                               " bytes, but has " + to_string(tensor.bytes));
    }
    bound = std::move(arrays);
    return Error::success();
  });
}

Error CpuInstance::getInputBuffer(int64_t index, void **data, uint64_t *bytes) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (index < 0 || index >= int64_t(buffers.size()))
      return invalidArgument("function '" + function.plan.name +
                             "' has no input " + to_string(index));
    uint64_t needed = getByteWidth(function.plan.inputs[index].type);
    for (int64_t size : capacities.inputs[index])
      if (__builtin_mul_overflow(needed, uint64_t(size), &needed))
        return Error(SPARSECONV_OUT_OF_MEMORY,
                     getName(/*isInput=*/true, index) + " is too large");
    buffers[index].resize(needed);
    if (data)
      *data = buffers[index].data();
    if (bytes)
      *bytes = needed;
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

/// A failure of the program itself is the run's result, and no error here.
Error CpuInstance::runOnce(Tensors inputs) {
  call.reset();
  hasRun = false;
  if (inputs.size != int64_t(bound.size()) || (!inputs.data && inputs.size))
    return invalidArgument("function '" + function.plan.name + "' has " +
                           to_string(bound.size()) + " inputs, but " +
                           to_string(inputs.data ? inputs.size : 0) +
                           " are given");
  std::vector<Array> arrays = bound;
  for (size_t i = 0; i != arrays.size(); ++i) {
    if (arrays[i].data) {
      if (inputs.data[i].data && inputs.data[i].data != arrays[i].data)
        return invalidArgument(getName(/*isInput=*/true, i) +
                               " is bound, but has other data");
      continue;
    }
    if (Error error = toArray(i, inputs.data[i], arrays[i]))
      return error;
  }
  omp_set_num_threads(owner->numThreads ? owner->numThreads
                                        : omp_get_num_procs());
  const plan::Plan &plan = owner->program->getPlan();
  std::unique_ptr<Call> made;
  Error error =
      owner->program->run(&function.plan - plan.functions.data(), arrays, made);
  if (error && error.getCode() != SPARSECONV_PROGRAM_ERROR)
    return error;
  hasRun = true;
  if (!error)
    call = std::move(made);
  lastError = std::move(error);
  return Error::success();
}

Error CpuInstance::copyOutputs(Tensors outputs) const {
  if (!outputs.data || !call)
    return Error::success();
  if (outputs.size != int64_t(function.plan.outputs.size()))
    return invalidArgument("function '" + function.plan.name + "' has " +
                           to_string(function.plan.outputs.size()) +
                           " outputs, but " + to_string(outputs.size) +
                           " are given");
  for (int64_t i = 0; i != outputs.size; ++i) {
    const sparseconv_tensor &tensor = outputs.data[i];
    if (!tensor.data)
      continue;
    Array array = call->getOutput(i);
    uint64_t bytes = getBytes(function.plan.outputs[i], array);
    if (bytes > tensor.bytes)
      return Error(SPARSECONV_OVER_CAPACITY, getName(/*isInput=*/false, i) +
                                                 " needs " + to_string(bytes) +
                                                 " bytes, but has " +
                                                 to_string(tensor.bytes));
    if (bytes)
      std::memcpy(tensor.data, array.data, bytes);
  }
  return Error::success();
}

Error CpuInstance::run(sparseconv_stream stream, Tensors inputs,
                       Tensors outputs) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkStream(stream))
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
    return lastError;
  });
}

Error CpuInstance::getResults(bool) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!hasRun)
    return invalidArgument("function '" + function.plan.name + "' has not run");
  return lastError;
}

//===----------------------------------------------------------------------===//
// Outputs
//===----------------------------------------------------------------------===//

Error CpuInstance::checkOutput(int64_t index, bool needsRun) const {
  if (index < 0 || index >= int64_t(function.plan.outputs.size()))
    return invalidArgument("function '" + function.plan.name +
                           "' has no output " + to_string(index));
  if (needsRun && !call)
    return invalidArgument("function '" + function.plan.name +
                           "' has no results: its last run failed, or there "
                           "was none");
  return Error::success();
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
      *bytes = getBytes(function.plan.outputs[index], array);
    if (data)
      *data = const_cast<void *>(array.data);
    return Error::success();
  });
}

Error CpuInstance::getOutputCapacity(int64_t index, int64_t *sizes,
                                     uint64_t *bytes) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkOutput(index, /*needsRun=*/false))
      return error;
    if (!call && !function.plan.outputs[index].hasStaticShape())
      return invalidArgument(
          getName(/*isInput=*/false, index) +
          ": on a CPU its size is known after a run; without data it goes to "
          "memory of the instance");
    if (!call) {
      Array array = {nullptr, function.outputSizes[index]};
      if (sizes)
        std::copy(array.sizes.begin(), array.sizes.end(), sizes);
      if (bytes)
        *bytes = getBytes(function.plan.outputs[index], array);
      return Error::success();
    }
  }
  return getOutput(index, sizes, bytes, /*data=*/nullptr);
}

Error CpuInstance::readOutput(int64_t index, void *host, uint64_t bytes) {
  return guard([&]() -> Error {
    std::lock_guard<std::mutex> lock(mutex);
    if (Error error = checkOutput(index, /*needsRun=*/true))
      return error;
    Array array = call->getOutput(index);
    uint64_t exact = getBytes(function.plan.outputs[index], array);
    if (bytes != exact)
      return invalidArgument(getName(/*isInput=*/false, index) + " has " +
                             to_string(exact) + " bytes, not " +
                             to_string(bytes));
    if (bytes && !host)
      return invalidArgument("host is NULL");
    if (bytes)
      std::memcpy(host, array.data, bytes);
    return Error::success();
  });
}
