//===- Searches.cpp - the table of searches -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Support/NamedTable.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace mlir::sparseconv {
#define SEARCH(name) const Search &get##name##Search();
#include "Searches.def"
} // namespace mlir::sparseconv

ArrayRef<const Search *> Search::getAll() {
  static const Search *const all[] = {
#define SEARCH(name) &get##name##Search(),
#include "Searches.def"
  };
  return all;
}

LogicalResult mlir::sparseconv::verifySearches(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    auto search = op->getAttrOfType<SearchAttr>("search");
    if (!search || Search::find(search.getName()))
      return WalkResult::advance();
    op->emitOpError("cannot be carried out: ")
        << Search::describeUnknown("search", search.getName());
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SearchTask::SearchTask(SearchOp op)
    : inKeys(op.getInKeys()), outKeys(op.getOutKeys()),
      displacements(op.getDisplacements()), packing(op.getPacking()),
      columns(displacements, packing), table(op.getTable()) {}

SearchTask::SearchTask(SearchHitsOp op)
    : inKeys(op.getInKeys()), outKeys(op.getOutKeys()),
      displacements(op.getDisplacements()), packing(op.getPacking()),
      columns(displacements, packing), table(op.getTable()),
      masks(op.getMasks()), records(op.getRecords()), counts(op.getCounts()),
      totals(op.getTotals()), sampleRows(op.getSampleRows()) {}

void mlir::sparseconv::emitSearchLoops(LoopBuilder &b, SearchOp op) {
  Search::find(op.getSearch().getName())->emitLoops(b, SearchTask(op));
}

void mlir::sparseconv::emitSearchKernels(LoopBuilder &b, SearchOp op) {
  Search::find(op.getSearch().getName())->emitKernels(b, SearchTask(op));
}

void mlir::sparseconv::emitSearchHits(LoopBuilder &b, SearchHitsOp op) {
  Search::find(op.getSearch().getName())->emitKernels(b, SearchTask(op));
}
