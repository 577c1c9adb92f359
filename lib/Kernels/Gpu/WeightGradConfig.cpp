//===- WeightGradConfig.cpp - choosing configurations ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/WeightGrad.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::alignTo;
using llvm::divideCeil;

int64_t WeightGradConfig::sharedBytes() const {
  // The rows, the pairs and a total for each warp, which loads of 16 bytes may
  // read.
  return stages * stageBytes() + listRoom() * 8 + alignTo(threads / 8, 16);
}

/// The tile that leaves least unused, and of those the largest.
static int64_t chooseTile(int64_t channels, int64_t widest) {
  int64_t best = 16, padded = INT64_MAX;
  for (int64_t tile : {16, 32, 48, 64, 96, 128}) {
    int64_t total = alignTo(channels, tile);
    if (tile <= widest && total <= padded) {
      best = tile;
      padded = total;
    }
  }
  return best;
}

static void chooseMma(WeightGradConfig &config) {
  config.tensorCores = true;
  // Rows of f32 take twice the shared memory.
  int64_t widest = config.elementBytes() == 4 ? 64 : 128;
  config.tileIn = chooseTile(config.inChannels, widest);
  config.tileOut = chooseTile(config.outChannels, widest);
  auto piece = [](int64_t tile) { return tile % 32 == 0 ? 32 : 16; };
  config.pieceIn = piece(config.tileIn);
  config.pieceOut = piece(config.tileOut);
  // Larger pieces read less from shared memory.
  if (config.tileIn == 128 && config.pieceOut == 32)
    config.pieceIn = 64;
  config.lanes = std::max<int64_t>(1, 4 / config.pieces());
  config.pairs = 16 * std::max<int64_t>(2, config.lanes);
  config.stages = 4;
  config.threads = 32 * config.pieces() * config.lanes;
  config.blocks = std::max<int64_t>(1, 512 / config.threads);
}

static void chooseFma(WeightGradConfig &config) {
  constexpr int64_t threads = 256, widest = 64, mostColumns = 512;
  // Equal tiles of whole pieces of up to four channels.
  auto choose = [](int64_t channels, int64_t &tile, int64_t &piece) {
    piece = std::min<int64_t>(4, llvm::PowerOf2Ceil(channels));
    tile = alignTo(divideCeil(channels, divideCeil(channels, widest)), piece);
  };
  choose(config.inChannels, config.tileIn, config.pieceIn);
  choose(config.outChannels, config.tileOut, config.pieceOut);
  if (config.tilesIn() == 1 && config.tilesOut() == 1) {
    int64_t groups = std::min({config.groups, threads / config.pieces(),
                               mostColumns / (config.tileIn + config.tileOut)});
    config.tileGroups =
        divideCeil(config.groups, divideCeil(config.groups, groups));
  }
  int64_t columns = config.tileGroups * (config.tileIn + config.tileOut);
  config.pairs =
      std::clamp<int64_t>(llvm::bit_floor<uint64_t>(4096 / columns), 16, 64);
  config.lanes = std::min<int64_t>(
      config.pairs, llvm::bit_floor<uint64_t>(threads / config.pieces()));
  config.threads = threads;
  config.blocks = 2;
}

WeightGradConfig WeightGradConfig::choose(Type xElement, Type dyElement,
                                          int64_t offsets, int64_t groups,
                                          int64_t inChannels,
                                          int64_t outChannels, bool allowTf32,
                                          const GpuChip &chip) {
  WeightGradConfig config;
  config.xElement = xElement;
  config.dyElement = dyElement;
  config.offsets = offsets;
  config.groups = groups;
  config.inChannels = inChannels;
  config.outChannels = outChannels;
  int64_t piece = 16 / config.elementBytes();
  if (xElement == dyElement && (!xElement.isF32() || allowTf32) &&
      groups == 1 && inChannels % piece == 0 && outChannels % piece == 0)
    chooseMma(config);
  else
    chooseFma(config);

  // Enough blocks that dense offsets do not keep the others waiting, but no
  // more parts than are cheap to add up.
  constexpr int64_t blocksPerMultiprocessor = 12, mostChunks = 128;
  constexpr int64_t mostPartBytes = 64 << 20;
  int64_t wanted = divideCeil(chip.multiprocessors * blocksPerMultiprocessor,
                              offsets * config.tiles());
  int64_t partBytes = config.lanes * offsets * config.elements() * 4;
  config.chunks = std::clamp<int64_t>(
      std::min<int64_t>(wanted, mostPartBytes / partBytes), 1, mostChunks);
  return config;
}
