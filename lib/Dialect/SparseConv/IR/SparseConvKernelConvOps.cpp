//===- SparseConvKernelConvOps.cpp - verifiers of convolution kernels -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "KernelVerification.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The weights have known sizes, and as many groups of channels on each side as
/// the features `ins` and `outs` have channels.
static void checkWeights(KernelVerifier &v, NamedOperand w, NamedOperand ins,
                         NamedOperand outs, bool isTransposed) {
  if (!w.type.hasStaticShape() || llvm::is_contained(w.type.getShape(), 0)) {
    v.report("'" + w.name + "' to have static sizes of at least 1") << w.type;
    return;
  }
  int64_t rank = w.type.getRank();
  int64_t groups = rank == 4 ? w.getSize(1) : 1;
  for (bool isOut : {false, true}) {
    int64_t channels = w.getSize(isOut != isTransposed ? rank - 1 : rank - 2);
    NamedOperand features = isOut ? outs : ins;
    v.checkStaticColumns(features);
    std::string reason =
        isOut ? "the output channels of '" : "the input channels of '";
    reason += w.name.str() + "'";
    if (rank == 4)
      reason += " (" + std::to_string(groups) + " groups of " +
                std::to_string(channels) + ")";
    v.checkSize(features, 1, multiplySizes(groups, channels), reason);
  }
}

/// The pair lists have as many offsets as the weights have slices, and as many
/// blocks as `outs`, the features of their out rows.
static void checkPairLists(KernelVerifier &v, Value inRows, Value outRows,
                           NamedOperand segments, NamedOperand w,
                           NamedOperand outs, TilingAttr tiling) {
  v.checkSameRows({"out_rows", outRows}, {"in_rows", inRows});
  v.checkSize(segments, 1, w.getSize(0) + 1,
              "one more than the slices of '" + w.name + "'");
  if (int64_t rows = outs.getSize(0); !ShapedType::isDynamic(rows))
    v.checkSize(segments, 0, llvm::divideCeil(rows, tiling.getBlock()),
                "the blocks of " + Twine(tiling.getBlock()) + " rows of '" +
                    outs.name + "'");
}

LogicalResult GatherGemmOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), w("w", getW()), y("y", getY());
  checkWeights(v, w, x, y, getTransposeWeights());
  if (v.failed())
    return failure();
  checkPairLists(v, getInRows(), getOutRows(), {"segments", getSegments()}, w,
                 y, getTiling());
  for (auto [number, value] : llvm::enumerate(getExtras())) {
    std::string name = "epilogue operand " + std::to_string(number);
    NamedOperand extra(name, value);
    v.checkSize(extra, extra.type.getRank() - 1, y.getSize(1),
                "the channels of 'y'");
    if (extra.type.getRank() == 2)
      v.checkSameRows(extra, y);
  }
  if (getEpilogue().empty() && !getExtras().empty())
    v.report("an epilogue region for its " + Twine(getExtras().size()) +
             " epilogue operands")
        << "none";
  return v.getResult();
}

LogicalResult GatherGemmOp::verifyRegions() {
  if (getEpilogue().empty())
    return success();
  return verifyEpilogue(*this, getEpilogue().front(), getExtras());
}

LogicalResult WeightGradKernelOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), dy("dy", getDy()), dw("dw", getDw());
  checkWeights(v, dw, x, dy, /*isTransposed=*/false);
  if (v.failed())
    return failure();
  checkPairLists(v, getInRows(), getOutRows(), {"segments", getSegments()}, dw,
                 dy, getTiling());
  return v.getResult();
}
