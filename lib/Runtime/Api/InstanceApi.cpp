//===- InstanceApi.cpp - the C interface to instances ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include "sparseconv/Support/Status.h"

using namespace sparseconv;
using namespace sparseconv::runtime;
using std::to_string;

struct sparseconv_instance {
  std::unique_ptr<Instance> impl;
};

/// Calls `body` on an instance that is there.
template <typename Handle, typename Body>
static int within(Handle *instance, const Body &body) {
  return guard([&]() -> Error {
    if (!instance)
      return isNull("instance");
    return body(*instance->impl);
  });
}

/// The sizes of a function's inputs, with capacities where they are dynamic.
static Error fillCapacities(const Function &function, const int64_t *capacities,
                            int64_t numCapacities, plan::Capacities &sizes) {
  if (numCapacities != int64_t(function.numCapacities))
    return invalidArgument(function.plan.describe() + " has " +
                           to_string(function.numCapacities) +
                           " dynamic dimensions, but " +
                           to_string(numCapacities) + " capacities are given");
  sizes.inputs = function.inputSizes;
  for (std::vector<int64_t> &dims : sizes.inputs)
    for (int64_t &size : dims) {
      if (size != plan::kDynamic)
        continue;
      size = *capacities++;
      if (size < 0)
        return invalidArgument("a capacity is " + to_string(size));
      if (size > kMaxRows)
        return invalidArgument("a capacity is " + to_string(size) +
                               ", more than " + to_string(kMaxRows) + " rows");
    }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

int sparseconv_instance_create(sparseconv_program *program,
                               const char *function, const int64_t *capacities,
                               int64_t numCapacities, uint32_t flags,
                               sparseconv_instance **instance) {
  return guard([&]() -> Error {
    if (!instance || (!capacities && numCapacities))
      return isNull("capacities or instance");
    const Function *found = nullptr;
    if (Error error = Owner(program).find(function, found))
      return error;
    if (flags & ~uint32_t(SPARSECONV_POISON | SPARSECONV_SYNCHRONOUS |
                          SPARSECONV_FIXED_CAPACITIES | SPARSECONV_EXACT))
      return invalidArgument("unknown flags " + to_string(flags));
    plan::Capacities sizes;
    if (Error error = fillCapacities(*found, capacities, numCapacities, sizes))
      return error;
    auto result = std::make_unique<sparseconv_instance>();
    if (Error error =
            program->impl->createInstance(*found, sizes, flags, result->impl))
      return error;
    *instance = result.release();
    return Error::success();
  });
}

void sparseconv_instance_destroy(sparseconv_instance *instance) {
  delete instance;
}

int sparseconv_instance_describe(const sparseconv_instance *instance,
                                 sparseconv_instance_info *info) {
  return within(instance, [&](const Instance &impl) -> Error {
    if (!info)
      return isNull("info");
    impl.describe(*info);
    return Error::success();
  });
}

int sparseconv_instance_growable(const sparseconv_instance *instance,
                                 int64_t index,
                                 sparseconv_growable_info *info) {
  return within(instance, [&](const Instance &impl) -> Error {
    if (!info)
      return isNull("info");
    return impl.describeGrowable(index, *info);
  });
}

int sparseconv_instance_reserve(sparseconv_instance *instance,
                                const int64_t *capacities,
                                int64_t numCapacities) {
  return within(instance, [&](Instance &impl) -> Error {
    if (!capacities && numCapacities)
      return isNull("capacities");
    return impl.reserve(capacities, numCapacities);
  });
}

int sparseconv_instance_bind(sparseconv_instance *instance,
                             sparseconv_stream stream,
                             const sparseconv_tensor *inputs,
                             int64_t numInputs) {
  return within(instance, [&](Instance &impl) {
    return impl.bind(stream, {inputs, numInputs});
  });
}

int sparseconv_instance_run(sparseconv_instance *instance,
                            sparseconv_stream stream,
                            const sparseconv_tensor *inputs, int64_t numInputs,
                            const sparseconv_tensor *outputs,
                            int64_t numOutputs) {
  return within(instance, [&](Instance &impl) {
    return impl.run(stream, {inputs, numInputs}, {outputs, numOutputs});
  });
}

int sparseconv_instance_capture(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t numInputs,
                                const sparseconv_tensor *outputs,
                                int64_t numOutputs) {
  return within(instance, [&](Instance &impl) {
    return impl.capture({inputs, numInputs}, {outputs, numOutputs});
  });
}

int sparseconv_instance_replay(sparseconv_instance *instance,
                               sparseconv_stream stream,
                               const sparseconv_tensor *inputs,
                               int64_t numInputs) {
  return within(instance, [&](Instance &impl) {
    return impl.replay(stream, {inputs, numInputs});
  });
}

int sparseconv_instance_run_host(sparseconv_instance *instance,
                                 const sparseconv_tensor *inputs,
                                 int64_t numInputs) {
  return within(instance, [&](Instance &impl) {
    return impl.runHost({inputs, numInputs});
  });
}

int sparseconv_instance_results(sparseconv_instance *instance, int wait) {
  return within(instance,
                [&](Instance &impl) { return impl.getResults(wait != 0); });
}

int sparseconv_instance_check(sparseconv_instance *instance, int wait) {
  return within(instance,
                [&](Instance &impl) { return impl.checkRuns(wait != 0); });
}

int sparseconv_instance_output_capacity(sparseconv_instance *instance,
                                        int64_t index, int64_t *sizes,
                                        uint64_t *bytes) {
  return within(instance, [&](Instance &impl) {
    return impl.getOutputCapacity(index, sizes, bytes);
  });
}

int sparseconv_instance_output(sparseconv_instance *instance, int64_t index,
                               int64_t *sizes, uint64_t *bytes, void **data) {
  return within(instance, [&](Instance &impl) {
    return impl.getOutput(index, sizes, bytes, data);
  });
}

int sparseconv_instance_output_sizes(sparseconv_instance *instance,
                                     int64_t *sizes, int64_t numSizes) {
  return within(instance, [&](Instance &impl) -> Error {
    if (!sizes && numSizes)
      return isNull("sizes");
    const Function &function = impl.getFunction();
    int64_t expected = 0;
    for (const std::vector<int64_t> &output : function.outputSizes)
      expected += output.size();
    if (numSizes != expected)
      return invalidArgument(function.plan.describe() + " has outputs of " +
                             to_string(expected) + " sizes in all, but " +
                             to_string(numSizes) + " are asked for");
    for (size_t i = 0; i != function.outputSizes.size(); ++i) {
      if (Error error = impl.getOutput(i, sizes, nullptr, nullptr))
        return error;
      sizes += function.outputSizes[i].size();
    }
    return Error::success();
  });
}

int sparseconv_instance_read_output(sparseconv_instance *instance,
                                    int64_t index, void *host, uint64_t bytes) {
  return within(instance, [&](Instance &impl) {
    return impl.readOutput(index, host, bytes);
  });
}

int sparseconv_instance_input_buffer(sparseconv_instance *instance,
                                     int64_t index, void **data,
                                     uint64_t *bytes) {
  return within(instance, [&](Instance &impl) {
    return impl.getInputBuffer(index, data, bytes);
  });
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

int sparseconv_instance_step(const sparseconv_instance *instance, int64_t index,
                             sparseconv_step_info *info) {
  return within(instance, [&](const Instance &impl) -> Error {
    if (!info)
      return isNull("info");
    return impl.describeStep(index, *info);
  });
}

int sparseconv_instance_profile(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t numInputs, double *times) {
  return within(instance, [&](Instance &impl) -> Error {
    if (!times)
      return isNull("times");
    return impl.profile({inputs, numInputs}, times);
  });
}
