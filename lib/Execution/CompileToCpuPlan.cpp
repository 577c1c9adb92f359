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
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/Sequence.h"
#include <set>

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;
using llvm::orc::JITTargetMachineBuilder;

/// Gives the dynamic dimensions of the last input slots: its rows that of
/// another which has as many.
static void addSlots(plan::Function &function,
                     std::optional<unsigned> equalRows) {
  plan::Value &input = function.inputs.back();
  for (auto [axis, dim] : llvm::enumerate(input.dims)) {
    if (dim.size != plan::kDynamic)
      continue;
    if (axis == 0 && equalRows) {
      dim.slot = function.inputs[*equalRows].dims[0].slot;
      continue;
    }
    dim.slot = function.slots.size();
    function.slots.push_back(input.name + "." + std::to_string(axis));
  }
}

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
  for (auto [parameter, value] :
       llvm::zip_equal(signature.arguments, toValues(signature.arguments))) {
    addBuffer(plan::Buffer::Kind::Input, value, function.inputs.size());
    function.inputs.push_back(value);
    addSlots(function, parameter.equalRows);
    function.arguments.push_back(std::move(value));
  }
  for (plan::Value &value : toValues(signature.results)) {
    addBuffer(plan::Buffer::Kind::Output, value, function.outputs.size());
    function.outputs.push_back(std::move(value));
  }
  return function;
}

namespace {
/// What compiling for one vector level leaves.
struct CompiledLevel {
  CpuCode code;
  LinkedImage linked;
};
} // namespace

static llvm::Expected<CompiledLevel>
compileLevel(ModuleOp module, const JITTargetMachineBuilder &machine,
             StringRef level, const CpuOptions &options) {
  llvm::Expected<CpuCode> code = CpuCode::compile(
      module, machine, level, options, CpuCode::Form::Complete);
  if (!code)
    return code.takeError();
  llvm::Expected<LinkedImage> linked = linkImage(*code->objects.front());
  if (!linked)
    return linked.takeError();
  linked->image.chip = level.str();
  return CompiledLevel{std::move(*code), std::move(*linked)};
}

/// Compiles for each level at a time, on the threads of the context.
static llvm::Expected<std::vector<CompiledLevel>>
compileLevels(ModuleOp module, ArrayRef<StringRef> levels,
              const CpuOptions &options) {
  std::vector<JITTargetMachineBuilder> machines;
  for (StringRef level : levels) {
    auto machine = describeLevel(level);
    if (!machine)
      return machine.takeError();
    machines.push_back(std::move(*machine));
  }
  MLIRContext *context = module.getContext();
  loadCpuDialects(*context);
  // What is wrong with a network is so for every level, and said once.
  std::set<std::string> said;
  ScopedDiagnosticHandler once(context, [&](Diagnostic &diagnostic) {
    std::string text;
    llvm::raw_string_ostream(text) << diagnostic.getLocation() << diagnostic
                                   << int(diagnostic.getSeverity());
    return success(!said.insert(text).second);
  });
  [[maybe_unused]] size_t numLoaded = context->getLoadedDialects().size();
  std::vector<CompiledLevel> compiled(levels.size());
  std::vector<std::string> problems(levels.size());
  LogicalResult result = failableParallelForEach(
      context, llvm::seq<size_t>(0, levels.size()), [&](size_t i) {
        auto level = compileLevel(module, machines[i], levels[i], options);
        if (level)
          compiled[i] = std::move(*level);
        else
          problems[i] = llvm::toString(level.takeError());
        return success(problems[i].empty());
      });
  assert(numLoaded == context->getLoadedDialects().size() &&
         "loading a dialect is no work for several threads");
  if (succeeded(result))
    return compiled;
  return llvm::createStringError(*llvm::find_if(
      problems, [](const std::string &text) { return !text.empty(); }));
}

llvm::Expected<plan::Plan>
mlir::sparseconv::compileToCpuPlan(ModuleOp module, ArrayRef<StringRef> levels,
                                   const PlanOptions &options) {
  CpuOptions cpuOptions;
  cpuOptions.allowKernels = options.allowKernels;
  cpuOptions.selection = options.selection;
  cpuOptions.trustTables = options.trustTables;
  auto compiled = compileLevels(module, levels, cpuOptions);
  if (!compiled)
    return compiled.takeError();
  plan::Plan result;
  result.producer = "sparseconv";
  plan::Module &code = result.modules.emplace_back();
  code.name = "network";
  for (CompiledLevel &level : *compiled) {
    level.linked.image.bytes = result.keep(std::move(level.linked.bytes));
    code.images.push_back(std::move(level.linked.image));
  }
  // The same for every level.
  for (auto &[name, signature] : compiled->front().code.signatures)
    result.functions.push_back(
        describeFunction(name, signature, compiled->front().code.operations));
  return result;
}
