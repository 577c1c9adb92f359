//===- ImplicitGemmConfig.cpp - what a tiling needs of a chip -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::divideCeil;
using llvm::formatv;

FragmentLayout ImplicitGemmConfig::layout() const {
  FragmentLayout layout;
  layout.perRegister = 4 / elementBytes();
  layout.offsets = offsets;
  layout.inChannels = inChannels;
  layout.tileK = tileK;
  layout.chunks = divideCeil(inChannels, tileK);
  layout.tileN = tileN;
  layout.columnTiles = columnTiles();
  // A lane has two columns of a tile.
  layout.strip = std::max<int64_t>(std::gcd(outChannels, 8) / 2, 1);
  layout.order = loop->getImageOrder();
  return layout;
}

int64_t ImplicitGemmConfig::elementBytes() const {
  return element == GemmElement::F16 || element == GemmElement::BF16 ? 2 : 4;
}

int64_t ImplicitGemmConfig::sectionTiles() const {
  return divideCeil(sectionChannels(), tileN);
}

int64_t ImplicitGemmConfig::countersPerTile() const {
  return columnTiles() * rowsPerTile() / 16;
}

int64_t ImplicitGemmConfig::scratchBytesPerSplit() const {
  return columnTiles() * tileN * rowsPerTile() * 4;
}

int64_t ImplicitGemmConfig::blocksOfSplit(const TargetInfo &target) const {
  return divideCeil(target.multiprocessors * blocks * loop->wavesOfSplit(),
                    columnTiles());
}

int64_t ImplicitGemmConfig::roomOfSplit(const TargetInfo &target) const {
  return blocksOfSplit(target) * (isPersistent() ? warps : 1);
}

int64_t ImplicitGemmConfig::countersOfTiles() const {
  // There is a plan for as many row blocks as a thread block has threads.
  return threads() * (rowsPerBlock() / rowsPerTile()) * countersPerTile();
}

int64_t ImplicitGemmConfig::tilesOfSplit(const TargetInfo &target) const {
  return blocksOfSplit(target) * rowsPerBlock() / rowsPerTile();
}

int64_t ImplicitGemmConfig::scratchBytes(const TargetInfo &target) const {
  return splitK == 1 ? 4 : tilesOfSplit(target) * scratchBytesPerSplit();
}

int64_t ImplicitGemmConfig::counters(const TargetInfo &target) const {
  if (splitK == 1)
    return 1;
  if (loop->plansSplits())
    return countersOfTiles() + columnTiles();
  return tilesOfSplit(target) * countersPerTile();
}

std::string ImplicitGemmConfig::verify(const TargetInfo &target) const {
  if (std::string problem = verifySizes(); !problem.empty())
    return problem;
  if (std::string problem = loop->verify(*this, target); !problem.empty())
    return problem;
  if (std::string problem = verifyRegisters(
          warps, blocks, loop->estimateRegisters(*this), target);
      !problem.empty())
    return problem;
  return verifySharedMemory(blocks, sharedBytes(), target);
}

/// As many thread blocks side by side as a grid may have.
static constexpr int64_t kMostColumnTiles = 65535;

/// What holds for all main loops.
std::string ImplicitGemmConfig::verifySizes() const {
  StringRef name = loop->getName();
  if (offsets < 1 || groups < 1 || inChannels < 1 || outChannels < 1)
    return formatv("expected at least one offset and channel, found {0} "
                   "offsets, {1} to {2} channels",
                   offsets, groups * inChannels, groups * outChannels);
  if (loop->joinsGroups() && !isDepthwise())
    return formatv("the main loop {0} takes groups of one channel, found {1} "
                   "groups of {2} to {3} channels",
                   name, groups, inChannels, outChannels);
  if (maskWords() > 250)
    return formatv("expected at most 8000 offsets, found {0}", offsets);
  if (tileK < tileUnit() || tileK % tileUnit() || tileN < 8 || tileN % 8 ||
      tileN > 256)
    return formatv("expected tile_k in steps of {0} and tile_n of 8 to 256 "
                   "in steps of 8, found {1} and {2}",
                   tileUnit(), tileK, tileN);
  if (columnTiles() > kMostColumnTiles)
    return formatv("expected at most {0} column tiles, found {1}",
                   kMostColumnTiles, columnTiles());
  if (stages != 1 && !loop->hasStages())
    return formatv("the main loop {0} has no stages, found {1}", name, stages);
  if (resident && !loop->hasResidentWeights())
    return formatv("the main loop {0} leaves no choice of resident weights",
                   name);
  if (splitK > 1 && !loop->splitsSums())
    return formatv("the main loop {0} splits no sum, found {1} splits", name,
                   splitK);
  if (splitK < 1)
    return formatv("expected at least one split, found {0}", splitK);
  return "";
}
