//===- MergeReductions.cpp - reductions of the same rows at once ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVMERGEREDUCTIONS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// Whether `op` reduces a number of rows that is not known to results whose
/// sizes are.
static bool reducesRows(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumReductionLoops() == 0)
    return false;
  bool isKnown = llvm::all_of(op.getResultTypes(), [](Type type) {
    return cast<ShapedType>(type).hasStaticShape();
  });
  return isKnown &&
         llvm::is_contained(op.getStaticLoopRanges(), ShapedType::kDynamic);
}

/// Whether both read one tensor, each element in the same iteration of the same
/// loops.
static bool shareLoops(linalg::GenericOp first, linalg::GenericOp second) {
  if (first.getIteratorTypesArray() != second.getIteratorTypesArray())
    return false;
  for (OpOperand *operand : first.getDpsInputOperands()) {
    AffineMap map = first.getMatchingIndexingMap(operand);
    if (!map.isPermutation())
      continue;
    for (OpOperand *other : second.getDpsInputOperands())
      if (other->get() == operand->get() &&
          second.getMatchingIndexingMap(other) == map)
        return true;
  }
  return false;
}

/// Whether all that `op` uses is there before `place`.
static bool canMove(linalg::GenericOp op, Operation *place,
                    DominanceInfo &dominance) {
  SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op.getRegion(), used);
  return llvm::all_of(used, [&](Value value) {
    return dominance.properlyDominates(value, place);
  });
}

/// Writes both operations as one at the place of the first.
static linalg::GenericOp merge(RewriterBase &rewriter, linalg::GenericOp first,
                               linalg::GenericOp second) {
  linalg::GenericOp both[] = {first, second};
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps, initMaps;
  for (linalg::GenericOp op : both) {
    llvm::append_range(inputs, op.getInputs());
    llvm::append_range(inits, op.getOutputs());
    SmallVector<AffineMap> all = op.getIndexingMapsArray();
    maps.append(all.begin(), all.begin() + op.getNumDpsInputs());
    initMaps.append(all.begin() + op.getNumDpsInputs(), all.end());
  }
  llvm::append_range(maps, initMaps);
  rewriter.setInsertionPoint(first);
  Location loc = rewriter.getFusedLoc({first.getLoc(), second.getLoc()});
  auto merged = linalg::GenericOp::create(
      rewriter, loc, ValueRange(inits).getTypes(), inputs, inits, maps,
      first.getIteratorTypesArray(),
      [&](OpBuilder &b, Location, ValueRange arguments) {
        size_t input = 0, init = inputs.size();
        SmallVector<Value> yielded;
        for (linalg::GenericOp op : both) {
          IRMapping mapping;
          for (BlockArgument argument : op.getRegionInputArgs())
            mapping.map(argument, arguments[input++]);
          for (BlockArgument argument : op.getRegionOutputArgs())
            mapping.map(argument, arguments[init++]);
          for (Operation &inner : op.getBody()->without_terminator())
            b.clone(inner, mapping);
          for (Value value : op.getBody()->getTerminator()->getOperands())
            yielded.push_back(mapping.lookupOrDefault(value));
        }
        linalg::YieldOp::create(b, loc, yielded);
      });
  merged->setDiscardableAttrs(first->getDiscardableAttrDictionary());
  ValueRange results = merged.getResults();
  unsigned numFirst = first.getNumResults();
  rewriter.replaceOp(first, results.take_front(numFirst));
  rewriter.replaceOp(second, results.drop_front(numFirst));
  return merged;
}

namespace {
struct MergeReductions
    : mlir::sparseconv::impl::SparseConvMergeReductionsBase<MergeReductions> {
  using Base::Base;
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    DominanceInfo dominance(getOperation());
    SmallVector<linalg::GenericOp> found;
    getOperation()->walk([&](linalg::GenericOp op) {
      if (reducesRows(op))
        found.push_back(op);
    });
    SmallVector<linalg::GenericOp> kept;
    for (linalg::GenericOp op : found) {
      auto *first = llvm::find_if(kept, [&](linalg::GenericOp other) {
        return other->getBlock() == op->getBlock() && shareLoops(other, op) &&
               canMove(op, other, dominance);
      });
      if (first == kept.end())
        kept.push_back(op);
      else
        *first = merge(rewriter, *first, op);
    }
  }
};
} // namespace
