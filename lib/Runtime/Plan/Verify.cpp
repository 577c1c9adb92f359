//===- Verify.cpp - whether a plan is well formed -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyCpu.h"
#include "VerifySlots.h"
#include "sparseconv/Runtime/PlanParams.h"
#include "sparseconv/Support/VectorLevels.h"
#include <algorithm>
#include <set>

using namespace sparseconv::plan;
using std::to_string;
using Reason = std::optional<std::string>;

/// Launches take at most this many bytes of parameters on every chip.
static constexpr size_t kMaxParamBytes = 4096;

namespace {
/// By kernel, what each of its module's PTX images says that it takes.
using KernelPlaces = std::vector<std::vector<ParamPlaces>>;

class FunctionVerifier {
public:
  FunctionVerifier(const Plan &plan, const Function &function,
                   const KernelPlaces &taken)
      : plan(plan), function(function), taken(taken) {}

  Reason verify();

private:
  Reason verifyValues();
  Reason verifyGrowables();
  Reason verifyBuffers();
  /// An expression may refer to the growable capacities before `numGrowables`.
  Reason verifyExpr(const SizeExpr &expr, size_t numGrowables) const;
  Reason verifyExpr(const SizeExpr &expr) const {
    return verifyExpr(expr, function.growables.size());
  }
  Reason verifyStep(uint32_t index);
  Reason verifyOfKind(const Step &step, uint32_t index);
  Reason verifyPreparation(const Step &step) const;
  Reason verifyLaunch(const Step &step, uint32_t index);
  Reason verifyUse(uint32_t buffer, uint32_t step, bool writes) const;

  const Plan &plan;
  const Function &function;
  const KernelPlaces &taken;
  /// Slots that are set before the first step.
  std::set<uint32_t> setSlots;
};
} // namespace

#define RETURN_REASON(expr)                                                    \
  if (Reason reason = (expr))                                                  \
  return reason

Reason FunctionVerifier::verifyExpr(const SizeExpr &expr,
                                    size_t numGrowables) const {
  size_t depth = 0;
  for (const SizeTerm &term : expr.terms) {
    switch (term.kind) {
    case SizeTerm::Kind::Constant:
      ++depth;
      continue;
    case SizeTerm::Kind::Capacity:
      if (term.input >= function.inputs.size() ||
          term.dim >= function.inputs[term.input].dims.size())
        return "a size refers to dimension " + to_string(term.dim) +
               " of input " + to_string(term.input) + ", which is not there";
      ++depth;
      continue;
    case SizeTerm::Kind::Growable:
      if (term.growable >= numGrowables)
        return "a size refers to growable capacity " +
               to_string(term.growable) + ", which is not before it";
      ++depth;
      continue;
    case SizeTerm::Kind::Exact:
      if (term.slot >= function.slots.size())
        return "a size refers to slot " + to_string(term.slot) +
               ", which is not there";
      if (depth < 1)
        return "a size expression lacks operands";
      continue;
    default:
      if (depth < 2)
        return "a size expression lacks operands";
      --depth;
    }
  }
  if (depth != 1)
    return "a size expression does not leave one value";
  return std::nullopt;
}

Reason FunctionVerifier::verifyValues() {
  RETURN_REASON(verifyInputSlots(function, setSlots));
  for (const std::vector<Value> *values :
       {&function.inputs, &function.outputs}) {
    bool isInput = values == &function.inputs;
    for (const Value &value : *values) {
      std::string what =
          (isInput ? "input '" : "output '") + value.name + "': ";
      if (value.dims.size() > kMaxRank)
        return what + "rank " + to_string(value.dims.size()) + " is beyond " +
               to_string(kMaxRank);
      if (value.isScalar)
        return what + "a GPU takes no scalars";
      for (const Dim &dim : value.dims) {
        if (dim.size < 0 && dim.size != kDynamic)
          return what + "a dimension has size " + to_string(dim.size);
        if (dim.size != kDynamic)
          continue;
        if (!isInput && dim.slot >= function.slots.size())
          return what + "slot " + to_string(dim.slot) + " is not there";
        if (isInput && !dim.capacity.terms.empty())
          return what + "an input's dimension has an expression for capacity";
        if (!isInput)
          RETURN_REASON(verifyExpr(dim.capacity));
      }
    }
  }
  return std::nullopt;
}

