//===- ChooseGatherGemm.cpp - which configuration a convolution takes -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates in the order in which they were seen to be fast, of which the
// first that the chip can run is taken; and configurations as attributes and
// back.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/GatherGemm.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::alignTo;
using llvm::divideCeil;

/// The first configuration of a list that the chip can run.
static std::optional<GatherGemmConfig>
firstThatFits(ArrayRef<GatherGemmConfig> configs, const GpuChip &chip) {
  for (const GatherGemmConfig &config : configs)
    if (config.verify(chip).empty())
      return config;
  return std::nullopt;
}

/// Output channels split evenly into parts of at most `limit`.
static int64_t evenWidth(int64_t channels, int64_t limit) {
  int64_t parts = divideCeil(channels, limit);
  return alignTo(divideCeil(channels, parts), 8);
}

/// f32 by multiply-adds: in tiles, unless a tile would be padding mostly.
static GatherGemmConfig chooseFma(const GatherGemmConfig &base,
                                  const GpuChip &chip) {
  SmallVector<GatherGemmConfig> candidates;
  int64_t parts = divideCeil(base.outChannels, 128);
  for (int64_t blocks : {3, 2, 1})
    for (int64_t deepest : {32, 16}) {
      int64_t chunks = divideCeil(base.inChannels, deepest);
      GatherGemmConfig &config = candidates.emplace_back(base);
      config.strategy = GatherStrategy::Fma16;
      config.warps = 4;
      config.blocks = blocks;
      config.depth = alignTo(divideCeil(base.inChannels, chunks), 8);
      config.width = alignTo(divideCeil(base.outChannels, parts), 32);
      config.stages = 2;
      if (base.maskWords() == 1)
        config.splitK = 8;
    }
  bool isNarrow = base.inChannels < 4 || base.outChannels < 8;
  std::optional<GatherGemmConfig> config = firstThatFits(candidates, chip);
  return config && !isNarrow ? *config : base;
}

GatherGemmConfig GatherGemmConfig::choose(GemmElement element, int64_t offsets,
                                          int64_t inChannels,
                                          int64_t outChannels, int64_t groups,
                                          const GpuChip &chip) {
  GatherGemmConfig base;
  base.element = element;
  base.offsets = offsets;
  base.inChannels = inChannels;
  base.outChannels = outChannels;
  base.groups = groups;
  if (element == GemmElement::F32)
    return chooseFma(base, chip);
  // What threads multiply if nothing else fits.
  GatherGemmConfig scalar = base;
  if (element == GemmElement::TF32)
    scalar.element = GemmElement::F32;
  if (groups > 1)
    return scalar;

  int64_t unit = 32 / base.elementBytes();
  int64_t whole = alignTo(inChannels, unit);
  SmallVector<GatherGemmConfig> candidates;
  auto add = [&](GatherStrategy strategy, int64_t warps, int64_t blocks,
                 int64_t depth, int64_t width, bool resident, int64_t stages) {
    GatherGemmConfig &config = candidates.emplace_back(base);
    config.strategy = strategy;
    config.warps = warps;
    config.blocks = blocks;
    config.depth = depth;
    config.width = width;
    config.resident = resident;
    config.stages = stages;
    // A few parts fill a device with few rows; more only cost additions.
    // Weights that fit shared memory as a whole are of layers with many rows.
    bool splits = strategy == GatherStrategy::Ring64 ||
                  (strategy == GatherStrategy::Warp16 && !resident);
    if (splits && base.maskWords() == 1)
      config.splitK = 8;
  };
  bool small = inChannels * outChannels <= 32 * 48;
  if (chip.hasWgmma && element != GemmElement::TF32 && !small) {
    int64_t width = evenWidth(outChannels, 256);
    if (inChannels <= 128)
      add(GatherStrategy::Group64, 20, 1, whole, width, true, 1);
    if (inChannels <= 128 && width <= 128)
      add(GatherStrategy::Ring64, 12, 1, whole, width, true, 6);
    if (inChannels <= 64)
      add(GatherStrategy::Ring64, 8, 1, whole, width, true, 6);
    for (int64_t part : {width, evenWidth(outChannels, 128)})
      for (int64_t warps : {12, 8})
        for (int64_t depth : {64, 32})
          for (int64_t stages : {6, 5, 4})
            // Each chunk always in the same stage: ptxas then finds wgmmas on
            // paths that part, and waits for each.
            if (stages != static_cast<int64_t>(divideCeil(inChannels, depth)))
              add(GatherStrategy::Ring64, warps, 1, depth, part, true, stages);
  }
  int64_t width = evenWidth(outChannels, 128);
  int64_t narrow = evenWidth(outChannels, 64);
  for (int64_t blocks : {2, 1})
    for (int64_t part : {width, narrow})
      for (int64_t depth : {whole, 8 * unit, 4 * unit, 2 * unit})
        if (depth <= whole)
          add(GatherStrategy::Warp16, 16, blocks, depth, part, true, 1);
  // Where weights come through the L1 cache, rows in chunks of 128 bytes are
  // worth more than the last warps.
  int64_t line = std::min(whole, 4 * unit);
  for (int64_t part : {width, narrow})
    for (int64_t depth : {whole, 8 * unit, line})
      if (depth <= whole)
        add(GatherStrategy::Warp16, 16, 1, depth, part, false, 1);
  for (int64_t depth : {line, std::min(whole, 2 * unit)})
    for (int64_t warps : {16, 12, 8})
      for (int64_t part : {width, narrow})
        add(GatherStrategy::Warp16, warps, 1, depth, part, false, 1);
  if (std::optional<GatherGemmConfig> config = firstThatFits(candidates, chip))
    return *config;
  return scalar;
}

