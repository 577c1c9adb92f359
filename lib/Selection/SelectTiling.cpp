//===- SelectTiling.cpp - decides tilings ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "sparseconv/Selection/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTTILING
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SelectTiling
    : mlir::sparseconv::impl::SparseConvSelectTilingBase<SelectTiling> {
  void runOnOperation() override {
    const TargetInfo &target = getTargetInfo(getOperation());
    getOperation()->walk([&](ImplicitGemmOpInterface op) {
      if (op.getTilingAttr())
        return;
      // A dataflow that the target does not have is refused later.
      const Dataflow *dataflow = &chooseDataflow(target);
      if (DataflowAttr decided = op.getDataflowAttr())
        dataflow = Dataflow::find(decided.getName());
      if (!dataflow || !dataflow->isOn(target))
        return;
      op.setTilingAttr(dataflow->chooseTiling(op, target));
      ++numSelected;
    });
  }
};
} // namespace
