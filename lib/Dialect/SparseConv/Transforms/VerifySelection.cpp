//===- VerifySelection.cpp - checks decisions against a chip --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemms.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Kernels/GatherGemm.h"
#include "sparseconv/Kernels/LoopBuilder.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVVERIFYSELECTION
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct VerifySelection
    : mlir::sparseconv::impl::SparseConvVerifySelectionBase<VerifySelection> {
  void runOnOperation() override {
    if (getLoopTarget(getOperation()) != LoopTarget::GPU)
      return;
    StringRef name = getChipName(getOperation());
    const GpuChip *chip = GpuChip::find(name);
    if (!chip) {
      getOperation()->emitError("no table of the chip '") << name << "'";
      return signalPassFailure();
    }
    bool isValid = true;
    auto verify = [&](auto op, ShapedType weights, Type features,
                      bool isTransposed) {
      auto tiling = dyn_cast_if_present<GemmTilingAttr>(op.getTilingAttr());
      // What is missing, or for another target, the conversion refuses.
      if (!tiling || !op.getDataflow())
        return;
      auto config =
          getTiledGemm(tiling, *op.getDataflow(), weights, isTransposed);
      std::string problem = config.verify(*chip);
      if (problem.empty() && tiling.getStrategy() != GemmStrategy::Fma &&
          features != weights.getElementType())
        problem = "tensor cores take features and weights of one type";
      if (problem.empty() && config.element == GemmElement::TF32 &&
          !op.getAllowTf32())
        problem = "tensor cores multiply f32 in tf32, which the operation does "
                  "not allow (tf32 = allowed)";
      if (problem.empty())
        return;
      isValid = false;
      op.emitOpError("does not run on ")
          << name << " with " << tiling << ": " << problem;
    };
    forEachImplicitGemm(getOperation(), verify);
    if (!isValid)
      signalPassFailure();
  }
};
} // namespace
