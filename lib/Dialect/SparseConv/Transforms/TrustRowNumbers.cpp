//===- TrustRowNumbers.cpp - rows that need no check ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVTRUSTROWNUMBERS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Counts the rows of a tensor.
using CountTensor = RowCount (*)(Value);

/// The rows of `tensor`. Arguments that need equally many rows are counted by
/// the first of them.
static RowCount countByFirst(Value tensor) {
  RowCount count = countRows(tensor);
  auto argument = dyn_cast<BlockArgument>(count.source);
  auto function = tensor.getParentRegion()->getParentOfType<func::FuncOp>();
  if (!argument || argument.getOwner() != &function.getBody().front())
    return count;
  while (auto other = getEqualRows(function, argument.getArgNumber()))
    argument = function.getArgument(*other);
  return {argument, count.side};
}

/// How many rows there are of what `numbers` are rows of: all are below that,
/// or -1. Nothing where that is not known.
static std::optional<RowCount> countNumbered(Value numbers, CountTensor count) {
  auto countSet = [](Value set) { return RowCount{set, std::nullopt}; };
  if (auto pack = numbers.getDefiningOp<PackOp>()) {
    if (numbers == pack.getRowOf())
      return countSet(pack.getCoords());
    return count(pack.getPoints());
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

/// Whether `rows` are as many as `found`, or none. A set that was rescaled has
/// the rows of the one before, or none where that failed.
static bool areAsMany(RowCount rows, RowCount found) {
  while (!(rows == found)) {
    auto rescale = rows.source.getDefiningOp<RescaleOp>();
    if (!rescale)
      return false;
    rows.source = rescale.getCoords();
  }
  return true;
}

/// Whether no number is an error: all are rows of `x`, or -1.
static bool areValid(Value numbers, Value x, CountTensor count) {
  std::optional<RowCount> rows = countNumbered(numbers, count);
  return rows && areAsMany(*rows, count(x));
}

/// Whether the features have the rows of the map's input set by way of a set
/// that was rescaled. Where they have the rows of the input set itself, the
/// layer needs no mark: the comparison folds away.
static bool hasRescaledRows(ConvOp conv, CountTensor count) {
  RowCount rows = countRows(conv.getMap(), MapSide::In);
  RowCount found = count(conv.getX());
  return !(rows == found) && areAsMany(rows, found);
}

namespace {
struct TrustRowNumbers
    : mlir::sparseconv::impl::SparseConvTrustRowNumbersBase<TrustRowNumbers> {
  using SparseConvTrustRowNumbersBase::SparseConvTrustRowNumbersBase;

  void runOnOperation() override {
    CountTensor count = countRows;
    if (comparedArguments)
      count = countByFirst;
    auto trust = [&](Operation *op) {
      op->setAttr(kTrustedAttr, UnitAttr::get(&getContext()));
      ++numTrusted;
    };
    getOperation().walk([&](GatherOp gather) {
      if (areValid(gather.getRows(), gather.getX(), count))
        trust(gather);
    });
    getOperation().walk([&](ConvOp conv) {
      if (hasRescaledRows(conv, count))
        trust(conv);
    });
  }
};
} // namespace
