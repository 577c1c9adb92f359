//===- TranslateToPlan.cpp - from modules to plans ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include "TranslateFunction.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Target/PTX/LowerGpuToNVVM.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/KernelTraits.h"
#include <deque>
#include <map>

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;

/// "net.mlir:3:8" of the first place in a file that a location has, or "".
static std::string getPlace(Location location) {
  std::string place;
  location->walk([&](Location part) {
    auto file = dyn_cast<FileLineColLoc>(part);
    if (!file)
      return WalkResult::advance();
    place = (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
             Twine(file.getColumn()))
                .str();
    return WalkResult::interrupt();
  });
  return place;
}

/// Where the function that everything is inlined into has it.
static Location getOutermost(Location location) {
  while (auto call = dyn_cast<CallSiteLoc>(location))
    location = call.getCaller();
  return location;
}

/// Says of each launch which operation it belongs to: one of `ops`, found by
/// its location, or one without a name. A function that is called twice makes
/// two of each, as they are two layers of a network.
static void nameSteps(func::FuncOp function, const plan::Plan &plan,
                      const std::vector<plan::Op> &ops,
                      plan::Function &result) {
  // Launches of one kernel are steps in their order.
  llvm::StringMap<std::deque<Location>> locations;
  function.walk([&](gpu::LaunchFuncOp op) {
    locations[op.getKernelName()].push_back(op.getLoc());
  });
  result.ops = ops;
  llvm::StringMap<std::string> names;
  std::map<std::pair<std::string, std::string>, uint32_t> numbers;
  for (auto [number, op] : llvm::enumerate(ops)) {
    names.try_emplace(op.location, op.name);
    numbers.try_emplace({op.name, op.location}, number);
  }
  for (plan::Step &step : result.steps) {
    if (step.kind != plan::Step::Kind::Launch)
      continue;
    std::deque<Location> &left = locations[plan.kernels[step.kernel].name];
    if (left.empty())
      continue;
    Location location = left.front();
    left.pop_front();
    plan::Op op{names.lookup(getPlace(location)),
                getPlace(getOutermost(location))};
    if (op.location.empty())
      continue;
    auto [it, isNew] =
        numbers.try_emplace({op.name, op.location}, result.ops.size());
    if (isNew)
      result.ops.push_back(op);
    step.op = it->second;
  }
}

FailureOr<plan::Plan>
mlir::sparseconv::translateToPlan(ModuleOp module, ArrayRef<StringRef> chips,
                                  unsigned maxStreams) {
  plan::Plan result;
  result.producer = "sparseconv";
  llvm::StringMap<uint32_t> kernels;
  SmallVector<KernelTraits> traits;

  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager pm(module.getContext());
  buildLowerGpuToNVVMPipeline(pm);
  if (failed(pm.run(*lowered)))
    return failure();
  for (auto source : lowered->getOps<gpu::GPUModuleOp>()) {
    plan::Module target;
    target.name = source.getName().str();
    for (StringRef chip : chips) {
      FailureOr<std::string> text = translateToPtx(source, chip);
      if (failed(text))
        return failure();
      plan::Image image;
      image.chip = chip.str();
      image.bytes = result.keep(std::move(*text));
      target.images.push_back(image);
    }
    result.modules.push_back(std::move(target));
  }
  for (auto [number, source] :
       llvm::enumerate(module.getOps<gpu::GPUModuleOp>()))
    for (auto kernel : source.getOps<gpu::GPUFuncOp>()) {
      kernels[kernel.getName()] = result.kernels.size();
      plan::Kernel entry;
      entry.name = kernel.getName().str();
      entry.module = number;
      result.kernels.push_back(entry);
      traits.push_back(getKernelTraits(kernel));
    }

  std::vector<plan::Op> ops;
  if (auto table = module->getAttrOfType<ArrayAttr>("sparseconv.op_table"))
    for (Attribute entry : table) {
      auto pair = cast<ArrayAttr>(entry);
      plan::Op op;
      op.name = cast<StringAttr>(pair[0]).str();
      op.location = getPlace(cast<LocationAttr>(pair[1]));
      ops.push_back(std::move(op));
    }
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration())
      continue;
    FailureOr<plan::Function> translated =
        translateFunction(function, result, kernels);
    if (failed(translated))
      return failure();
    nameSteps(function, result, ops, *translated);
    scheduleSteps(*translated, traits, maxStreams);
    result.functions.push_back(std::move(*translated));
  }
  if (std::optional<std::string> reason = plan::verify(result))
    return module.emitError("the plan is not well formed: ") << *reason;
  return result;
}
