//===- Program.cpp - a plan loaded into a context -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

/// More than this per block has to be asked for.
static constexpr uint32_t kDefaultSharedBytes = 48 * 1024;
/// Clusters of more blocks have to be asked for.
static constexpr uint32_t kPortableCluster = 8;

Error Program::load(std::shared_ptr<Context> context, std::string file,
                    std::shared_ptr<Program> &program) {
  std::shared_ptr<Program> result(
      new Program(std::move(context), std::move(file)));
  if (Error error = result->initialise())
    return error;
  program = std::move(result);
  return Error::success();
}

/// Leaves all steps in the caller's stream.
static void keepInOrder(plan::Function &function) {
  function.numStreams = 1;
  for (plan::Step &step : function.steps)
    step.stream = 0;
}

Error Program::initialise() {
  std::string reason;
  std::optional<plan::Plan> parsed = plan::parse(file, reason);
  if (!parsed)
    return Error(SPARSECONV_INVALID_PLAN, reason);
  plan = std::move(*parsed);
  if (plan.isForCpu())
    return Error(SPARSECONV_WRONG_CHIP, "the plan is for CPUs, not for a GPU");
  for (plan::Function &function : plan.functions)
    if (isShort(function))
      keepInOrder(function);
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
  std::vector<uint32_t> clusters(plan.kernels.size(), 1);
  for (const plan::Function &function : plan.functions)
    for (const plan::Step &step : function.steps)
      if (step.kind == plan::Step::Kind::Launch)
        clusters[step.kernel] = std::max(clusters[step.kernel], step.cluster);
  for (size_t i = 0; i != plan.kernels.size(); ++i)
    if (Error error = loadKernel(plan.kernels[i], clusters[i]))
      return std::move(error).within("kernel '" + plan.kernels[i].name + "'");
  return checkLaunches();
}

/// The places of a kernel's parameters, as the driver knows them.
Error Program::askForPlaces(size_t kernel, plan::ParamPlaces &places) const {
  for (size_t i = 0;; ++i) {
    size_t offset = 0, size = 0;
    CUresult result =
        context->driver.cuFuncGetParamInfo(kernels[kernel], i, &offset, &size);
    if (result == CUDA_ERROR_INVALID_VALUE) // there are no more
      return Error::success();
    if (Error error = context->check(result, "asking for its parameters"))
      return std::move(error).within("kernel '" + plan.kernels[kernel].name +
                                     "'");
    places.push_back({offset, size});
  }
}

/// Whether each launch passes what its kernel takes. Of what PTX declares
/// plan::verify has said so. Otherwise the driver knows, unless it is an older
/// one. It is not asked without need: the end of a list is an error of its
/// interface, which tools report.
Error Program::checkLaunches() {
  if (!context->driver.cuFuncGetParamInfo)
    return Error::success();
  std::vector<std::optional<plan::ParamPlaces>> taken(kernels.size());
  std::vector<std::set<std::string>> declared(modules.size());
  for (size_t m = 0; m != modules.size(); ++m)
    if (modules[m]->kind == plan::Image::Kind::Ptx)
      declared[m] = plan::getDeclaredKernels(plan.modules[m]);
  for (size_t k = 0; k != kernels.size(); ++k) {
    const plan::Kernel &kernel = plan.kernels[k];
    if (!declared[kernel.module].count(kernel.name))
      if (Error error = askForPlaces(k, taken[k].emplace()))
        return error;
  }
  for (const plan::Function &function : plan.functions)
    for (size_t i = 0; i != function.steps.size(); ++i) {
      const plan::Step &step = function.steps[i];
      if (step.kind != plan::Step::Kind::Launch || !taken[step.kernel])
        continue;
      if (auto reason = plan::compareParams(plan::getPlaces(step.params),
                                            *taken[step.kernel],
                                            plan.kernels[step.kernel].name))
        return Error(SPARSECONV_INVALID_PLAN, function.describe() + ": step " +
                                                  to_string(i) + ": " +
                                                  *reason);
    }
  return Error::success();
}

Error Program::loadKernel(const plan::Kernel &kernel, uint32_t cluster) {
  const DriverTable &driver = context->driver;
  CUfunction function = nullptr;
  if (Error error = context->check(
          driver.cuModuleGetFunction(&function, modules[kernel.module]->handle,
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
  if (cluster <= kPortableCluster)
    return Error::success();
  return context->check(
      driver.cuFuncSetAttribute(
          function, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1),
      "allowing clusters of " + to_string(cluster) + " blocks");
}

Program::~Program() {
  CurrentContext current(*context);
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
  CUresult result = CUDA_SUCCESS;
  if (!bytes.empty())
    result = context->driver.cuMemcpyHtoDAsync(
        pointer, bytes.data(), bytes.size(), context->getStream());
  if (result == CUDA_SUCCESS)
    result = context->wait();
  if (result == CUDA_SUCCESS)
    constants[index] = pointer;
  else
    context->free(pointer);
  return context->check(result, "copying " + what);
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
