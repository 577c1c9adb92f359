//===- SelectTiling.cpp - decides tilings ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemms.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Kernels/GatherGemm.h"
#include "sparseconv/Kernels/LoopBuilder.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSELECTTILING
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Output rows of a work item.
static constexpr int64_t kBlock = 512;
/// Rows of accumulators: 6 x 2 of 16 registers, or 6 x 4 of 32, leave room for
/// a row of weights and a broadcast input.
static constexpr int64_t kRows = 6;

/// Sizes for weights [K, .., columns] at a width of vector registers.
static TilingAttr getTiling(MLIRContext *context, unsigned vectorBits,
                            int64_t columns) {
  int64_t lanes = vectorBits / 32;
  // AVX-512 has 32 vector registers, the others 16.
  int64_t widest = (vectorBits == 512 ? 4 : 2) * lanes;
  int64_t padded = llvm::alignTo(columns, lanes);
  return TilingAttr::get(context, kBlock, kRows, std::min(widest, padded),
                         lanes);
}

namespace {
struct SelectTiling
    : mlir::sparseconv::impl::SparseConvSelectTilingBase<SelectTiling> {
  using SparseConvSelectTilingBase::SparseConvSelectTilingBase;

  void runOnOperation() override {
    if (vectorBits != 128 && vectorBits != 256 && vectorBits != 512) {
      getOperation()->emitError("expects vectors of 128, 256 or 512 bits, but "
                                "found ")
          << vectorBits.getValue();
      return signalPassFailure();
    }
    const GpuChip *chip = GpuChip::find(getChipName(getOperation()));
    bool isGpu = getLoopTarget(getOperation()) == LoopTarget::GPU;
    if (isGpu && !chip) {
      getOperation()->emitError("expects a chip that is known, as "
                                "sparseconv-select-dataflow names it");
      return signalPassFailure();
    }
    auto select = [&](auto op, ShapedType weights, Type features,
                      bool isTransposed) {
      if (op.getTiling())
        return;
      if (isGpu) {
        op.setTilingAttr(getTiling(
            &getContext(), chooseGatherGemm(weights, isTransposed, features,
                                            op.getAllowTf32(), *chip)));
      } else {
        int64_t columns =
            weights.getDimSize(weights.getRank() - (isTransposed ? 2 : 1));
        op.setTilingAttr(getTiling(&getContext(), vectorBits, columns));
      }
      ++numSelected;
    };
    forEachImplicitGemm(getOperation(), select);
    if (isGpu)
      return;
    getOperation()->walk([&](WeightGradOp op) {
      select(op, op.getDw().getType(), op.getX().getType().getElementType(),
             /*isTransposed=*/false);
    });
  }
};
} // namespace
