//===- TrustRowNumbers.cpp - gathers of rows that are there ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVTRUSTROWNUMBERS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// The rows of a set, which are those of what it was rescaled from.
static RowCount countSet(Value set) {
  while (auto rescale = set.getDefiningOp<RescaleOp>())
    set = rescale.getCoords();
  return {set, std::nullopt};
}

static RowCount countTensor(Value tensor) {
  RowCount count = countRows(tensor);
  bool isSet = isa<CoordsType>(count.source.getType());
  return isSet ? countSet(count.source) : count;
}

/// How many rows there are of what `numbers` are rows of: all are below that,
/// or -1. Nothing where that is not known.
static std::optional<RowCount> countNumbered(Value numbers) {
  if (auto pack = numbers.getDefiningOp<PackOp>()) {
    if (numbers == pack.getRowOf())
      return countSet(pack.getCoords());
    return countTensor(pack.getPoints());
  }
  if (auto cells = numbers.getDefiningOp<SubdivideOp>()) {
    if (numbers == cells.getRows())
      return countSet(cells.getCoords());
    if (numbers == cells.getRowOf())
      return countSet(cells.getFine());
  }
  if (auto prune = numbers.getDefiningOp<PruneOp>())
    return countSet(prune.getCoords());
  return std::nullopt;
}

namespace {
struct TrustRowNumbers
    : mlir::sparseconv::impl::SparseConvTrustRowNumbersBase<TrustRowNumbers> {
  void runOnOperation() override {
    getOperation().walk([&](GatherOp gather) {
      std::optional<RowCount> rows = countNumbered(gather.getRows());
      if (!rows || !(*rows == countTensor(gather.getX())))
        return;
      gather->setAttr(kTrustedAttr, UnitAttr::get(&getContext()));
      ++numTrusted;
    });
  }
};
} // namespace
