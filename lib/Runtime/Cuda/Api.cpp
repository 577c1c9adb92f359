//===- Api.cpp - the C interface ------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include "Instance.h"
#include <fstream>
#include <iterator>

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

struct sparseconv_program {
  std::shared_ptr<Program> impl;
};
struct sparseconv_instance {
  std::unique_ptr<Instance> impl;
};

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static std::string &getLastError() {
  static thread_local std::string text;
  return text;
}

int cuda::report(const Error &error) {
  if (error)
    getLastError() = error.getText();
  return error.getCode();
}

int cuda::rejectNull(const char *what) {
  return report(invalidArgument(std::string(what) + " is NULL"));
}

const char *sparseconv_last_error(void) { return getLastError().c_str(); }

const char *sparseconv_code_name(int code) {
  static const char *const names[] = {
      "SPARSECONV_OK",
      "SPARSECONV_INVALID_ARGUMENT",
      "SPARSECONV_NO_DRIVER",
      "SPARSECONV_NO_DEVICE",
      "SPARSECONV_DRIVER_TOO_OLD",
      "SPARSECONV_INVALID_PLAN",
      "SPARSECONV_WRONG_CHIP",
      "SPARSECONV_OUT_OF_MEMORY",
      "SPARSECONV_OVER_CAPACITY",
      "SPARSECONV_NOT_READY",
      "SPARSECONV_CUDA_ERROR",
      "SPARSECONV_PROGRAM_ERROR",
      "SPARSECONV_FILE_ERROR",
  };
  return code >= 0 && code < int(std::size(names)) ? names[code]
                                                   : "unknown code";
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int sparseconv_device_count(int *count) {
  if (!count)
    return rejectNull("count");
  const DriverTable *driver = nullptr;
  std::string reason;
  if (int code = loadDriver(driver, reason))
    return report(Error(code, reason));
  CUresult result = driver->cuInit(0);
  if (result == CUDA_SUCCESS)
    result = driver->cuDeviceGetCount(count);
  if (result == CUDA_ERROR_NO_DEVICE) {
    *count = 0;
    return SPARSECONV_OK;
  }
  if (result == CUDA_SUCCESS)
    return SPARSECONV_OK;
  return report(
      Context::describe(*driver, result, "the devices cannot be counted"));
}

int sparseconv_context_create(int device, sparseconv_context **context) {
  if (!context)
    return rejectNull("context");
  const DriverTable *driver = nullptr;
  std::string reason;
  if (int code = loadDriver(driver, reason))
    return report(Error(code, reason));
  std::shared_ptr<Context> impl;
  if (Error error = Context::create(*driver, device, impl))
    return report(error);
  *context = new sparseconv_context{std::move(impl)};
  return SPARSECONV_OK;
}

void sparseconv_context_destroy(sparseconv_context *context) { delete context; }

const char *sparseconv_context_chip(const sparseconv_context *context) {
  return context->impl->chip.c_str();
}

const char *sparseconv_context_device_name(const sparseconv_context *context) {
  return context->impl->deviceName.c_str();
}

int sparseconv_context_trim(sparseconv_context *context) {
  if (!context)
    return rejectNull("context");
  CurrentContext current(*context->impl);
  if (Error error = current.take())
    return report(error);
  return report(context->impl->trim());
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static int load(sparseconv_context *context, std::string bytes,
                const std::string &what, sparseconv_program **program) {
  std::shared_ptr<Program> impl;
  if (Error error = Program::load(context->impl, std::move(bytes), impl)) {
    if (!what.empty())
      error = std::move(error).within(what);
    return report(error);
  }
  *program = new sparseconv_program{std::move(impl)};
  return SPARSECONV_OK;
}

int sparseconv_program_load(sparseconv_context *context, const void *bytes,
                            uint64_t size, sparseconv_program **program) {
  if (!context || !program || (!bytes && size))
    return rejectNull("context, bytes or program");
  return load(context, std::string(static_cast<const char *>(bytes), size), "",
              program);
}

int sparseconv_program_load_file(sparseconv_context *context, const char *path,
                                 sparseconv_program **program) {
  if (!context || !path || !program)
    return rejectNull("context, path or program");
  std::ifstream file(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(file),
                    std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad())
    return report(Error(SPARSECONV_FILE_ERROR,
                        std::string(path) + ": the file cannot be read"));
  return load(context, std::move(bytes), path, program);
}

void sparseconv_program_destroy(sparseconv_program *program) { delete program; }

int sparseconv_program_bind_constant(sparseconv_program *program,
                                     const char *name, const void *bytes,
                                     uint64_t size) {
  if (!program || !name || (!bytes && size))
    return rejectNull("program, name or bytes");
  return report(program->impl->bindConstant(
      name, {static_cast<const char *>(bytes), size}));
}

int64_t sparseconv_program_num_functions(const sparseconv_program *program) {
  return program->impl->getFunctions().size();
}

const char *sparseconv_program_function_name(const sparseconv_program *program,
                                             int64_t index) {
  const auto &functions = program->impl->getFunctions();
  if (index < 0 || index >= int64_t(functions.size()))
    return nullptr;
  return functions[index].plan.name.c_str();
}

int sparseconv_program_num_values(const sparseconv_program *program,
                                  const char *function, int64_t *numInputs,
                                  int64_t *numOutputs) {
  if (!program)
    return rejectNull("program");
  return report(countValues(program->impl->getFunctions(), "program", function,
                            numInputs, numOutputs));
}

int sparseconv_program_input(const sparseconv_program *program,
                             const char *function, int64_t index,
                             sparseconv_value_info *info) {
  if (!program)
    return rejectNull("program");
  return report(describeValue(program->impl->getFunctions(), "program",
                              function, index, /*isInput=*/true, info));
}

int sparseconv_program_output(const sparseconv_program *program,
                              const char *function, int64_t index,
                              sparseconv_value_info *info) {
  if (!program)
    return rejectNull("program");
  return report(describeValue(program->impl->getFunctions(), "program",
                              function, index, /*isInput=*/false, info));
}

//===----------------------------------------------------------------------===//
// Instances
//===----------------------------------------------------------------------===//

int sparseconv_instance_create(sparseconv_program *program,
                               const char *function, const int64_t *capacities,
                               int64_t numCapacities, uint32_t flags,
                               sparseconv_instance **instance) {
  if (!instance || (!capacities && numCapacities))
    return rejectNull("capacities or instance");
  if (!program)
    return rejectNull("program");
  const Program::Function *found = nullptr;
  if (Error error = findFunction(program->impl->getFunctions(), "program",
                                 function, found))
    return report(error);
  if (flags & ~uint32_t(SPARSECONV_POISON | SPARSECONV_SYNCHRONOUS))
    return report(invalidArgument("unknown flags " + to_string(flags)));
  if (numCapacities != int64_t(found->numCapacities))
    return report(invalidArgument(
        std::string("function '") + function + "' has " +
        to_string(found->numCapacities) + " dynamic dimensions, but " +
        to_string(numCapacities) + " capacities are given"));
  plan::Capacities sizes = found->inputSizes;
  for (std::vector<int64_t> &dims : sizes)
    for (int64_t &size : dims) {
      if (size != plan::kDynamic)
        continue;
      size = *capacities++;
      if (size < 0)
        return report(invalidArgument("a capacity is " + to_string(size)));
    }
  std::unique_ptr<Instance> impl;
  if (Error error = Instance::create(program->impl, *found, sizes, flags, impl))
    return report(error);
  *instance = new sparseconv_instance{std::move(impl)};
  return SPARSECONV_OK;
}

void sparseconv_instance_destroy(sparseconv_instance *instance) {
  delete instance;
}

int sparseconv_instance_describe(const sparseconv_instance *instance,
                                 sparseconv_instance_info *info) {
  if (!instance || !info)
    return rejectNull("instance or info");
  const plan::Layout &layout = instance->impl->getLayout();
  *info = {uint64_t(layout.arenaBytes), uint64_t(layout.scratchBytes),
           int64_t(layout.steps.size()),
           int32_t(instance->impl->getFunction().numStreams)};
  return SPARSECONV_OK;
}

int sparseconv_instance_run(sparseconv_instance *instance,
                            sparseconv_stream stream,
                            const sparseconv_tensor *inputs, int64_t numInputs,
                            const sparseconv_tensor *outputs,
                            int64_t numOutputs) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->run(static_cast<CUstream>(stream),
                                    {inputs, numInputs},
                                    {outputs, numOutputs}));
}

