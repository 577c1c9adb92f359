//===- Program.cpp - a plan loaded into a context -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

/// More than this per block has to be asked for.
static constexpr uint32_t kDefaultSharedBytes = 48 * 1024;
/// Clusters of more blocks have to be asked for.
static constexpr uint32_t kPortableCluster = 8;

static std::vector<int64_t> getSizes(const plan::Value &value) {
  std::vector<int64_t> sizes;
  for (const plan::Dim &dim : value.dims)
    sizes.push_back(dim.size);
  return sizes;
}

Program::Function::Function(const plan::Function &function)
    : plan(function), schedule(function) {
  for (const plan::Value &input : function.inputs) {
    inputSizes.push_back(getSizes(input));
    for (int64_t size : inputSizes.back())
      numCapacities += size == plan::kDynamic;
  }
  for (const plan::Value &output : function.outputs)
    outputSizes.push_back(getSizes(output));
}

Error Program::load(std::shared_ptr<Context> context, std::string file,
                    std::shared_ptr<Program> &program) {
  std::shared_ptr<Program> result(
      new Program(std::move(context), std::move(file)));
  if (Error error = result->initialise())
    return error;
  program = std::move(result);
  return Error::success();
}

Error Program::initialise() {
  std::string reason;
  std::optional<plan::Plan> parsed = plan::parse(file, reason);
  if (!parsed)
    return Error(SPARSECONV_INVALID_PLAN, reason);
  plan = std::move(*parsed);
  functions.reserve(plan.functions.size());
  for (const plan::Function &function : plan.functions)
    functions.emplace_back(function);
  constants.resize(plan.constants.size());

  CurrentContext current(*context);
  if (Error error = current.take())
    return error;
  for (const plan::Module &module : plan.modules)
    if (Error error = context->loadModule(module, modules.emplace_back()))
      return error;
  for (const plan::Kernel &kernel : plan.kernels)
    if (Error error = loadKernel(kernel))
      return std::move(error).within("kernel '" + kernel.name + "'");
  return Error::success();
}

Error Program::loadKernel(const plan::Kernel &kernel) {
  const DriverTable &driver = context->driver;
  CUfunction function = nullptr;
  if (Error error = context->check(
          driver.cuModuleGetFunction(&function, modules[kernel.module]->get(),
                                     kernel.name.c_str()),
          "it is not found in its module"))
    return error;
  kernels.push_back(function);
  uint64_t shared =
      uint64_t(kernel.staticSharedBytes) + kernel.dynamicSharedBytes;
  if (shared > uint64_t(std::max(context->maxSharedBytes, 0)))
    return Error(SPARSECONV_WRONG_CHIP,
                 "it needs " + to_string(shared) +
                     " bytes of shared memory, a block on " + context->chip +
                     " (" + context->deviceName + ") has at most " +
                     to_string(context->maxSharedBytes));
  if (shared > kDefaultSharedBytes)
    if (Error error = context->check(
            driver.cuFuncSetAttribute(
                function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                static_cast<int>(kernel.dynamicSharedBytes)),
            "setting its shared memory to " +
                to_string(kernel.dynamicSharedBytes) + " bytes"))
      return error;
  uint32_t cluster = 1;
  for (const plan::Function &other : plan.functions)
    for (const plan::Step &step : other.steps)
      if (step.kind == plan::Step::Kind::Launch &&
          &plan.kernels[step.kernel] == &kernel)
        cluster = std::max(cluster, step.cluster);
  if (cluster <= kPortableCluster)
    return Error::success();
  return context->check(
      driver.cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
      "allowing clusters of " + to_string(cluster) + " blocks");
}

Program::~Program() {
  CurrentContext current(*context);
  (void)current.take();
  for (CUdeviceptr pointer : constants)
    context->free(pointer);
  modules.clear();
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

Error Program::upload(uint32_t index, std::string_view bytes) {
  std::string what = "constant '" + plan.constants[index].name + "'";
  CUdeviceptr pointer;
  if (Error error = context->allocate(bytes.size(), what, pointer))
    return error;
  Error error = Error::success();
  if (!bytes.empty())
    error = context->check(
        context->driver.cuMemcpyHtoDAsync(pointer, bytes.data(), bytes.size(),
                                          context->getStream()),
        "copying " + what);
  if (!error)
    error = context->synchronise("copying " + what);
  if (error) {
    context->free(pointer);
    return error;
  }
  constants[index] = pointer;
  return error;
}

Error Program::bindConstant(const std::string &name, std::string_view bytes) {
  uint32_t index = 0;
  while (index != plan.constants.size() && plan.constants[index].name != name)
    ++index;
  if (index == plan.constants.size())
    return invalidArgument("the program has no constant '" + name + "'");
  const plan::Constant &constant = plan.constants[index];
  if (constant.inFile)
    return invalidArgument("constant '" + name + "' is inside the plan");
  if (bytes.size() != constant.size)
    return invalidArgument("constant '" + name + "' has " +
                           to_string(constant.size) + " bytes, not " +
                           to_string(bytes.size()));
  if (plan::hashBytes(bytes) != constant.hash)
    return invalidArgument("the data of constant '" + name +
                           "' is not what the program was compiled with");
  std::lock_guard<std::mutex> lock(mutex);
  if (constants[index])
    return Error::success();
  CurrentContext current(*context);
  if (Error error = current.take())
    return error;
  return upload(index, bytes);
}

Error Program::getConstant(uint32_t index, CUdeviceptr &pointer) {
  const plan::Constant &constant = plan.constants[index];
  std::lock_guard<std::mutex> lock(mutex);
  if (!constants[index] && !constant.inFile)
    return invalidArgument("constant '" + constant.name +
                           "' is by reference: bind its data first");
  if (!constants[index])
    if (Error error = upload(index, constant.bytes))
      return error;
  pointer = constants[index];
  return Error::success();
}
