//===- FragmentLayoutTest.cpp - layouts against the instructions ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference here knows nothing of permutations: it multiplies fragments the
// way the PTX manual defines the instructions, with A filled by what lanes load
// and B by what the image holds. The product must be the matrix product.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"
#include "gtest/gtest.h"
#include <map>
#include <set>
#include <vector>

using namespace mlir::sparseconv;

namespace {

struct Shape {
  int64_t inChannels, outChannels, tileK, tileN;
  bool swizzled;
  int64_t perRegister;
  int64_t strip = 4;
};

class FragmentLayoutTest : public ::testing::TestWithParam<Shape> {
protected:
  static FragmentLayout makeLayout(const Shape &shape) {
    FragmentLayout layout;
    layout.perRegister = shape.perRegister;
    layout.offsets = 2;
    layout.inChannels = shape.inChannels;
    layout.tileK = shape.tileK;
    layout.chunks = (shape.inChannels + shape.tileK - 1) / shape.tileK;
    layout.tileN = shape.tileN;
    layout.columnTiles = (shape.outChannels + shape.tileN - 1) / shape.tileN;
    layout.strip = shape.strip;
    layout.order =
        shape.swizzled ? ImageOrder::Swizzled : ImageOrder::Fragments;
    return layout;
  }
};

/// Where the image keeps the two B registers of a lane in a step, as the
/// kernels address it: by lane for mma.sync, by row and swizzle for wgmma.
int64_t imageRegister(const FragmentLayout &layout, int64_t step, int64_t tile,
                      int64_t lane, int64_t half) {
  if (layout.order == ImageOrder::Swizzled) {
    int64_t row = tile * 8 + lane / 4;
    int64_t piece = step % 4 * 2 + half;
    return step / 4 * layout.tileN * 32 + row * 32 + (piece ^ (row % 8)) * 4 +
           lane % 4;
  }
  int64_t pair = step / 2, registers = layout.registersOf(pair);
  return pair * layout.tiles() * 128 + (tile * 32 + lane) * registers +
         step % 2 * 2 + half;
}

TEST_P(FragmentLayoutTest, FragmentsMultiplyLikeMatrices) {
  FragmentLayout layout = makeLayout(GetParam());
  int64_t elements = layout.perRegister;
  // One row of A: the value of a channel is its number + 1.
  for (int64_t columnTile = 0; columnTile < layout.columnTiles; ++columnTile)
    for (int64_t offset = 0; offset < layout.offsets; ++offset) {
      // Which (in, out) channel pairs the instructions multiply, per column of
      // the accumulators as the store writes them.
      std::set<std::pair<int64_t, int64_t>> seen;
      for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
        int64_t base =
            ((columnTile * layout.offsets + offset) * layout.chunks + chunk) *
            layout.chunkRegisters();
        for (int64_t step = 0; step < layout.steps(); ++step)
          for (int64_t tile = 0; tile < layout.tiles(); ++tile)
            for (int64_t lane = 0; lane < 32; ++lane)
              for (int64_t half = 0; half < 2; ++half)
                for (int64_t bit = 0; bit < elements; ++bit) {
                  // B's lane holds row k = lane % 4 of column n = lane / 4; A's
                  // lane of the same k position loaded this channel:
                  int64_t pair = step / 2;
                  int64_t loaded = chunk * layout.tileK +
                                   layout.inColumn<int64_t>(
                                       pair, layout.registersOf(pair), lane % 4,
                                       step % 2 * 2 + half, bit);
                  int64_t at =
                      base + imageRegister(layout, step, tile, lane, half);
                  ImageElement<int64_t> element =
                      layout.element<int64_t>(at, bit);
                  ASSERT_EQ(element.offset, offset);
                  ASSERT_EQ(element.inChannel, loaded);
                  // The accumulator of column n of the tile is stored here:
                  int64_t n = lane / 4;
                  int64_t size = layout.stripSize(tile);
                  int64_t stored = columnTile * layout.tileN +
                                   layout.stripBegin(tile) * 8 +
                                   2 * size * (n / 2) +
                                   2 * (tile - layout.stripBegin(tile)) + n % 2;
                  ASSERT_EQ(element.outChannel, stored);
                  ASSERT_TRUE(seen.insert({loaded, stored}).second);
                }
      }
      // Every pair of channels once.
      for (int64_t in = 0; in < layout.inChannels; ++in)
        for (int64_t out = 0; out < layout.tileN; ++out)
          ASSERT_TRUE(seen.count({in, columnTile * layout.tileN + out}));
    }
}

