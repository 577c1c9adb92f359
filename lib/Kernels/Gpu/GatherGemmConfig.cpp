//===- GatherGemmConfig.cpp - choosing and checking configurations --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/GatherGemm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::alignTo;
using llvm::divideCeil;
using llvm::formatv;

/// Shared memory that the resident kernels use beside the image: 32 barriers,
/// a tile counter, two slots a warpgroup.
static constexpr int64_t residentExtra = 512;

/// What the ring keeps of a block's part: its number and that of all.
static constexpr int64_t ringTaskBytes = 16;

static constexpr int64_t kilobyte = 1024;

// Shared memory: what one block may have, and what a multiprocessor has
// (of which every block takes 1 kB more).
static const GpuChip chips[] = {
    {"sm_80", 80, 163 * kilobyte, 164 * kilobyte, 108, false},
    {"sm_86", 86, 99 * kilobyte, 100 * kilobyte, 84, false},
    {"sm_89", 89, 99 * kilobyte, 100 * kilobyte, 142, false},
    {"sm_90a", 90, 227 * kilobyte, 228 * kilobyte, 132, true},
};

ArrayRef<GpuChip> GpuChip::all() { return chips; }

const GpuChip *GpuChip::find(StringRef name) {
  const auto *it =
      llvm::find_if(chips, [&](const GpuChip &c) { return c.name == name; });
  if (it != std::end(chips))
    return it;
  // One that is not in the table runs what an earlier one does, but for the
  // instructions of that one alone.
  StringRef number = name;
  int64_t capability;
  if (!number.consume_front("sm_") || number.consumeInteger(10, capability) ||
      !(number.empty() || number == "a" || number == "f"))
    return nullptr;
  const GpuChip *earlier = nullptr;
  for (const GpuChip &chip : chips)
    if (!chip.hasWgmma && chip.capability <= capability)
      earlier = &chip;
  return earlier;
}

FragmentLayout GatherGemmConfig::layout() const {
  FragmentLayout layout;
  layout.perRegister = 4 / elementBytes();
  layout.offsets = offsets;
  layout.inChannels = inChannels;
  layout.depth = depth;
  layout.chunks = divideCeil(inChannels, depth);
  layout.width = width;
  layout.parts = divideCeil(outChannels, width);
  layout.swizzled =
      strategy == GatherStrategy::Group64 || strategy == GatherStrategy::Ring64;
  return layout;
}

int64_t GatherGemmConfig::elementBytes() const {
  return element == GemmElement::F16 || element == GemmElement::BF16 ? 2 : 4;
}

int64_t GatherGemmConfig::rowsPerTile() const {
  return strategy == GatherStrategy::Group64 ||
                 strategy == GatherStrategy::Ring64
             ? 64
             : 16;
}

int64_t GatherGemmConfig::rowsPerBlock() const {
  return strategy == GatherStrategy::Ring64 ? warps / 4 * 64 : warps * 16;
}

int64_t GatherGemmConfig::parts() const {
  return strategy == GatherStrategy::Fma ? 1 : divideCeil(outChannels, width);
}

bool GatherGemmConfig::isPersistent() const {
  return strategy == GatherStrategy::Warp16 ||
         strategy == GatherStrategy::Group64;
}

int64_t GatherGemmConfig::sharedBytes() const {
  switch (strategy) {
  case GatherStrategy::Fma:
    return 0;
  case GatherStrategy::Warp16:
    return resident ? layout().partBytes() + residentExtra : residentExtra;
  case GatherStrategy::Group64:
    return layout().partBytes() + residentExtra;
  case GatherStrategy::Fma16:
    return stages * (layout().chunkBytes() + rowsPerBlock() * rowPitch()) +
           (maskWords() > 1 ? maskWords() * 4 : 0);
  case GatherStrategy::Ring64:
    return stages * (layout().chunkBytes() + 16) +
           (maskWords() > 1 ? maskWords() * 4 : 0) +
           (splitK > 1 ? ringTaskBytes : 0);
  }
  llvm_unreachable("strategy");
}