Reason FunctionVerifier::verifyGrowables() {
  std::set<uint32_t> slots;
  for (size_t i = 0; i != function.growables.size(); ++i) {
    const Growable &growable = function.growables[i];
    std::string what = "growable capacity " + to_string(i) + ": ";
    if (growable.slot >= function.slots.size())
      return what + "slot " + to_string(growable.slot) + " is not there";
    if (!setSlots.insert(growable.slot).second)
      return what + "slot " + to_string(growable.slot) +
             " holds another number, too";
    slots.insert(growable.slot);
    if (growable.op >= function.ops.size())
      return what + "op " + to_string(growable.op) + " is not there";
    for (const SizeExpr *expr : {&growable.start, &growable.bound})
      if (Reason reason = verifyExpr(*expr, i))
        return what + *reason;
  }
  // What a kernel writes is no capacity.
  for (const Value &output : function.outputs)
    for (const Dim &dim : output.dims)
      if (dim.size == kDynamic && slots.count(dim.slot))
        return "output '" + output.name + "': slot " + to_string(dim.slot) +
               " holds a capacity";
  return std::nullopt;
}

Reason FunctionVerifier::verifyBuffers() {
  std::set<uint32_t> bound[2];
  for (const Buffer &buffer : function.buffers) {
    std::string what = "buffer '" + buffer.name + "': ";
    if (Reason reason = verifyExpr(buffer.bytes))
      return what + *reason;
    switch (buffer.kind) {
    case Buffer::Kind::Input:
    case Buffer::Kind::Output: {
      bool isInput = buffer.kind == Buffer::Kind::Input;
      if (buffer.index >= (isInput ? function.inputs : function.outputs).size())
        return what + "input or output " + to_string(buffer.index) +
               " is not there";
      if (!bound[isInput].insert(buffer.index).second)
        return what + "input or output " + to_string(buffer.index) +
               " has two buffers";
      break;
    }
    case Buffer::Kind::Constant:
      if (buffer.index >= plan.constants.size())
        return what + "constant " + to_string(buffer.index) + " is not there";
      if (buffer.bytes.terms.size() != 1 ||
          buffer.bytes.terms[0].kind != SizeTerm::Kind::Constant ||
          buffer.bytes.terms[0].value < 0 ||
          uint64_t(buffer.bytes.terms[0].value) !=
              plan.constants[buffer.index].size)
        return what + "its size is not that of its constant";
      break;
    case Buffer::Kind::Scratch:
    case Buffer::Kind::Prepared:
      if (buffer.firstStep > buffer.lastStep ||
          buffer.lastStep >= function.steps.size())
        return what + "lifetime [" + to_string(buffer.firstStep) + ", " +
               to_string(buffer.lastStep) + "] is not inside the " +
               to_string(function.steps.size()) + " steps";
      break;
    case Buffer::Kind::Persistent:
      break;
    }
  }
  if (bound[1].size() != function.inputs.size() ||
      bound[0].size() != function.outputs.size())
    return std::string("an input or output has no buffer");
  return std::nullopt;
}

Reason FunctionVerifier::verifyUse(uint32_t index, uint32_t step,
                                   bool writes) const {
  if (index >= function.buffers.size())
    return "buffer " + to_string(index) + " is not there";
  const Buffer &buffer = function.buffers[index];
  if ((buffer.kind == Buffer::Kind::Scratch ||
       buffer.kind == Buffer::Kind::Prepared) &&
      (step < buffer.firstStep || step > buffer.lastStep))
    return "buffer '" + buffer.name + "' is used outside its lifetime";
  if (writes && (buffer.kind == Buffer::Kind::Input ||
                 buffer.kind == Buffer::Kind::Constant))
    return "buffer '" + buffer.name + "' is written, but only to be read";
  return std::nullopt;
}