TEST_P(FragmentLayoutTest, WhatNoInstructionReadsIsPadding) {
  FragmentLayout layout = makeLayout(GetParam());
  std::map<std::tuple<int64_t, int64_t, int64_t>, int> count;
  for (int64_t reg = 0; reg < layout.imageBytes() / 4; ++reg)
    for (int64_t bit = 0; bit < layout.perRegister; ++bit) {
      ImageElement<int64_t> element = layout.element<int64_t>(reg, bit);
      if (element.inChannel < layout.inChannels)
        ++count[{element.offset, element.inChannel, element.outChannel}];
    }
  EXPECT_EQ(count.size(),
            static_cast<size_t>(layout.offsets * layout.inChannels *
                                layout.tileN * layout.columnTiles));
  for (auto &[key, times] : count)
    ASSERT_EQ(times, 1);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FragmentLayoutTest,
    ::testing::Values(
        Shape{16, 16, 16, 16, false, 2}, Shape{32, 32, 32, 32, false, 2},
        Shape{48, 24, 48, 24, false, 2}, Shape{5, 9, 16, 16, false, 2},
        Shape{64, 56, 64, 56, false, 2}, Shape{256, 256, 64, 128, false, 2},
        Shape{8, 8, 8, 8, false, 1}, Shape{40, 48, 40, 48, false, 1},
        Shape{64, 64, 64, 64, true, 2}, Shape{16, 16, 16, 16, true, 2},
        Shape{96, 80, 96, 80, true, 2}, Shape{160, 200, 64, 200, true, 2},
        Shape{128, 320, 64, 160, true, 2}, Shape{48, 36, 48, 40, false, 2, 2},
        Shape{64, 12, 64, 16, true, 2, 2}, Shape{96, 101, 96, 104, true, 2, 1},
        Shape{16, 19, 16, 24, false, 1, 1}));

const TargetInfo &getChip(llvm::StringRef name) {
  return *llvm::cantFail(findTarget("cuda", name)).info;
}

ImplicitGemmShape makeShape(GemmElement element, int64_t offsets, int64_t in,
                            int64_t out) {
  ImplicitGemmShape shape;
  shape.element = element;
  shape.offsets = offsets;
  shape.inChannels = in;
  shape.outChannels = out;
  return shape;
}

ImplicitGemmConfig ring(int64_t in, int64_t out) {
  ImplicitGemmConfig config = *ImplicitGemmConfig::choose(
      makeShape(GemmElement::F16, 27, in, out), getChip("sm_90a"));
  EXPECT_EQ(config.loop->getName(), "ring64");
  return config;
}

TEST(ImplicitGemmConfigTest, EveryChoiceIsAccepted) {
  for (const TargetInfo &target :
       llvm::cantFail(findTarget("cuda")).backend->chips)
    for (GemmElement element : {GemmElement::F16, GemmElement::BF16,
                                GemmElement::TF32, GemmElement::F32})
      for (int64_t offsets : {1, 27, 125, 343})
        for (int64_t in : {1, 3, 16, 24, 32, 64, 100, 128, 256, 1024})
          for (int64_t out : {1, 8, 20, 32, 64, 96, 128, 256, 512}) {
            // Layers of many channels, as if their rows were many.
            ImplicitGemmShape shape = makeShape(element, offsets, in, out);
            shape.rowStride = in * out >= 128 * 128 ? 1 : 4;
            std::optional<ImplicitGemmConfig> config =
                ImplicitGemmConfig::choose(shape, target);
            // The narrowest shapes have no tiles.
            ASSERT_EQ(config.has_value(),
                      element != GemmElement::F32 || (in >= 4 && out >= 8));
            if (!config)
              continue;
            EXPECT_EQ(config->verify(target), "")
                << target.chip.str() << " " << offsets << " " << in << " "
                << out;
            EXPECT_EQ(config->loop->usesTensorCores(),
                      element != GemmElement::F32);
          }
}