int64_t GatherGemmConfig::weightBytes() const {
  if (strategy == GatherStrategy::Fma)
    return offsets * (inChannels / groups) * outChannels * elementBytes();
  return layout().imageBytes();
}

int64_t GatherGemmConfig::countersPerTile() const {
  return parts() * rowsPerTile() / 16;
}

int64_t GatherGemmConfig::scratchBytesPerPart() const {
  return parts() * width * rowsPerTile() * 4;
}

int64_t GatherGemmConfig::blocksOfSplit(const GpuChip &chip) const {
  // What threads multiply takes long enough that more blocks than fit at once,
  // the costly ones first, are worth the additions.
  int64_t waves = strategy == GatherStrategy::Fma16 ? 4 : 1;
  return std::max<int64_t>(1, chip.multiprocessors * blocks * waves / parts());
}

int64_t GatherGemmConfig::roomOfSplit(const GpuChip &chip) const {
  return blocksOfSplit(chip) * (isPersistent() ? warps : 1);
}

int64_t GatherGemmConfig::tilesOfSplit(const GpuChip &chip) const {
  return blocksOfSplit(chip) * rowsPerBlock() / rowsPerTile();
}

int64_t GatherGemmConfig::scratchBytes(const GpuChip &chip) const {
  return splitK == 1 ? 4 : tilesOfSplit(chip) * scratchBytesPerPart();
}

int64_t GatherGemmConfig::counters(const GpuChip &chip) const {
  return splitK == 1 ? 1 : tilesOfSplit(chip) * countersPerTile();
}

std::string GatherGemmConfig::verify(const GpuChip &chip) const {
  if (offsets < 1 || inChannels < 1 || outChannels < 1)
    return formatv("expected at least one offset and channel, found {0} "
                   "offsets, {1} to {2} channels",
                   offsets, inChannels, outChannels);
  if (groups < 1 || inChannels % groups || outChannels % groups)
    return formatv("{0} groups do not divide {1} and {2} channels", groups,
                   inChannels, outChannels);
  if (warps < 1 || warps > 32 || blocks < 1 || warps * blocks > 64)
    return formatv("expected 1 to 32 warps in a block and at most 64 on a "
                   "multiprocessor, found {0} in each of {1} blocks",
                   warps, blocks);
  bool isFma = strategy == GatherStrategy::Fma;
  bool isFma16 = strategy == GatherStrategy::Fma16;
  if (isFma && element == GemmElement::TF32)
    return "the FMA kernel multiplies in f32, not in tf32";
  if (isFma && transposedWeights && groups > 1)
    return "transposed weights have no groups";
  if (isFma)
    return splitK > 1 ? "the FMA kernel splits no sum" : "";
  if (isFma16 && element != GemmElement::F32)
    return "the FMA kernel of tiles takes f32";
  if (!isFma16 && element == GemmElement::F32)
    return "tensor cores take f16, bf16 and tf32, not f32";
  if (groups > 1)
    return "only the FMA kernel of any shape has groups";
  if (transposedWeights)
    return "weights are transposed as they are packed";
  if (maskWords() > 250)
    return formatv("expected at most 8000 offsets, found {0}", offsets);
  int64_t unit = 32 / elementBytes();
  if (depth < unit || depth % unit || width < 8 || width % 8 || width > 256)
    return formatv("expected a depth in steps of {0} and a width of 8 to 256 "
                   "in steps of 8, found {1} and {2}",
                   unit, depth, width);
  if (splitK < 1 || (splitK > 1 && maskWords() > 1))
    return formatv("at most 32 offsets are split among blocks, found {0} parts "
                   "of {1} offsets",
                   splitK, offsets);
  if (splitK > 1 && strategy == GatherStrategy::Group64)
    return "warpgroups with resident weights split no offsets";
  if (isFma16)
    return verifyFma16(chip);
  if (depth < inChannels && depth % (2 * unit))
    return formatv("a depth of {0} does not cover {1} input channels and is "
                   "no multiple of {2}",
                   depth, inChannels, 2 * unit);
  if (strategy != GatherStrategy::Warp16) {
    if (!chip.hasWgmma)
      return formatv("{0} has no wgmma", chip.name);
    if (element == GemmElement::TF32)
      return "the wgmma kernels take f16 and bf16";
    if (warps % 4)
      return formatv("expected whole warpgroups, found {0} warps", warps);
  }
  if (strategy == GatherStrategy::Group64 && depth < inChannels)
    return "the kernel with resident weights takes all input channels a step";
  if (strategy == GatherStrategy::Ring64 && stages < 3)
    return "the ring has at least 3 stages";
  return verifyResources(estimateRegisters(), chip);
}

