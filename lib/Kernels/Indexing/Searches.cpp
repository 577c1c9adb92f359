//===- Searches.cpp - the table of searches -------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Searches.h"
#include "TableWriter.h"
#include "sparseconv/Kernels/Indexing/IndexingKernels.h"
#include "sparseconv/Kernels/Indexing/Search.h"
#include "sparseconv/Support/NamedTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

ArrayRef<const Search *> Search::getAll() {
  static const Search *const all[] = {
#define SEARCH(name) &get##name##Search(),
#include "Searches.def"
  };
  return all;
}

/// What the coordinates of the input keys are multiples of.
template <typename OpTy> static SmallVector<int64_t> getInStride(OpTy op) {
  if (std::optional<ArrayRef<int64_t>> stride = op.getInStride())
    return llvm::to_vector(*stride);
  return SmallVector<int64_t>(op.getPacking().getDim(), 1);
}

/// What is wrong with the search of an operation, or nothing.
static std::string describeProblem(Operation *op) {
  auto attribute = op->getAttrOfType<SearchAttr>("search");
  if (!attribute)
    return {};
  const Search *search = Search::find(attribute.getName());
  if (!search)
    return Search::describeUnknown("search", attribute.getName());
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([&](KernelMapOp op) {
        CoordsType in = op.getIn().getType();
        return search->describeProblem(in.getPacking(), in.getStride());
      })
      .Case<SearchOp, SearchHitsOp>([&](auto op) {
        return search->describeProblem(op.getPacking(), getInStride(op));
      })
      .Default(std::string());
}

LogicalResult mlir::sparseconv::verifySearches(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    std::string problem = describeProblem(op);
    if (problem.empty())
      return WalkResult::advance();
    op->emitOpError("cannot be carried out: ") << problem;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// For each displacement the number of its negative, where that is of use.
static SmallVector<int64_t> getMirrors(SearchOp op) {
  if (!op.getSearch().getHalf())
    return {};
  return *getMirrors(op.getDisplacements(), op.getPacking().getDim());
}

/// The displacements to search for: of two that mirror each other the one that
/// leads to higher keys, so that columns stay whole.
static SmallVector<int64_t> choose(const SearchTask &task) {
  size_t dim = task.packing.getDim();
  auto get = [&](int64_t k) { return task.displacements.slice(k * dim, dim); };
  SmallVector<int64_t> chosen;
  for (int64_t k = 0; k < task.getNumOffsets(); ++k)
    if (!task.isHalf() ||
        std::lexicographical_compare(get(task.mirrors[k]).begin(),
                                     get(task.mirrors[k]).end(), get(k).begin(),
                                     get(k).end()))
      chosen.push_back(k);
  return chosen;
}

SearchTask::SearchTask(SearchOp op)
    : inKeys(op.getInKeys()), outKeys(op.getOutKeys()),
      displacements(op.getDisplacements()), inStride(getInStride(op)),
      commonStride(getCommonStride(op)), packing(op.getPacking()),
      mirrors(::getMirrors(op)), columns(displacements, packing, choose(*this)),
      table(op.getTable()) {}

SearchTask::SearchTask(SearchHitsOp op)
    : inKeys(op.getInKeys()), outKeys(op.getOutKeys()),
      displacements(op.getDisplacements()), inStride(getInStride(op)),
      commonStride(getCommonStride(op)), packing(op.getPacking()),
      columns(displacements, packing), table(op.getTable()),
      masks(op.getMasks()), records(op.getRecords()), counts(op.getCounts()),
      totals(op.getTotals()), sampleRows(op.getSampleRows()) {}

int64_t SearchTask::getNumOffsets() const {
  return displacements.size() / packing.getDim();
}

bool SearchTask::mayMeetSentinel() const {
  if (packing.getUsedBits() < packing.getKeyWidth())
    return false;
  size_t dim = packing.getDim();
  for (size_t k = 0; k < displacements.size(); k += dim)
    if (displacements.slice(k, dim) == packing.getGuard())
      return true;
  return false;
}

/// Calls `emit`, unless a search for half of the displacements has none but 0.
static void emitSearch(LoopBuilder &b, SearchOp op,
                       function_ref<void(const Search &, SearchTask &)> emit) {
  SearchTask task(op);
  if (task.columns.getNumOffsets() != 0)
    emit(*Search::find(op.getSearch().getName()), task);
  else
    TableWriter(b, task).prepare();
}

void mlir::sparseconv::emitSearchLoops(LoopBuilder &b, SearchOp op) {
  emitSearch(b, op, [&](const Search &search, SearchTask &task) {
    search.emitLoops(b, task);
  });
}

void mlir::sparseconv::emitSearchKernels(LoopBuilder &b, SearchOp op) {
  emitSearch(b, op, [&](const Search &search, SearchTask &task) {
    search.emitKernels(b, task);
  });
}

void mlir::sparseconv::emitSearchHits(LoopBuilder &b, SearchHitsOp op) {
  Search::find(op.getSearch().getName())->emitKernels(b, SearchTask(op));
}