/// The shape of weights, and what a tensor core makes of their type.
static GatherGemmConfig describe(ShapedType weights, bool isTransposed) {
  GatherGemmConfig config;
  Type element = weights.getElementType();
  if (element.isF16())
    config.element = GemmElement::F16;
  else if (element.isBF16())
    config.element = GemmElement::BF16;
  ArrayRef<int64_t> shape = weights.getShape();
  config.offsets = shape.front();
  config.groups = shape.size() == 4 ? shape[1] : 1;
  config.inChannels = config.groups * shape[shape.size() - 2];
  config.outChannels = config.groups * shape.back();
  if (isTransposed)
    std::swap(config.inChannels, config.outChannels);
  return config;
}

GatherGemmConfig mlir::sparseconv::chooseGatherGemm(ShapedType weights,
                                                    bool isTransposed,
                                                    Type features,
                                                    bool allowTf32,
                                                    const GpuChip &chip) {
  GatherGemmConfig shape = describe(weights, isTransposed);
  if (features != weights.getElementType())
    shape.element = GemmElement::F32;
  else if (features.isF32() && allowTf32)
    shape.element = GemmElement::TF32;
  return GatherGemmConfig::choose(shape.element, shape.offsets,
                                  shape.inChannels, shape.outChannels,
                                  shape.groups, chip);
}

GatherGemmConfig mlir::sparseconv::getTiledGemm(GemmTilingAttr tiling,
                                                DataflowAttr dataflow,
                                                ShapedType weights,
                                                bool isTransposed) {
  GatherGemmConfig config = describe(weights, isTransposed);
  config.strategy = tiling.getStrategy();
  config.warps = tiling.getWarps();
  config.blocks = tiling.getBlocks();
  config.depth = tiling.getDepth();
  config.width = tiling.getWidth();
  config.stages = tiling.getStages();
  config.resident = tiling.getResident();
  config.splitK = dataflow.getSplitK();
  // On tensor cores f32 is tf32.
  if (config.element == GemmElement::F32 && config.multipliesOnTensorCores())
    config.element = GemmElement::TF32;
  return config;
}

GemmTilingAttr mlir::sparseconv::getTiling(MLIRContext *context,
                                           const GatherGemmConfig &config) {
  return GemmTilingAttr::get(context, config.strategy, config.warps,
                             config.blocks, config.depth, config.width,
                             config.stages, config.resident);
}
