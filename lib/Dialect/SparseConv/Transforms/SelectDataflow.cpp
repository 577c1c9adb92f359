//===- SelectDataflow.cpp - decides dataflows -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemms.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Kernels/GatherGemm.h"
#include "llvm/ADT/StringExtras.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTDATAFLOW
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SelectDataflow
    : mlir::sparseconv::impl::SparseConvSelectDataflowBase<SelectDataflow> {
  using SparseConvSelectDataflowBase::SparseConvSelectDataflowBase;

  void runOnOperation() override {
    if (target != "cpu" && target != "cuda") {
      getOperation()->emitError("no dataflow is known for the target '")
          << target << "'; there are: cpu, cuda";
      return signalPassFailure();
    }
    const GpuChip *gpu = nullptr;
    if (target == "cuda") {
      gpu = GpuChip::find(chip);
      if (!gpu) {
        auto names = llvm::map_range(
            GpuChip::all(), [](const GpuChip &known) { return known.name; });
        getOperation()->emitError("no chip '")
            << chip << "' is known; there are: " << llvm::join(names, ", ");
        return signalPassFailure();
      }
      getOperation()->setAttr("sparseconv.target",
                              StringAttr::get(&getContext(), target));
      getOperation()->setAttr("sparseconv.chip",
                              StringAttr::get(&getContext(), chip));
    }
    auto select = [&](auto op, int64_t splitK) {
      if (op.getDataflow())
        return;
      op.setDataflowAttr(DataflowAttr::get(&getContext(),
                                           gpu ? DataflowKind::OutputStationary
                                               : DataflowKind::WeightStationary,
                                           /*threshold=*/0, splitK));
      ++numSelected;
    };
    forEachImplicitGemm(getOperation(), [&](auto op, ShapedType weights,
                                            Type features, bool isTransposed) {
      select(op, gpu ? chooseGatherGemm(weights, isTransposed, features,
                                        op.getAllowTf32(), *gpu)
                           .splitK
                     : 1);
    });
    getOperation()->walk([&](WeightGradOp op) { select(op, /*splitK=*/1); });
  }
};
} // namespace
