//===- ConvTask.cpp - a convolution as its dataflows see it ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/ConvTask.h"

using namespace mlir;
using namespace mlir::sparseconv;

int64_t ConvTask::getRowStride() const {
  auto type = cast<KernelMapType>(map.getType());
  CoordsType set = gradient == Gradient::Input ? type.getIn() : type.getOut();
  return set.getDim() > 1 ? *llvm::max_element(set.getStride()) : 0;
}

SmallVector<int64_t> ConvTask::getOffsetNorms() const {
  Operation *made = map.getDefiningOp();
  while (auto transposed = dyn_cast_if_present<TransposeMapOp>(made))
    made = transposed->getOperand(0).getDefiningOp();
  auto kernelMap = dyn_cast_if_present<KernelMapOp>(made);
  SmallVector<int64_t> norms;
  if (!kernelMap)
    return norms;
  OffsetSetInterface offsets = kernelMap.getOffsets();
  for (auto [number, step] : llvm::enumerate(offsets.getFlatOffsets())) {
    if (number % offsets.getDim() == 0)
      norms.push_back(0);
    norms.back() += std::abs(step);
  }
  return norms;
}