int sparseconv_instance_capture(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t numInputs,
                                const sparseconv_tensor *outputs,
                                int64_t numOutputs) {
  if (!instance)
    return rejectNull("instance");
  return report(
      instance->impl->capture({inputs, numInputs}, {outputs, numOutputs}));
}

int sparseconv_instance_replay(sparseconv_instance *instance,
                               sparseconv_stream stream,
                               const sparseconv_tensor *inputs,
                               int64_t numInputs) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->replay(static_cast<CUstream>(stream),
                                       {inputs, numInputs}));
}

int sparseconv_instance_run_host(sparseconv_instance *instance,
                                 const sparseconv_tensor *inputs,
                                 int64_t numInputs) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->runHost({inputs, numInputs}));
}

int sparseconv_instance_results(sparseconv_instance *instance, int wait) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->getResults(wait != 0));
}

int sparseconv_instance_output_capacity(sparseconv_instance *instance,
                                        int64_t index, int64_t *sizes,
                                        uint64_t *bytes) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->getOutputCapacity(index, sizes, bytes));
}

int sparseconv_instance_output(sparseconv_instance *instance, int64_t index,
                               int64_t *sizes, uint64_t *bytes, void **data) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->getOutput(index, sizes, bytes, data));
}

int sparseconv_instance_read_output(sparseconv_instance *instance,
                                    int64_t index, void *host, uint64_t bytes) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->readOutput(index, host, bytes));
}

int sparseconv_instance_input_buffer(sparseconv_instance *instance,
                                     int64_t index, void **data,
                                     uint64_t *bytes) {
  if (!instance)
    return rejectNull("instance");
  return report(instance->impl->getInputBuffer(index, data, bytes));
}

//===----------------------------------------------------------------------===//
// Profiles
//===----------------------------------------------------------------------===//

int sparseconv_instance_step(const sparseconv_instance *instance, int64_t index,
                             sparseconv_step_info *info) {
  if (!instance || !info)
    return rejectNull("instance or info");
  return report(instance->impl->describeStep(index, *info));
}

int sparseconv_instance_profile(sparseconv_instance *instance,
                                const sparseconv_tensor *inputs,
                                int64_t numInputs, double *times) {
  if (!instance || !times)
    return rejectNull("instance or times");
  return report(instance->impl->profile({inputs, numInputs}, times));
}
