//===- UnrollLoops.cpp - loops around kernels -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVUNROLLLOOPS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether anything in `loop` becomes a kernel.
static bool holdsKernels(scf::ForOp loop) {
  auto isLarge = [](Type type) {
    return isa<TensorType, CoordsType, KernelMapType>(type);
  };
  return loop
      .walk([&](Operation *op) {
        bool makes = op != loop && llvm::any_of(op->getResultTypes(), isLarge);
        return makes ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

namespace {
struct UnrollLoops
    : mlir::sparseconv::impl::SparseConvUnrollLoopsBase<UnrollLoops> {
  using Base::Base;
  void runOnOperation() override;

private:
  /// The loops to unroll, inner ones first: outer ones copy what is in them.
  SmallVector<scf::ForOp> findLoops();
};
} // namespace

SmallVector<scf::ForOp> UnrollLoops::findLoops() {
  SmallVector<scf::ForOp> loops;
  getOperation()->walk([&](scf::ForOp loop) {
    std::optional<APInt> trips = loop.getStaticTripCount();
    if (trips && !trips->isZero() && trips->ule(maxTrips) && holdsKernels(loop))
      loops.push_back(loop);
  });
  return loops;
}

void UnrollLoops::runOnOperation() {
  uint64_t copies = 0;
  llvm::DenseMap<Operation *, uint64_t> copiesWithin;
  // What an outer loop counts may become the bound of an inner one.
  for (auto loops = findLoops(); !loops.empty(); loops = findLoops())
    for (scf::ForOp loop : loops) {
      uint64_t within = copiesWithin.lookup(loop);
      copiesWithin.erase(loop);
      uint64_t made = loop.getStaticTripCount()->getZExtValue() *
                      std::max<uint64_t>(within, 1);
      copies += made;
      if (copies > maxCopies)
        return; // what comes next says that it takes no loop
      copiesWithin[loop->getParentOfType<scf::ForOp>()] += made;
      if (failed(loopUnrollFull(loop)))
        return signalPassFailure();
      ++numUnrolled;
    }
}
