//===- Program.cpp - a plan for CPUs in this process ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "sparseconv/Runtime/CpuProgram.h"
#include "sparseconv/Support/VectorLevels.h"

using namespace sparseconv;
using namespace sparseconv::cpu;
using runtime::Error;
using runtime::invalidArgument;

Program::Program(std::string file) : file(std::move(file)) {}
Program::~Program() = default;

Error Program::load(std::string file, std::string_view level,
                    std::shared_ptr<Program> &program) {
  program.reset(new Program(std::move(file)));
  return program->initialise(level);
}

/// The image for `wanted`, or the one with the widest vectors that this
/// processor has.
static Error chooseImage(const plan::Module &module, std::string_view wanted,
                         const plan::Image *&chosen) {
  std::string levels;
  for (std::string_view level : kVectorLevels)
    for (const plan::Image &image : module.images) {
      if (image.chip != level)
        continue;
      levels += (levels.empty() ? "" : ", ") + image.chip;
      bool fits = wanted.empty() ? !chosen : level == wanted;
      if (fits && hasVectorLevel(level))
        chosen = &image;
    }
  if (chosen)
    return Error::success();
  return Error(SPARSECONV_WRONG_CHIP,
               "the plan holds code for " + levels + ", but " +
                   (wanted.empty()
                        ? std::string("this processor runs none of it")
                        : "none for '" + std::string(wanted) +
                              "' that this processor runs"));
}

Error Program::initialise(std::string_view wanted) {
  std::string reason;
  std::optional<plan::Plan> parsed = plan::parse(file, reason);
  if (!parsed)
    return Error(SPARSECONV_INVALID_PLAN, reason);
  plan = std::move(*parsed);
  if (!plan.isForCpu())
    return Error(SPARSECONV_WRONG_CHIP, "the plan is for a GPU, not for a CPU");
  const plan::Image *chosen = nullptr;
  if (Error error = chooseImage(plan.modules[0], wanted, chosen))
    return error;
  level = chosen->chip;
  if (Error error = Image::load(*chosen, image))
    return error;
  bound.resize(plan.constants.size());
  functions.reserve(plan.functions.size());
  for (const plan::Function &function : plan.functions) {
    functions.emplace_back(function);
    code.push_back(image->getFunction(*chosen->findFunction(function.name)));
  }
  return Error::success();
}

Error Program::bindConstant(const std::string &name, std::string_view bytes) {
  for (size_t i = 0; i != plan.constants.size(); ++i) {
    const plan::Constant &constant = plan.constants[i];
    if (constant.name != name || constant.inFile)
      continue;
    if (bytes.size() != constant.size ||
        plan::hashBytes(bytes) != constant.hash)
      return invalidArgument("constant '" + name +
                             "' is not what the program was compiled with");
    std::lock_guard<std::mutex> lock(mutex);
    if (bound[i].empty())
      bound[i] = bytes;
    return Error::success();
  }
  return invalidArgument("the program has no constant '" + name +
                         "' to be bound");
}

Error Program::run(size_t index, const std::vector<Array> &inputs,
                   std::unique_ptr<Call> &call) const {
  const plan::Function &function = plan.functions[index];
  for (size_t i = 0; i != inputs.size(); ++i)
    if (Error error = functions[index].checkSizes(i, inputs[i].sizes.size(),
                                                  inputs[i].sizes.data()))
      return error;
  if (Error error = functions[index].checkRows(
          [&](uint32_t input) { return inputs[input].sizes[0]; }))
    return error;
  std::vector<Array> arrays;
  std::unique_lock<std::mutex> lock(mutex);
  for (size_t i = 0; i != function.arguments.size(); ++i) {
    const plan::Buffer &buffer = function.buffers[i];
    if (buffer.kind == plan::Buffer::Kind::Input) {
      arrays.push_back(inputs[buffer.index]);
      continue;
    }
    const plan::Constant &constant = plan.constants[buffer.index];
    const std::string &own = bound[buffer.index];
    if (!constant.inFile && own.size() != constant.size)
      return invalidArgument("constant '" + constant.name +
                             "' is not in the plan and has not been bound");
    arrays.push_back({constant.inFile ? constant.bytes.data() : own.data(),
                      function.arguments[i].getSizes()});
  }
  lock.unlock();
  call = std::make_unique<Call>(function.arguments, function.outputs, arrays);
  if (uint64_t missing = call->run(code[index]))
    return Error(SPARSECONV_OUT_OF_MEMORY, describeMissing(missing));
  const StatusRecord &status = call->getStatus();
  if (status.code == 0)
    return Error::success();
  bool isCapacity = status.getCode() == StatusCode::OverCapacity;
  return Error(isCapacity ? SPARSECONV_OVER_CAPACITY : SPARSECONV_PROGRAM_ERROR,
               plan::describe(status, function.ops));
}
