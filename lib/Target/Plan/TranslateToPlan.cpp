//===- TranslateToPlan.cpp - from modules to plans ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include "ExportFunction.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Target/PTX/LowerGpuToNVVM.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "sparseconv/Target/Plan/Passes.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;

static void addHostPasses(OpPassManager &pm, unsigned maxStreams) {
  pm.addPass(createSparseConvBuildPlan());
  pm.addNestedPass<PlanFuncOp>(createCSEPass());
  pm.addPass(createSparseConvFindPreparation());
  pm.addPass(createSparseConvFindCounts());
  SparseConvSchedulePlanOptions schedule;
  schedule.streams = maxStreams;
  pm.addPass(createSparseConvSchedulePlan(schedule));
}

static void addKernelPasses(OpPassManager &pm, ArrayRef<StringRef> chips) {
  buildLowerGpuToNVVMPipeline(pm);
  SparseConvSerializeKernelsOptions serialize;
  for (StringRef chip : chips)
    serialize.chips.push_back(chip.str());
  pm.addPass(createSparseConvSerializeKernels(serialize));
}

void mlir::sparseconv::buildPlanPipeline(OpPassManager &pm,
                                         ArrayRef<StringRef> chips,
                                         unsigned maxStreams) {
  addHostPasses(pm, maxStreams);
  addKernelPasses(pm, chips);
}

static FailureOr<plan::Module> exportBinary(gpu::BinaryOp op,
                                            plan::Plan &plan) {
  plan::Module result;
  result.name = op.getName().str();
  for (auto object : op.getObjects().getAsRange<gpu::ObjectAttr>()) {
    auto target = dyn_cast<NVVM::NVVMTargetAttr>(object.getTarget());
    if (!target)
      return op.emitError("a plan has code for NVIDIA's chips only, but found ")
             << object.getTarget();
    plan::Image image;
    image.kind = object.getFormat() == gpu::CompilationTarget::Assembly
                     ? plan::Image::Kind::Ptx
                     : plan::Image::Kind::Cubin;
    image.chip = target.getChip().str();
    image.bytes = plan.keep(object.getObject().str());
    result.images.push_back(std::move(image));
  }
  return result;
}

FailureOr<plan::Plan>
mlir::sparseconv::translateToPlan(ModuleOp module, ArrayRef<StringRef> chips,
                                  unsigned maxStreams) {
  OwningOpRef<ModuleOp> lowered = module.clone();
  PassManager pm(module.getContext());
  if (lowered->getOps<PlanFuncOp>().empty())
    addHostPasses(pm, maxStreams);
  // Kernels in a module that names no target are for the default chip.
  SmallVector<StringRef> names(chips);
  if (names.empty() && !module->hasAttr(SparseConvDialect::kTargetAttrName))
    names.push_back(llvm::cantFail(findTarget("cuda")).chip);
  // What is compiled already stays as it is.
  addKernelPasses(pm, names);
  if (failed(pm.run(*lowered)))
    return failure();
  plan::Plan result;
  result.producer = "sparseconv";
  for (auto binary : lowered->getOps<gpu::BinaryOp>()) {
    FailureOr<plan::Module> exported = exportBinary(binary, result);
    if (failed(exported))
      return failure();
    result.modules.push_back(std::move(*exported));
  }
  for (auto function : lowered->getOps<PlanFuncOp>()) {
    FailureOr<plan::Function> exported = exportFunction(function, result);
    if (failed(exported))
      return failure();
    result.functions.push_back(std::move(*exported));
  }
  if (std::optional<std::string> reason = plan::verify(result))
    return module.emitError("the plan is not well formed: ") << *reason;
  return result;
}