/// A lane stores as many bytes as rows are aligned to, in pieces of up to 16,
/// so that lanes beside one another store beside one another.
TEST(ImplicitGemmConfigTest, StripsAreAsWideAsPieces) {
  for (auto [channels, strip] : std::vector<std::pair<int64_t, int64_t>>{
           {64, 4}, {40, 4}, {20, 2}, {12, 2}, {18, 1}, {19, 1}}) {
    ImplicitGemmConfig config = *ImplicitGemmConfig::choose(
        makeShape(GemmElement::F16, 27, 64, channels), getChip("sm_90a"));
    EXPECT_EQ(config.layout().strip, strip) << channels << " channels";
  }
}

TEST(ImplicitGemmConfigTest, KnownBestMainLoops) {
  const TargetInfo &hopper = getChip("sm_90a");
  auto choose = [&](int64_t channels, const TargetInfo &target) {
    return ImplicitGemmConfig::choose(
               makeShape(GemmElement::F16, 27, channels, channels), target)
        ->loop->getName();
  };
  EXPECT_EQ(choose(16, hopper), "warp16");
  EXPECT_EQ(choose(32, hopper), "warp16");
  EXPECT_EQ(choose(64, hopper), "group64");
  EXPECT_EQ(choose(128, hopper), "ring64");
  EXPECT_EQ(choose(256, hopper), "producer64");
  EXPECT_EQ(choose(64, getChip("sm_80")), "warp16");
  // Column tiles are wide where there are many rows.
  ImplicitGemmShape shape = makeShape(GemmElement::F16, 27, 256, 256);
  EXPECT_EQ(ImplicitGemmConfig::choose(shape, hopper)->tileN, 128);
  shape.rowStride = 1;
  EXPECT_EQ(ImplicitGemmConfig::choose(shape, hopper)->tileN, 256);
  shape.offsets = 8;
  EXPECT_EQ(ImplicitGemmConfig::choose(shape, hopper)->loop->getName(),
            "ring64");
}

/// 100 channels in two chunks, to two tiles of 24 columns.
static FragmentLayout makeRowLayout() {
  FragmentLayout layout;
  layout.order = ImageOrder::SwizzledInOrder;
  layout.offsets = 2;
  layout.inChannels = 100;
  layout.tileK = 64;
  layout.chunks = 2;
  layout.tileN = 24;
  layout.columnTiles = 2;
  return layout;
}

TEST(InOrderLayoutTest, ImagesAreRowsOfInputChannels) {
  FragmentLayout layout = makeRowLayout();
  EXPECT_EQ(layout.chunkBytes(), 24 * 128);
  for (int64_t reg = 0; reg < layout.imageBytes() / 4; ++reg)
    for (int64_t bit : {0, 1}) {
      ImageElement<int64_t> element = layout.element<int64_t>(reg, bit);
      // A row of 128 bytes, a piece of 16 of it, and an element of the piece.
      int64_t row = reg / 32 % 24, piece = reg % 32 / 4 ^ row % 8;
      int64_t chunk = reg / (32 * 24);
      EXPECT_EQ(element.offset, chunk / 2 % 2);
      EXPECT_EQ(element.inChannel,
                chunk % 2 * 64 + piece * 8 + reg % 4 * 2 + bit);
      EXPECT_EQ(element.outChannel,
                chunk / 4 * 24 + layout.outColumn(row / 8, row % 8));
    }
}

TEST(InOrderLayoutTest, PiecesCoverTheImageInBothOrders) {
  FragmentLayout layout = makeRowLayout();
  for (bool acrossRows : {false, true}) {
    std::vector<int64_t> firsts;
    for (int64_t piece = 0; piece < layout.imageBytes() / 16; ++piece)
      firsts.push_back(layout.firstOfPiece(piece, acrossRows));
    // The second piece follows the first in the row, or is in the next row.
    EXPECT_EQ(firsts[1], acrossRows ? 32 : 4);
    llvm::sort(firsts);
    for (auto [piece, first] : llvm::enumerate(firsts))
      EXPECT_EQ(first, 4 * int64_t(piece));
  }
}

