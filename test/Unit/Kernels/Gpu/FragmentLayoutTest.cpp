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

#include "sparseconv/Kernels/GatherGemm.h"
#include "gtest/gtest.h"
#include <map>
#include <set>
#include <vector>

using namespace mlir::sparseconv;

namespace {

struct Shape {
  int64_t inChannels, outChannels, depth, width;
  bool swizzled;
  int64_t perRegister;
};

class FragmentLayoutTest : public ::testing::TestWithParam<Shape> {
protected:
  static FragmentLayout makeLayout(const Shape &shape) {
    FragmentLayout layout;
    layout.perRegister = shape.perRegister;
    layout.offsets = 2;
    layout.inChannels = shape.inChannels;
    layout.depth = shape.depth;
    layout.chunks = (shape.inChannels + shape.depth - 1) / shape.depth;
    layout.width = shape.width;
    layout.parts = (shape.outChannels + shape.width - 1) / shape.width;
    layout.swizzled = shape.swizzled;
    return layout;
  }
};

/// Where the image keeps the two B registers of a lane in a step, as the
/// kernels address it: by lane for mma.sync, by row and swizzle for wgmma.
int64_t imageRegister(const FragmentLayout &layout, int64_t step, int64_t tile,
                      int64_t lane, int64_t half) {
  if (layout.swizzled) {
    int64_t row = tile * 8 + lane / 4;
    int64_t piece = step % 4 * 2 + half;
    return step / 4 * layout.width * 32 + row * 32 + (piece ^ (row % 8)) * 4 +
           lane % 4;
  }
  int64_t block = step / 2, registers = layout.registersOf(block);
  return block * layout.tiles() * 128 + (tile * 32 + lane) * registers +
         step % 2 * 2 + half;
}

TEST_P(FragmentLayoutTest, FragmentsMultiplyLikeMatrices) {
  FragmentLayout layout = makeLayout(GetParam());
  int64_t elements = layout.perRegister;
  // One row of A: the value of a channel is its number + 1.
  for (int64_t part = 0; part < layout.parts; ++part)
    for (int64_t offset = 0; offset < layout.offsets; ++offset) {
      // Which (in, out) channel pairs the instructions multiply, per column of
      // the accumulators as the store writes them.
      std::set<std::pair<int64_t, int64_t>> seen;
      for (int64_t chunk = 0; chunk < layout.chunks; ++chunk) {
        int64_t base =
            ((part * layout.offsets + offset) * layout.chunks + chunk) *
            layout.chunkRegisters();
        for (int64_t step = 0; step < layout.steps(); ++step)
          for (int64_t tile = 0; tile < layout.tiles(); ++tile)
            for (int64_t lane = 0; lane < 32; ++lane)
              for (int64_t half = 0; half < 2; ++half)
                for (int64_t bit = 0; bit < elements; ++bit) {
                  // B's lane holds row k = lane % 4 of column n = lane / 4; A's
                  // lane of the same k position loaded this channel:
                  int64_t block = step / 2;
                  int64_t loaded = chunk * layout.depth +
                                   layout.inColumn<int64_t>(
                                       block, layout.registersOf(block),
                                       lane % 4, step % 2 * 2 + half, bit);
                  int64_t at =
                      base + imageRegister(layout, step, tile, lane, half);
                  ImageElement<int64_t> element =
                      layout.element<int64_t>(at, bit);
                  ASSERT_EQ(element.offset, offset);
                  ASSERT_EQ(element.inChannel, loaded);
                  // The accumulator of column n of the tile is stored here:
                  int64_t n = lane / 4;
                  int64_t size = layout.groupSize(tile);
                  int64_t stored = part * layout.width +
                                   layout.groupBegin(tile) * 8 +
                                   2 * size * (n / 2) +
                                   2 * (tile - layout.groupBegin(tile)) + n % 2;
                  ASSERT_EQ(element.outChannel, stored);
                  ASSERT_TRUE(seen.insert({loaded, stored}).second);
                }
      }
      // Every pair of channels once.
      for (int64_t in = 0; in < layout.inChannels; ++in)
        for (int64_t out = 0; out < layout.width; ++out)
          ASSERT_TRUE(seen.count({in, part * layout.width + out}));
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
                                layout.width * layout.parts));
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
        Shape{128, 320, 64, 160, true, 2}));

