//===- SelectIndexing.cpp - decides how maps and sets are made ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DecideByDatabase.h"
#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Selection/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTINDEXING
#include "sparseconv/Selection/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Columns of a cell up to which a GPU is expected to look them up in less time
/// than it takes to sort all coordinates; nobody has measured it yet.
static constexpr int64_t kFewColumns = 4;

/// A GPU sorts only where nothing else works.
static Coarsening selectForGpu(DownsampleOp op) {
  if (getNumCellColumns(op.getBy()) <= kFewColumns &&
      op.describeProblem(Coarsening::Merge).empty())
    return Coarsening::Merge;
  return op.describeProblem(Coarsening::Bitmap).empty() ? Coarsening::Bitmap
                                                        : Coarsening::Sort;
}

namespace {
struct SelectIndexing
    : mlir::sparseconv::impl::SparseConvSelectIndexingBase<SelectIndexing> {
  using SparseConvSelectIndexingBase::SparseConvSelectIndexingBase;

  void runOnOperation() override {
    FailureOr<DatabaseDecider> database =
        DatabaseDecider::read(getOperation(), tuningDatabase);
    if (failed(database))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      auto map = dyn_cast<KernelMapOp>(op);
      bool isOpen = (map && !map.isIdentity()) || isa<DownsampleOp>(op);
      if (isOpen && database->decide(op))
        ++numMeasured;
    });
    StringRef search = Search::getAll().front()->getName();
    getOperation()->walk([&](KernelMapOp op) {
      if (op.getSearchAttr() || op.isIdentity())
        return;
      op.setSearchAttr(SearchAttr::get(&getContext(), search));
      ++numSelected;
    });
    bool isGpu = getTargetInfo(getOperation()).isGpu;
    getOperation()->walk([&](DownsampleOp op) {
      if (op.getCoarsening())
        return;
      op.setCoarsening(isGpu ? selectForGpu(op) : Coarsening::Sort);
      ++numCoarsenings;
    });
  }
};
} // namespace