TEST(DiagonalLayoutTest, ImagesAreRowsOfWeights) {
  FragmentLayout layout;
  layout.order = ImageOrder::Diagonal;
  layout.offsets = 3;
  layout.tileN = 8;
  layout.columnTiles = 2;
  EXPECT_EQ(layout.imageBytes(), 2 * 3 * 8 * 2);
  for (int64_t reg = 0; reg < layout.imageBytes() / 4; ++reg)
    for (int64_t bit : {0, 1}) {
      ImageElement<int64_t> element = layout.element<int64_t>(reg, bit);
      int64_t at = 2 * reg + bit;
      EXPECT_EQ(element.offset, at / 8 % 3);
      EXPECT_EQ(element.inChannel, 0);
      EXPECT_EQ(element.outChannel, at / (8 * 3) * 8 + at % 8);
    }
}

TEST(ImplicitGemmConfigTest, ColumnTilesBelongToOneGroup) {
  ImplicitGemmConfig config(makeShape(GemmElement::F16, 27, 24, 40));
  config.loop = MainLoop::find("warp16");
  config.tileK = 32;
  config.tileN = 16;
  EXPECT_EQ(config.columnTiles(), 3);
  int64_t bytes = config.weightBytes();
  config.groups = 5;
  EXPECT_EQ(config.columnTiles(), 15);
  EXPECT_EQ(config.weightBytes(), 5 * bytes);
  EXPECT_EQ(config.inRowBytes(), 5 * 24 * 2);
  EXPECT_EQ(config.outRowBytes(), 5 * 40 * 2);
  EXPECT_EQ(config.verify(getChip("sm_80")), "");
}

TEST(ImplicitGemmConfigTest, DepthwiseColumnTilesHaveManyGroups) {
  ImplicitGemmConfig config(makeShape(GemmElement::BF16, 27, 1, 1));
  config.groups = 40;
  config.loop = MainLoop::find("depthwise");
  config.tileN = 16;
  EXPECT_EQ(config.columnTiles(), 3);
  EXPECT_EQ(config.weightBytes(), 27 * 48 * 2);
  EXPECT_EQ(config.verify(getChip("sm_80")), "");
}

TEST(ImplicitGemmConfigTest, CandidatesOfDepthwiseAreAccepted) {
  const MainLoop *loop = MainLoop::find("depthwise");
  for (const TargetInfo &target :
       llvm::cantFail(findTarget("cuda")).backend->chips)
    for (GemmElement element : {GemmElement::F16, GemmElement::BF16,
                                GemmElement::TF32, GemmElement::F32})
      for (int64_t groups : {2, 3, 8, 24, 33, 40, 64, 100, 1024}) {
        ImplicitGemmShape shape = makeShape(element, 125, 1, 1);
        shape.groups = groups;
        llvm::SmallVector<ImplicitGemmConfig> candidates;
        loop->addCandidates(shape, target, candidates);
        EXPECT_TRUE(llvm::any_of(candidates, [&](const auto &config) {
          return config.verify(target).empty();
        }));
        for (const ImplicitGemmConfig &config : candidates)
          EXPECT_NE(config.element, GemmElement::TF32);
      }
}

TEST(ImplicitGemmConfigTest, RefusalsSayWhy) {
  const TargetInfo &hopper = getChip("sm_90a");
  ImplicitGemmConfig config = ring(128, 128);
  EXPECT_EQ(config.verify(getChip("sm_80")), "sm_80 has no wgmma");
  config.stages = 40;
  EXPECT_NE(config.verify(hopper).find("shared memory"), std::string::npos);
  config = ring(128, 128);
  config.warps = 20;
  EXPECT_NE(config.verify(hopper).find("registers"), std::string::npos);
  config = ring(128, 128);
  config.groups = 70000;
  EXPECT_EQ(config.verify(hopper),
            "expected at most 65535 column tiles, found 70000");
  config = ring(128, 128);
  config.splitK = 0;
  EXPECT_EQ(config.verify(hopper), "expected at least one split, found 0");
  config = ring(128, 128);
  config.resident = true;
  EXPECT_EQ(config.verify(hopper),
            "the main loop ring64 leaves no choice of resident weights");
  config = ring(128, 128);
  config.element = GemmElement::F32;
  EXPECT_EQ(config.verify(hopper),
            "tensor cores take f16, bf16 and tf32, not f32");
}

} // namespace
