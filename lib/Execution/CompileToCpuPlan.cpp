//===- CompileToCpuPlan.cpp - from a network to a plan for CPUs -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CompileToCpuPlan.h"
#include "CpuCode.h"
#include "LinkImage.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;

static plan::Function describeFunction(StringRef name,
                                       const Signature &signature,
                                       std::vector<plan::Op> operations) {
  plan::Function function;
  function.name = name.str();
  function.ops = std::move(operations);
  auto addBuffer = [&](plan::Buffer::Kind kind, const plan::Value &value,
                       uint32_t index) {
    plan::Buffer &buffer = function.buffers.emplace_back();
    buffer.name = value.name;
    buffer.kind = kind;
    buffer.index = index;
  };
  for (plan::Value &value : toValues(signature.arguments)) {
    addBuffer(plan::Buffer::Kind::Input, value, function.inputs.size());
    function.inputs.push_back(value);
    function.arguments.push_back(std::move(value));
  }
  for (plan::Value &value : toValues(signature.results)) {
    addBuffer(plan::Buffer::Kind::Output, value, function.outputs.size());
    function.outputs.push_back(std::move(value));
  }
  return function;
}

llvm::Expected<plan::Plan>
mlir::sparseconv::compileToCpuPlan(ModuleOp module, ArrayRef<StringRef> levels,
                                   const PlanOptions &options) {
  plan::Plan result;
  result.producer = "sparseconv";
  plan::Module &code = result.modules.emplace_back();
  code.name = "network";
  CpuOptions cpuOptions;
  cpuOptions.allowKernels = options.allowKernels;
  cpuOptions.selection = options.selection;
  for (StringRef level : levels) {
    auto machine = describeLevel(level);
    if (!machine)
      return machine.takeError();
    llvm::Expected<CpuCode> compiled = CpuCode::compile(
        module, *machine, level, cpuOptions, CpuCode::Form::Complete);
    if (!compiled)
      return compiled.takeError();
    llvm::Expected<plan::Image> image =
        linkImage(*compiled->objects.front(), result);
    if (!image)
      return image.takeError();
    image->chip = level.str();
    code.images.push_back(std::move(*image));
    if (!result.functions.empty())
      continue;
    for (auto &[name, signature] : compiled->signatures)
      result.functions.push_back(
          describeFunction(name, signature, compiled->operations));
  }
  return result;
}
