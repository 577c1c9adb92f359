//===- SerializeKernels.cpp - kernels as PTX ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Kernels/LoopBuilder.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "sparseconv/Target/PTX/ToPtx.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSERIALIZEKERNELS
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

// Upstream's gpu-module-to-binary would do but for three things that
// translateToPtx adds: the data layout of the target, atomics that are relaxed
// and of device scope, and mathematics without libdevice.
static LogicalResult serialize(gpu::GPUModuleOp module, StringRef chip) {
  FailureOr<std::string> text = translateToPtx(module, chip);
  if (failed(text))
    return failure();
  OpBuilder b(module);
  auto target = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                          "nvptx64-nvidia-cuda", chip);
  Attribute object = gpu::ObjectAttr::get(
      b.getContext(), target, gpu::CompilationTarget::Assembly,
      b.getStringAttr(*text), /*properties=*/nullptr, /*kernels=*/nullptr);
  gpu::BinaryOp::create(b, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr, b.getArrayAttr(object));
  module.erase();
  return success();
}

namespace {
struct SerializeKernels
    : mlir::sparseconv::impl::SparseConvSerializeKernelsBase<SerializeKernels> {
  void runOnOperation() override {
    StringRef chip = getChipName(getOperation());
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    if (chip.empty() && !modules.empty()) {
      modules.front().emitError("is for no chip: the module around it has no "
                                "'sparseconv.chip'");
      return signalPassFailure();
    }
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module, chip)))
        return signalPassFailure();
  }
};
} // namespace