Reason FunctionVerifier::verifyLaunch(const Step &step, uint32_t index) {
  if (step.kernel >= plan.kernels.size())
    return "kernel " + to_string(step.kernel) + " is not there";
  const Kernel &kernel = plan.kernels[step.kernel];
  RETURN_REASON(verifyExpr(step.gridX));
  RETURN_REASON(verifyExpr(step.gridY));
  if (step.blockX < 1 || step.blockX > 1024)
    return "a block of " + to_string(step.blockX) + " threads";
  if (step.cluster < 1 || step.cluster > 16)
    return "a cluster of " + to_string(step.cluster) + " blocks";
  if (step.dynamicSharedBytes > kernel.dynamicSharedBytes)
    return "the launch asks for " + to_string(step.dynamicSharedBytes) +
           " bytes of shared memory, kernel '" + kernel.name + "' says " +
           to_string(kernel.dynamicSharedBytes);
  ParamPlaces places = getPlaces(step.params);
  for (const Param &param : step.params) {
    if (param.kind == Param::Kind::Buffer) {
      RETURN_REASON(verifyUse(param.index, index, /*writes=*/false));
      RETURN_REASON(verifyExpr(param.expr));
    }
    if (param.kind == Param::Kind::Capacity)
      RETURN_REASON(verifyExpr(param.expr));
    if (param.kind == Param::Kind::Slot && param.index >= function.slots.size())
      return "slot " + to_string(param.index) + " is not there";
    if (param.kind == Param::Kind::I32 &&
        (param.value < INT32_MIN || param.value > int64_t(UINT32_MAX)))
      return "parameter value " + to_string(param.value) +
             " does not fit 32 bits";
  }
  if (getBlockBytes(places) > kMaxParamBytes)
    return to_string(getBlockBytes(places)) +
           " bytes of parameters are more than " + to_string(kMaxParamBytes);
  for (const ParamPlaces &kernelPlaces : taken[step.kernel])
    RETURN_REASON(compareParams(places, kernelPlaces, kernel.name));
  return std::nullopt;
}

static bool hasStatus(const Step &step) {
  return std::any_of(
      step.params.begin(), step.params.end(),
      [](const Param &param) { return param.kind == Param::Kind::Status; });
}

/// What a step of preparation uses is there ahead of a run.
Reason FunctionVerifier::verifyPreparation(const Step &step) const {
  // Reports are in the order of the program, whichever step they are of.
  for (uint32_t dependency : step.dependencies)
    if (!function.steps[dependency].prepares &&
        !(hasStatus(step) && hasStatus(function.steps[dependency])))
      return "it prepares, but depends on step " + to_string(dependency) +
             ", which does not";
  Reason reason;
  forEachBuffer(step, [&](uint32_t index) {
    const Buffer &buffer = function.buffers[index];
    if (buffer.kind != Buffer::Kind::Constant &&
        buffer.kind != Buffer::Kind::Prepared &&
        buffer.kind != Buffer::Kind::Input)
      reason = "it prepares, but uses buffer '" + buffer.name + "' of a run";
  });
  return reason;
}

Reason FunctionVerifier::verifyStep(uint32_t index) {
  const Step &step = function.steps[index];
  if (step.op != kNone && step.op >= function.ops.size())
    return "op " + to_string(step.op) + " is not there";
  if (step.stream >= function.numStreams)
    return "stream " + to_string(step.stream) + " is not there";
  for (uint32_t dependency : step.dependencies)
    if (dependency >= index)
      return "it depends on step " + to_string(dependency) +
             ", which is not before it";
  if (step.counts)
    for (uint32_t dependency : step.dependencies)
      if (!function.steps[dependency].counts)
        return "it counts, but depends on step " + to_string(dependency) +
               ", which does not";
  RETURN_REASON(verifyOfKind(step, index));
  if (step.prepares)
    RETURN_REASON(verifyPreparation(step));
  return std::nullopt;
}

Reason FunctionVerifier::verifyOfKind(const Step &step, uint32_t index) {
  if (step.kind == Step::Kind::Launch)
    return verifyLaunch(step, index);
  RETURN_REASON(verifyUse(step.target, index, /*writes=*/true));
  RETURN_REASON(verifyExpr(step.targetOffset));
  RETURN_REASON(verifyExpr(step.bytes));
  if (step.kind == Step::Kind::Copy) {
    RETURN_REASON(verifyUse(step.source, index, /*writes=*/false));
    RETURN_REASON(verifyExpr(step.sourceOffset));
  } else if (step.valueBytes != 1 && step.valueBytes != 4) {
    return "a memset of " + to_string(step.valueBytes) + "-byte values";
  }
  return std::nullopt;
}

