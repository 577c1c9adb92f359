//===- SelectDataflow.cpp - decides dataflows -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

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
    if (target == "cuda") {
      getOperation()->setAttr("sparseconv.target",
                              StringAttr::get(&getContext(), target));
      getOperation()->setAttr("sparseconv.chip",
                              StringAttr::get(&getContext(), chip));
    }
    auto choice =
        DataflowAttr::get(&getContext(),
                          target == "cuda" ? DataflowKind::OutputStationary
                                           : DataflowKind::WeightStationary,
                          0, 1);
    auto select = [&](auto op) {
      if (op.getDataflow())
        return;
      op.setDataflowAttr(choice);
      ++numSelected;
    };
    getOperation()->walk([&](ConvOp op) { select(op); });
    getOperation()->walk([&](InputGradOp op) { select(op); });
    getOperation()->walk([&](WeightGradOp op) { select(op); });
  }
};
} // namespace