/// Accumulators, rows as loaded and as multiplied, addresses, and what else
/// ptxas was seen to want over many shapes.
int64_t GatherGemmConfig::estimateRegisters() const {
  int64_t rows = depth * elementBytes() / 8;
  bool isExact = depth == inChannels, hasWords = maskWords() > 1;
  bool isTf32 = element == GemmElement::TF32;
  // Columns of a lane that are no pairs of tiles are stored one by one; rows of
  // odd size are loaded by halves of registers.
  int64_t uneven = width % 16 ? 4 + isTf32 : 0;
  int64_t halves = inChannels * elementBytes() % 4 ? rows : 0;
  if (strategy == GatherStrategy::Group64)
    return width / 2 + 2 * rows + 24 + (isExact ? 4 : 12) + uneven + 3 * halves;
  if (strategy == GatherStrategy::Ring64) {
    // The chunks of an offset lie one behind the other in the code.
    int64_t chunks = layout().chunks, most = std::min<int64_t>(chunks, 4);
    return width / 2 + 2 * rows + 24 + (splitK > 1 ? 16 : 0) +
           (hasWords ? 14 : 0) + 12 * (most - 1) + 20 * (chunks - most) +
           halves;
  }
  // Where two blocks share a multiprocessor, ptxas makes do with less.
  if (resident && blocks > 1)
    return width / 2 + (isExact ? rows : 2 * rows) + 40 + uneven +
           (rows > 12 ? 4 : 0) + halves / 8;
  int64_t lane = width * 3 / 5 + 2 * rows + width * rows / 24 + 3 * halves +
                 (hasWords ? 15 : 0) + (splitK > 1 ? 14 + 2 * uneven : 0);
  if (resident)
    return lane + 30;
  bool isWhole = parts() == 1 && depth >= inChannels;
  lane += (isWhole ? 15 : 39) + (isTf32 ? (hasWords ? 9 : 3) : 0);
  return std::max<int64_t>(lane, 80);
}

std::string GatherGemmConfig::verifyFma16(const GpuChip &chip) const {
  if (width % 32 || width > 128)
    return formatv("expected a width of 32 to 128 in steps of 32, found {0}",
                   width);
  if (stages < 2)
    return "a ring has at least 2 stages";
  // Accumulators; rows and weights of four input channels; addresses.
  return verifyResources(width / 2 + width / 4 + 56, chip);
}

std::string GatherGemmConfig::verifyResources(int64_t registers,
                                              const GpuChip &chip) const {
  int64_t limit = std::min<int64_t>(65536 / (threads() * blocks) / 8 * 8, 255);
  if (registers > limit)
    return formatv("a thread needs more than {0} registers, {1} warps in each "
                   "of {2} blocks leave {3}",
                   registers, warps, blocks, limit);
  if (sharedBytes() > chip.sharedPerBlock ||
      blocks * (sharedBytes() + kilobyte) > chip.sharedPerMultiprocessor)
    return formatv("{0} blocks of {1} bytes of shared memory do not fit {2}",
                   blocks, sharedBytes(), chip.name);
  return "";
}

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
  for (int64_t blocks : {2, 1})
    for (int64_t part : {width, narrow})
      for (int64_t depth : {whole, 8 * unit, line})
        if (depth <= whole)
          add(GatherStrategy::Warp16, 16, blocks, depth, part, false, 1);
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
