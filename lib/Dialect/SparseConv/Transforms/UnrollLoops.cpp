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
  void runOnOperation() override {
    // One at a time, inner ones first: outer ones copy what is in them.
    auto findLoop = [&] {
      scf::ForOp found;
      getOperation()->walk([&](scf::ForOp loop) {
        std::optional<APInt> trips = loop.getStaticTripCount();
        if (!trips || trips->isZero() || trips->ugt(maxTrips) ||
            !holdsKernels(loop))
          return WalkResult::advance();
        found = loop;
        return WalkResult::interrupt();
      });
      return found;
    };
    while (scf::ForOp loop = findLoop()) {
      if (failed(loopUnrollFull(loop)))
        return signalPassFailure();
      ++numUnrolled;
    }
  }
};
} // namespace
