//===- StageCopies.cpp - filling a stage of shared memory -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StageCopies.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// Bytes of a row's chunk in shared memory. The 16 bytes more put neighbouring
/// rows into different banks.
static int64_t getRowPitch(const ImplicitGemmConfig &config) {
  return config.tileK * 4 + 16;
}

int64_t StageCopies::getStageBytes(const ImplicitGemmConfig &config) {
  return config.layout().chunkBytes() +
         config.rowsPerBlock() * getRowPitch(config);
}

void StageCopies::copyWeights(const Source &source, Value target) {
  Value image = e.chunkAddress(source.offset, source.chunk);
  int64_t pieces = e.layout.chunkBytes() / 16;
  b.shareOut(e.thread, e.config.threads(), pieces, [&](Value piece) {
    Value at = b.mul(piece, 16);
    b.copyAsync(b.offset(target, at), b.offset(image, at));
  });
}

void StageCopies::copyRows(const Source &source, Value target) {
  // Two threads share a row and take its pieces in turn.
  const ImplicitGemmConfig &config = e.config;
  int64_t groupBytes = config.inChannels * 4;
  int64_t unit = std::min<int64_t>(16, groupBytes & -groupBytes);
  Value half = b.mul(b.remainder(e.thread, 2), unit);
  Value to = b.offset(
      target, b.add(b.mul(b.divide(e.thread, 2), getRowPitch(config)), half));
  Value present = b.lessUnsigned(source.row, e.inRows);
  Value first = half;
  if (e.layout.chunks > 1)
    first = b.add(first, b.mul(source.chunk, config.tileK * 4));
  // An absent row is not read, but has an address.
  Value row = b.select(present, source.row, b.i32(0));
  Value from = b.offset(b.element(e.x, row, config.inRowBytes()), first);
  bool isWhole = e.layout.chunks * config.tileK == config.inChannels;
  for (int64_t at = 0; at < config.tileK * 4; at += 2 * unit) {
    Value condition = present, piece = b.offset(from, at);
    if (!isWhole) {
      condition =
          b.andBits(present, b.lessUnsigned(b.add(first, at), groupBytes));
      piece = b.select(condition, piece, e.x);
    }
    b.copyAsyncIf(condition, b.offset(to, at), piece, unit);
  }
}

void StageCopies::copy(const Source &source, Value target) {
  copyWeights(source, target);
  copyRows(source, b.offset(target, e.layout.chunkBytes()));
}

LaneTile::Chunk StageCopies::getChunk(Value stage, Value tile) {
  Value rows = b.offset(stage, e.layout.chunkBytes());
  return {stage, rows, tile, getRowPitch(e.config)};
}
