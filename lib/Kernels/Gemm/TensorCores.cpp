//===- TensorCores.cpp - what tensor cores ask of a main loop -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorCores.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

std::string
mlir::sparseconv::verifyTensorCores(const ImplicitGemmConfig &config) {
  if (config.element == GemmElement::F32)
    return "tensor cores take f16, bf16 and tf32, not f32";
  int64_t unit = config.tileUnit();
  if (config.tileK < config.inChannels && config.tileK % (2 * unit))
    return formatv("tile_k of {0} does not cover {1} input channels and is "
                   "no multiple of {2}",
                   config.tileK, config.inChannels, 2 * unit);
  return "";
}

std::string mlir::sparseconv::verifyWgmma(const ImplicitGemmConfig &config,
                                          const TargetInfo &target) {
  if (std::string problem = verifyTensorCores(config); !problem.empty())
    return problem;
  if (!target.hasWgmma)
    return formatv("{0} has no wgmma", target.chip);
  if (config.element == GemmElement::TF32)
    return "the wgmma kernels take f16 and bf16";
  if (config.warps % 4)
    return formatv("expected whole warpgroups, found {0} warps", config.warps);
  return "";
}

bool mlir::sparseconv::isWorthWgmma(const ImplicitGemmShape &shape,
                                    const TargetInfo &target) {
  bool hasType =
      shape.element == GemmElement::F16 || shape.element == GemmElement::BF16;
  return target.hasWgmma && hasType &&
         shape.inChannels * shape.outChannels > 32 * 48;
}

FragmentRegisters::FragmentRegisters(const ImplicitGemmConfig &config) {
  bool isTf32 = config.element == GemmElement::TF32;
  rows = config.tileK * config.elementBytes() / 8;
  halves = config.inChannels * config.elementBytes() % 4 ? rows : 0;
  uneven = config.tileN % 16 ? 4 + isTf32 : 0;
}