GatherGemmConfig ring(int64_t in, int64_t out) {
  GatherGemmConfig config = GatherGemmConfig::choose(
      GemmElement::F16, 27, in, out, 1, *GpuChip::find("sm_90a"));
  EXPECT_EQ(config.strategy, GatherStrategy::Ring64);
  return config;
}

TEST(GatherGemmConfigTest, EveryChoiceIsAccepted) {
  for (const GpuChip &chip : GpuChip::all())
    for (GemmElement element : {GemmElement::F16, GemmElement::BF16,
                                GemmElement::TF32, GemmElement::F32})
      for (int64_t offsets : {1, 27, 125, 343})
        for (int64_t in : {1, 3, 16, 24, 32, 64, 100, 128, 256, 1024})
          for (int64_t out : {1, 8, 20, 32, 64, 96, 128, 256, 512}) {
            GatherGemmConfig config =
                GatherGemmConfig::choose(element, offsets, in, out, 1, chip);
            EXPECT_EQ(config.verify(chip), "")
                << chip.name.str() << " " << offsets << " " << in << " " << out;
            EXPECT_EQ(config.multipliesOnTensorCores(),
                      element != GemmElement::F32);
            // Threads without tiles are for the narrowest shapes.
            EXPECT_EQ(config.strategy == GatherStrategy::Fma,
                      element == GemmElement::F32 && (in < 4 || out < 8));
          }
}

TEST(GatherGemmConfigTest, KnownBestStrategies) {
  const GpuChip &hopper = *GpuChip::find("sm_90a");
  auto strategy = [&](int64_t channels, const GpuChip &chip) {
    return GatherGemmConfig::choose(GemmElement::F16, 27, channels, channels, 1,
                                    chip)
        .strategy;
  };
  EXPECT_EQ(strategy(16, hopper), GatherStrategy::Warp16);
  EXPECT_EQ(strategy(32, hopper), GatherStrategy::Warp16);
  EXPECT_EQ(strategy(64, hopper), GatherStrategy::Group64);
  EXPECT_EQ(strategy(128, hopper), GatherStrategy::Ring64);
  EXPECT_EQ(strategy(256, hopper), GatherStrategy::Ring64);
  EXPECT_EQ(strategy(64, *GpuChip::find("sm_80")), GatherStrategy::Warp16);
}

TEST(GatherGemmConfigTest, RefusalsSayWhy) {
  const GpuChip &hopper = *GpuChip::find("sm_90a");
  GatherGemmConfig config = ring(128, 128);
  EXPECT_EQ(config.verify(*GpuChip::find("sm_80")), "sm_80 has no wgmma");
  config.stages = 40;
  EXPECT_NE(config.verify(hopper).find("shared memory"), std::string::npos);
  config = ring(128, 128);
  config.warps = 20;
  EXPECT_NE(config.verify(hopper).find("registers"), std::string::npos);
  config = ring(128, 128);
  config.groups = 2;
  EXPECT_EQ(config.verify(hopper),
            "only the FMA kernel of any shape has groups");
  config = ring(128, 128);
  config.offsets = 33;
  config.splitK = 2;
  EXPECT_NE(config.verify(hopper).find("at most 32 offsets"),
            std::string::npos);
  config.element = GemmElement::F32;
  EXPECT_EQ(config.verify(hopper),
            "tensor cores take f16, bf16 and tf32, not f32");
  EXPECT_EQ(GpuChip::find("sm_42"), nullptr);
}

} // namespace