Reason FunctionVerifier::verify() {
  if (function.name.empty())
    return std::string("it has no name");
  if (function.numStreams < 1 || function.numStreams > kMaxStreams)
    return "it has " + to_string(function.numStreams) +
           " streams, expected 1 to " + to_string(kMaxStreams);
  if (!function.arguments.empty())
    return std::string("it has arguments of code for CPUs");
  RETURN_REASON(verifyValues());
  RETURN_REASON(verifyGrowables());
  RETURN_REASON(verifyBuffers());
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    if (Reason reason = verifyStep(i))
      return "step " + to_string(i) + ": " + *reason;
  return std::nullopt;
}

/// "sm_90", "sm_90a", "sm_100f".
static bool isChip(const std::string &chip) {
  if (chip.size() < 5 || chip.size() > 8 || chip.compare(0, 3, "sm_") != 0)
    return false;
  size_t end = chip.find_first_not_of("0123456789", 3);
  if (end == std::string::npos)
    return true;
  return end >= 5 && end + 1 == chip.size() &&
         (chip[end] == 'a' || chip[end] == 'f');
}

/// A kernel that no PTX declares, or none that can be read, is left to the
/// driver.
static KernelPlaces readKernelPlaces(const Plan &plan) {
  KernelPlaces taken(plan.kernels.size());
  std::vector<std::vector<size_t>> byModule(plan.modules.size());
  for (size_t k = 0; k != plan.kernels.size(); ++k)
    byModule[plan.kernels[k].module].push_back(k);
  for (size_t m = 0; m != plan.modules.size(); ++m)
    for (const Image &image : plan.modules[m].images) {
      if (image.kind != Image::Kind::Ptx || byModule[m].empty())
        continue;
      std::map<std::string, ParamPlaces> found = readPtxKernels(image.bytes);
      for (size_t k : byModule[m])
        if (auto it = found.find(plan.kernels[k].name); it != found.end())
          taken[k].push_back(it->second);
    }
  return taken;
}

static Reason verifyModule(const Module &module, bool isForCpu) {
  std::string what = "module '" + module.name + "'";
  if (module.images.empty())
    return what + " has no code";
  for (const Image &image : module.images) {
    if ((image.kind == Image::Kind::MachineCode) != isForCpu)
      return what + " has code for CPUs and for GPUs";
    if (isForCpu ? !sparseconv::isVectorLevel(image.chip) : !isChip(image.chip))
      return what + ": '" + image.chip + "' is no " +
             (isForCpu ? "vector level such as avx2" : "chip such as sm_90a");
    if (image.bytes.empty())
      return what + ": the code for " + image.chip + " is empty";
    if (isForCpu)
      if (Reason reason = verifyMachineCode(image))
        return what + ": the code for " + image.chip + ": " + *reason;
  }
  return std::nullopt;
}

Reason sparseconv::plan::verify(const Plan &plan) {
  bool isForCpu = plan.isForCpu();
  for (const Module &module : plan.modules)
    RETURN_REASON(verifyModule(module, isForCpu));
  if (isForCpu && (plan.modules.size() != 1 || !plan.kernels.empty()))
    return std::string("a plan for CPUs has more than one module, or kernels");
  for (const Kernel &kernel : plan.kernels) {
    if (kernel.name.empty())
      return std::string("a kernel has no name");
    if (kernel.module >= plan.modules.size())
      return "kernel '" + kernel.name + "': module " +
             to_string(kernel.module) + " is not there";
  }
  std::set<std::string_view> names;
  for (const Constant &constant : plan.constants) {
    if (!names.insert(constant.name).second)
      return "two constants are named '" + constant.name + "'";
    if (constant.size > uint64_t(INT64_MAX) ||
        (constant.inFile && constant.bytes.size() != constant.size))
      return "constant '" + constant.name + "' has " +
             to_string(constant.bytes.size()) + " bytes, not its size of " +
             to_string(constant.size);
  }
  KernelPlaces taken = readKernelPlaces(plan);
  names.clear();
  for (const Function &function : plan.functions) {
    if (!names.insert(function.name).second)
      return "two functions are named '" + function.name + "'";
    if (Reason reason = isForCpu
                            ? verifyCpuFunction(plan, function)
                            : FunctionVerifier(plan, function, taken).verify())
      return "function '" + function.name + "': " + *reason;
  }
  return std::nullopt;
}
