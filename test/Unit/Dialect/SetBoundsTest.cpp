//===- SetBoundsTest.cpp - how many rows a set can have -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SetBounds.h"
#include "mlir/IR/MLIRContext.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::sparseconv;

/// All offsets of a box of three axes from `lower` on, times `step`.
static SmallVector<int64_t> makeBox(int64_t lower, int64_t size,
                                    int64_t step = 1) {
  SmallVector<int64_t> box;
  for (int64_t x = 0; x != size; ++x)
    for (int64_t y = 0; y != size; ++y)
      for (int64_t z = 0; z != size; ++z)
        box.append(
            {(lower + x) * step, (lower + y) * step, (lower + z) * step});
  return box;
}

TEST(Reach, OfWindowsAtAStride) {
  // By axis: ceil(3 / 2), ceil(3 / 1), ceil(2 / 2), ceil(5 / 2), ceil(5 / 3).
  EXPECT_EQ(getReach(makeBox(-1, 3), {2, 2, 2}), 8);
  EXPECT_EQ(getReach(makeBox(-1, 3), {1, 1, 1}), 27);
  EXPECT_EQ(getReach(makeBox(0, 2), {2, 2, 2}), 1);
  EXPECT_EQ(getReach(makeBox(-2, 5), {2, 2, 2}), 27);
  EXPECT_EQ(getReach(makeBox(-2, 5), {3, 3, 3}), 8);
  EXPECT_EQ(getReach(makeBox(-1, 3), {2, 1, 4}), 2 * 3 * 1);
}

TEST(Reach, OfCoarserSets) {
  // From stride 2 to stride 4, a window of 3 is displacements of -2, 0, 2.
  EXPECT_EQ(getReach(makeBox(-1, 3, 2), {4, 4, 4}), 8);
  // Each cell of a finer set is reached.
  EXPECT_EQ(getReach(makeBox(0, 2, 4), {4, 4, 4}), 8);
  // Dilation by the stride: all agree.
  EXPECT_EQ(getReach(makeBox(-1, 3, 2), {2, 2, 2}), 27);
}

TEST(Reach, OfLists) {
  EXPECT_EQ(getReach({0, 0, 0, 1, -1, 3, -4}, {2}), 4);
  EXPECT_EQ(getReach({5}, {3}), 1);
  EXPECT_EQ(getReach({}, {3}), 0);
  EXPECT_EQ(getReach({0, 1, 1, 0, 2, 3}, {2, 2}), 2);
}

// Any coordinate has at most the reach, and some has it.
TEST(Reach, CountedOneByOne) {
  unsigned seed = 7;
  auto draw = [&](int64_t below) {
    seed = seed * 1664525 + 1013904223;
    return int64_t(seed >> 8) % below;
  };
  for (int trial = 0; trial != 200; ++trial) {
    int64_t strides[] = {1 + draw(4), 1 + draw(4)};
    SmallVector<int64_t> offsets;
    for (int64_t i = 0, e = 1 + draw(12); i != e; ++i)
      offsets.append({draw(11) - 5, draw(11) - 5});
    int64_t most = 0;
    for (int64_t x = -12; x != 12; ++x)
      for (int64_t y = -12; y != 12; ++y) {
        int64_t count = 0;
        for (size_t i = 0; i != offsets.size(); i += 2)
          count += (x + offsets[i]) % strides[0] == 0 &&
                   (y + offsets[i + 1]) % strides[1] == 0;
        most = std::max(most, count);
      }
    EXPECT_EQ(getReach(offsets, strides), most) << trial;
  }
}

namespace {
class Cells : public ::testing::Test {
protected:
  Cells() { context.loadDialect<SparseConvDialect>(); }

  CoordsType makeSet(unsigned batch, ArrayRef<int64_t> bits,
                     ArrayRef<int64_t> stride) {
    SmallVector<int64_t> guard(bits.size(), 1);
    auto packing = PackingAttr::get(&context, 64, batch, bits, guard);
    return CoordsType::get(&context, bits.size(), stride, packing);
  }

  MLIRContext context;
};
} // namespace

TEST_F(Cells, OfAPacking) {
  // Four bits with a guard of 1 hold -7 .. 6: at stride 3 those are -6 .. 6.
  EXPECT_EQ(getNumCells(makeSet(0, {4}, {1})), 14);
  EXPECT_EQ(getNumCells(makeSet(0, {4}, {3})), 5);
  EXPECT_EQ(getNumCells(makeSet(0, {4}, {4})), 3);
  // The largest stride that the packing takes.
  EXPECT_EQ(getNumCells(makeSet(0, {4}, {6})), 3);
  EXPECT_EQ(getNumCells(makeSet(3, {4, 4}, {1, 3})), 8 * 14 * 5);
}

TEST_F(Cells, InsideAClip) {
  auto clip = [&](ArrayRef<int64_t> lower, ArrayRef<int64_t> upper) {
    return RegionAttr::get(&context, lower, upper);
  };
  CoordsType set = makeSet(1, {8, 8}, {2, 2});
  EXPECT_EQ(getNumCells(set, clip({0, 0}, {8, 4})), 2 * 4 * 2);
  EXPECT_EQ(getNumCells(set, clip({-3, 1}, {2, 2})), 0);
  EXPECT_EQ(getNumCells(set, clip({-3, 1}, {2, 3})), 2 * 2 * 1);
  // No further than the packing reaches.
  EXPECT_EQ(getNumCells(set, clip({-1000, 0}, {1000, 2})), 2 * 127);
}

TEST_F(Cells, MoreThanANumberHolds) {
  CoordsType set = makeSet(0, {32, 32}, {1, 1});
  EXPECT_EQ(getNumCells(set), std::numeric_limits<int64_t>::max());
  auto none = RegionAttr::get(&context, {0, 5}, {4, 6});
  EXPECT_EQ(getNumCells(set, none), 4);
}

TEST_F(Cells, OfAnAxis) {
  CoordsType set = makeSet(0, {8, 8}, {3, 2});
  auto clip = RegionAttr::get(&context, {-4, 5}, {7, 6});
  EXPECT_EQ(getAxisCells(set, 0, clip).lowest, -3);
  EXPECT_EQ(getAxisCells(set, 0, clip).count, 4);
  EXPECT_EQ(getAxisCells(set, 1, clip).count, 0);
  EXPECT_EQ(getAxisCells(set, 1, std::nullopt).lowest, -126);
  EXPECT_EQ(getAxisCells(set, 1, std::nullopt).count, 127);
}
