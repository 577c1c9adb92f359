//===- SerializeKernels.cpp - kernels as PTX ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "sparseconv/Target/PTX/ToPtx.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSERIALIZEKERNELS
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

// Upstream's gpu-module-to-binary lacks three things that translateToPtx adds:
// the data layout of the target, atomics that are relaxed and of device scope,
// and mathematics without libdevice.
static LogicalResult serialize(gpu::GPUModuleOp module,
                               ArrayRef<std::string> chips) {
  OpBuilder b(module);
  SmallVector<Attribute> objects;
  for (const std::string &chip : chips) {
    FailureOr<std::string> text = translateToPtx(module, chip);
    if (failed(text))
      return failure();
    auto target = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                            "nvptx64-nvidia-cuda", chip);
    objects.push_back(gpu::ObjectAttr::get(
        b.getContext(), target, gpu::CompilationTarget::Assembly,
        b.getStringAttr(*text), /*properties=*/nullptr, /*kernels=*/nullptr));
  }
  gpu::BinaryOp::create(b, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr, b.getArrayAttr(objects));
  module.erase();
  return success();
}

namespace {
struct SerializeKernels
    : mlir::sparseconv::impl::SparseConvSerializeKernelsBase<SerializeKernels> {
  using SparseConvSerializeKernelsBase::SparseConvSerializeKernelsBase;

  void runOnOperation() override {
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    SmallVector<std::string> names(chips.begin(), chips.end());
    if (names.empty()) {
      Target target = getTarget(getOperation());
      if (!target.info->isGpu) {
        modules.front().emitError("is for no chip: the target of the module "
                                  "around it is ")
            << target.str();
        return signalPassFailure();
      }
      names.push_back(target.chip);
    }
    for (StringRef name : names) {
      llvm::Expected<Target> target = findTarget("cuda", name);
      if (!target) {
        modules.front().emitError(llvm::toString(target.takeError()));
        return signalPassFailure();
      }
    }
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module, names)))
        return signalPassFailure();
  }
};
} // namespace
