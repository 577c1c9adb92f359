//===- SelectDataflow.cpp - decides dataflows -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecideByDatabase.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Selection/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTDATAFLOW
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SelectDataflow
    : mlir::sparseconv::impl::SparseConvSelectDataflowBase<SelectDataflow> {
  using SparseConvSelectDataflowBase::SparseConvSelectDataflowBase;

  void runOnOperation() override {
    FailureOr<DatabaseDecider> database =
        DatabaseDecider::read(getOperation(), tuningDatabase);
    if (failed(database))
      return signalPassFailure();
    const TargetInfo &target = getTargetInfo(getOperation());
    const Dataflow &dataflow = chooseDataflow(target);
    getOperation()->walk([&](ImplicitGemmOpInterface op) {
      if (op.getDataflowAttr())
        return;
      if (database->decide(op)) {
        ++numMeasured;
        // The rest of a choice that leaves it open is decided by rule.
        if (op.getDataflowAttr())
          return;
      }
      op.setDataflowAttr(dataflow.choose(op, target));
      ++numSelected;
    });
  }
};
} // namespace
