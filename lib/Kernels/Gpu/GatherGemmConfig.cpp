//===- GatherGemmConfig.cpp - what configurations need of a chip ----------===//
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
