//===- FuseSearchAndTiling.cpp - hits instead of tables -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "sparseconv/Dialect/SparseConv/IR/SearchColumns.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSESEARCHANDTILING
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// A search whose hits can take the table's place, and who uses the table.
struct FusableSearch {
  SearchOp search;
  SearchColumns columns;
  memref::AllocOp alloc;
  /// The tilings, in their order.
  SmallVector<TileRowsOp> tilings;
  SmallVector<memref::DimOp> sizes;
  memref::DeallocOp dealloc;
  /// Something else reads the table.
  bool needsTable = false;

  /// The search, or nothing where its table has to stay all that there is.
  static std::optional<FusableSearch> get(SearchOp search);
  /// Writes the operations that hand over hits in place of search and tilings.
  void fuse();
  /// Erases the table, which nothing reads any more.
  void eraseTable();

private:
  int64_t getNumPasses(RowOrder order) const {
    return getNumSortPasses(getRowKeyBits(columns.getNumOffsets(), order));
  }
  /// Whether `user` reads the table and does not change it.
  bool isReader(Operation *user) {
    auto kernel = dyn_cast<DestinationStyleOpInterface>(user);
    return kernel &&
           !llvm::is_contained(kernel.getDpsInits(), alloc.getResult());
  }
};
} // namespace

std::optional<FusableSearch> FusableSearch::get(SearchOp search) {
  FusableSearch found{
      search,
      SearchColumns(search.getDisplacements(), search.getPacking()),
      search.getTable().getDefiningOp<memref::AllocOp>(),
      {},
      {},
      {}};
  if (!found.alloc || !found.columns.fitHits(getCommonStride(search)) ||
      search.getSearch().getHalf())
    return std::nullopt;
  for (Operation *user : found.alloc->getUsers()) {
    if (user == search)
      continue;
    if (auto size = dyn_cast<memref::DimOp>(user)) {
      std::optional<int64_t> axis = size.getConstantIndex();
      if (!axis || *axis < 0 || *axis >= found.alloc.getType().getRank())
        return std::nullopt;
      found.sizes.push_back(size);
      continue;
    }
    if (auto dealloc = dyn_cast<memref::DeallocOp>(user)) {
      // Two of them are in branches.
      if (found.dealloc)
        return std::nullopt;
      found.dealloc = dealloc;
      continue;
    }
    if (!found.isReader(user))
      return std::nullopt;
    auto tiling = dyn_cast<TileRowsOp>(user);
    if (tiling && user->getBlock() == search->getBlock() &&
        search->isBeforeInBlock(user))
      found.tilings.push_back(tiling);
    else
      found.needsTable = true;
  }
  if (found.tilings.empty())
    return std::nullopt;
  llvm::sort(found.tilings, [](TileRowsOp lhs, TileRowsOp rhs) {
    return lhs->isBeforeInBlock(rhs);
  });
  return found;
}

void FusableSearch::fuse() {
  ImplicitLocOpBuilder b(search.getLoc(), search);
  Type i32 = b.getI32Type();
  Value rows = memref::DimOp::create(b, search.getOutKeys(), 0);
  auto alloc = [&](ArrayRef<int64_t> shape, ValueRange sizes = {}) -> Value {
    return memref::AllocOp::create(b, MemRefType::get(shape, i32), sizes,
                                   b.getI64IntegerAttr(64));
  };
  auto dynamic = ShapedType::kDynamic;
  int64_t recordSize = columns.getRecordSize();
  int64_t maskWords = getMaskWords(columns.getNumOffsets());
  Value masks = alloc({maskWords, dynamic}, rows);
  Value records = alloc({dynamic, recordSize}, rows);
  Value counts = alloc({kMaxSample, maskWords * kMaskBits});
  int64_t passes = getNumPasses(RowOrder::Gray);
  Value totals = alloc({passes + 1, kDigits});
  int64_t words = recordSize + (needsTable ? columns.getNumOffsets() : 0);
  bool isSelf = search.getInKeys() == search.getOutKeys();
  int64_t sampleRows = getSearchRows(words, isSelf);
  SearchHitsOp::create(b, TypeRange(), search.getInKeys(), search.getOutKeys(),
                       masks, records, counts, totals,
                       needsTable ? search.getTable() : Value(),
                       search.getDisplacements(), search.getInStrideAttr(),
                       search.getOutStrideAttr(), search.getPacking(),
                       search.getSearch(), sampleRows);
  // The first sort that is as long as the search expects takes the zeros.
  Value unused = totals;
  for (TileRowsOp tiling : tilings) {
    b.setInsertionPoint(tiling);
    b.setLoc(tiling.getLoc());
    RowOrder order = tiling.getRowOrder().value_or(RowOrder::Gray);
    Value zeros = getNumPasses(order) == passes ? unused : Value();
    if (zeros)
      unused = nullptr;
    TileHitsOp::create(b, TypeRange(), masks, records, counts,
                       tiling.getInRows(), tiling.getTiledTable(),
                       tiling.getOrder(), tiling.getMasks(), tiling.getSizes(),
                       zeros, search.getDisplacements(), search.getPacking(),
                       sampleRows, tiling.getRowOrderAttr());
    tiling->erase();
  }
  search->erase();
  if (dealloc) {
    b.setInsertionPoint(dealloc);
    for (Value buffer : {masks, records, counts, totals})
      memref::DeallocOp::create(b, buffer);
  }
}

void FusableSearch::eraseTable() {
  OpBuilder b(alloc);
  for (memref::DimOp size : sizes) {
    // The size that the table was allocated with.
    SmallVector<Value> folded;
    b.setInsertionPoint(size);
    [[maybe_unused]] LogicalResult result = b.tryFold(size, folded);
    assert(succeeded(result) && "the axis is known");
    size.getResult().replaceAllUsesWith(folded.front());
    size->erase();
  }
  if (dealloc)
    dealloc->erase();
  alloc->erase();
}

namespace {
struct FuseSearchAndTiling
    : mlir::sparseconv::impl::SparseConvFuseSearchAndTilingBase<
          FuseSearchAndTiling> {
  void runOnOperation() override {
    SmallVector<SearchOp> searches;
    getOperation()->walk([&](SearchOp search) {
      if (search.hasPureBufferSemantics())
        searches.push_back(search);
    });
    for (SearchOp search : searches) {
      std::optional<FusableSearch> found = FusableSearch::get(search);
      if (!found)
        continue;
      found->fuse();
      ++numFused;
      if (!found->needsTable)
        found->eraseTable();
    }
  }
};
} // namespace
