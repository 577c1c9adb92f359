//===- FragmentLayout.h - which lane holds which channel --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How tensor-core kernels lay channels out. A row of a tile belongs to the four
// lanes of a lane group, each of which loads whole 16-byte pieces of it. That
// works because the inner dimension of a product may be permuted, as long as
// the weights are packed alike. The same permutation on output channels lets
// every lane store 16 bytes. This file is the only place that knows the
// permutation: it is evaluated on the host and, with values of a kernel under
// construction, on the device.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_GEMM_FRAGMENTLAYOUT_H
#define SPARSECONV_KERNELS_GEMM_FRAGMENTLAYOUT_H

#include <cstdint>

namespace mlir::sparseconv {

inline int64_t choose(bool condition, int64_t ifTrue, int64_t ifFalse) {
  return condition ? ifTrue : ifFalse;
}
inline bool isBelow(int64_t lhs, int64_t rhs) { return lhs < rhs; }

/// An element of a weight image and where its value comes from. A channel at
/// or beyond the number of channels is padding, whose value is zero.
template <class Int> struct ImageElement {
  Int offset;
  Int inChannel;
  Int outChannel;
};

/// Where an image has its weights.
enum class ImageOrder {
  /// By lane, as mma.sync takes them from registers.
  Fragments,
  /// As wgmma reads them from shared memory: rows of 128 bytes, one for each
  /// output channel, in the 128-byte swizzle.
  Swizzled,
  /// The same with input channels in their order, where wgmma reads the rows
  /// from shared memory, too.
  SwizzledInOrder,
  /// Chunks are [tileK, tileN] matrices of f32, for threads that multiply.
  Plain,
  /// Rows of tileN weights, for channels that see no other.
  Diagonal,
};

/// The order of channels in registers and of weights in an image.
///
/// Input channels come in `chunks` of `tileK`. A chunk is a row of step pairs:
/// 64 bytes for two steps of the instruction, which are four registers per
/// lane. At most one single step of 32 bytes stands at the end. Output channels
/// come in `columnTiles` of `tileN`, each made of tiles of 8; four, two or one
/// of these form a strip, whose columns a lane stores together: as many as fill
/// the pieces that rows are aligned to. With more of them, lanes beside one
/// another would not store beside one another.
struct FragmentLayout {
  /// Elements in a register of 4 bytes: 2, or 1 for f32 and tf32.
  int64_t perRegister = 2;
  int64_t offsets = 1;
  int64_t inChannels = 16;
  int64_t tileK = 16;
  int64_t chunks = 1;
  int64_t tileN = 8;
  int64_t columnTiles = 1;
  /// The tiles of a strip, where as many are left.
  int64_t strip = 4;
  ImageOrder order = ImageOrder::Fragments;

  int64_t tiles() const { return tileN / 8; }
  /// Instructions along a chunk.
  int64_t steps() const { return tileK / (8 * perRegister); }
  int64_t stepPairs() const { return (steps() + 1) / 2; }
  int64_t fullStepPairs() const { return steps() / 2; }
  /// A lane's registers of step pair `pair`, each with one row's elements.
  int64_t registersOf(int64_t pair) const {
    return pair < fullStepPairs() ? 4 : 2;
  }
  /// First channel of a step pair in its chunk.
  int64_t stepPairBegin(int64_t pair) const { return pair * 16 * perRegister; }
  /// Registers of one chunk of one offset of one column tile in the image.
  int64_t chunkRegisters() const {
    if (order == ImageOrder::Diagonal)
      return tileN / perRegister;
    return isSwizzled() ? (steps() + 3) / 4 * tileN * 32
                        : steps() * tiles() * 64;
  }
  int64_t chunkBytes() const { return chunkRegisters() * 4; }
  int64_t offsetBytes() const { return chunkBytes() * chunks; }
  int64_t columnTileBytes() const { return offsetBytes() * offsets; }
  int64_t imageBytes() const { return columnTileBytes() * columnTiles; }

  /// The strip of an output tile: how many tiles, and the first of them.
  int64_t stripSize(int64_t tile) const {
    int64_t full = tiles() / strip * strip, rest = tiles() - full;
    if (tile < full)
      return strip;
    return rest >= 2 && tile < full + 2 ? 2 : 1;
  }
  int64_t stripBegin(int64_t tile) const {
    int64_t full = tiles() / strip * strip;
    return tile < full                     ? tile / strip * strip
           : tile < full + stripSize(full) ? full
                                           : full + 2;
  }

  /// Channel, in its chunk, of element `bit` of register `reg` of lane `t` in
  /// a step pair of `registers` per lane.
  template <class Int>
  Int inColumn(Int pair, Int registers, Int t, Int reg, int64_t bit) const {
    return pair * (16 * perRegister) + (t * registers + reg) * perRegister +
           bit;
  }

  /// Channel, in its column tile, of column `slot` (0 to 7) of an output tile.
  template <class Int> Int outColumn(Int tile, Int slot) const {
    int64_t full = tiles() / strip * strip, rest = tiles() - full;
    Int pair = slot / 2, bit = slot % 2;
    Int regular = tile / strip * (8 * strip) + pair * (2 * strip) +
                  tile % strip * 2 + bit;
    if (rest == 0)
      return regular;
    Int local = tile - full;
    Int single = tile * 8 + pair * 2 + bit;
    Int twin = pair * 4 + local * 2 + bit + full * 8;
    Int tail = rest == 1 ? single : choose(isBelow(local, 2), twin, single);
    return choose(isBelow(tile, full), regular, tail);
  }

  /// The first register of piece `number` of 16 bytes. With `acrossRows`, which
  /// takes an image of rows, pieces that follow each other are of rows that do,
  /// otherwise they lie side by side.
  template <class Int> Int firstOfPiece(Int number, bool acrossRows) const {
    if (!acrossRows)
      return number * 4;
    Int row = number % tileN, column = number / tileN % 8;
    return (number / (8 * tileN) * tileN + row) * 32 + column * 4;
  }

  /// What element `bit` of register `reg` of the image is.
  template <class Int> ImageElement<Int> element(Int reg, int64_t bit) const {
    if (order == ImageOrder::Plain)
      return plainElement(reg);
    if (order == ImageOrder::Diagonal)
      return diagonalElement(reg, bit);
    Int chunk = reg / chunkRegisters();
    Int inner = reg % chunkRegisters();
    Int base = chunk % chunks * tileK;
    Int offset = chunk / chunks % offsets;
    Int firstOut = chunk / chunks / offsets * tileN;
    if (isSwizzled()) {
      Int row = inner / 32 % tileN;
      Int piece = inner % 32 / 4 ^ row % 8;
      Int t = inner % 4;
      Int step = inner / (32 * tileN) * 4 + piece / 2;
      Int half = piece % 2;
      Int column = order == ImageOrder::Swizzled
                       ? inBlockColumn(step, t, half, bit)
                       : step * 16 + half * 8 + t * 2 + bit;
      Int k =
          choose(isBelow(step, steps()), column + base, inner * 0 + inChannels);
      return {offset, k, firstOut + outColumn(row / 8, row % 8)};
    }
    int64_t pairSize = tiles() * 128;
    Int pair = inner / pairSize;
    Int within = inner % pairSize;
    Int k = lanePiece(pair, within, 4, bit);
    Int tileAndLane = within / 4;
    if (steps() % 2) {
      auto isFull = isBelow(pair, fullStepPairs());
      k = choose(isFull, k, lanePiece(pair, within, 2, bit));
      tileAndLane = choose(isFull, tileAndLane, within / 2);
    }
    return {offset, base + k,
            firstOut + outColumn(tileAndLane / 32, tileAndLane % 32 / 4)};
  }

  /// Whether the image is rows of 128 bytes, one for each output channel.
  bool isSwizzled() const {
    return order == ImageOrder::Swizzled ||
           order == ImageOrder::SwizzledInOrder;
  }

private:
  template <class Int> ImageElement<Int> plainElement(Int reg) const {
    Int chunk = reg / chunkRegisters();
    Int inner = reg % chunkRegisters();
    return {chunk / chunks % offsets, chunk % chunks * tileK + inner / tileN,
            chunk / chunks / offsets * tileN + inner % tileN};
  }
  template <class Int>
  ImageElement<Int> diagonalElement(Int reg, int64_t bit) const {
    Int row = reg / chunkRegisters();
    Int inRow = reg % chunkRegisters() * perRegister + bit;
    return {row % offsets, inRow * 0, row / offsets * tileN + inRow};
  }
  /// Channel of what lane `t` feeds to `half` of a step.
  template <class Int>
  Int inBlockColumn(Int step, Int t, Int half, int64_t bit) const {
    Int pair = step / 2;
    Int full = inColumn(pair, pair * 0 + 4, t, step % 2 * 2 + half, bit);
    if (steps() % 2 == 0)
      return full;
    Int last = inColumn(pair, pair * 0 + 2, t, half, bit);
    return choose(isBelow(pair, fullStepPairs()), full, last);
  }
  template <class Int>
  Int lanePiece(Int pair, Int within, int64_t registers, int64_t bit) const {
    return inColumn(pair, pair * 0 + registers, within / registers % 4,
                    within % registers, bit);
  }
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_GEMM_FRAGMENTLAYOUT_H
