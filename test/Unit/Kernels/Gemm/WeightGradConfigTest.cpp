//===- WeightGradConfigTest.cpp - what is chosen for gradients ------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {

WeightGradShape makeShape(Type element, int64_t groups, int64_t in,
                          int64_t out) {
  WeightGradShape shape;
  shape.xElement = shape.dyElement = element;
  shape.offsets = 27;
  shape.groups = groups;
  shape.inChannels = in;
  shape.outChannels = out;
  shape.allowTf32 = element.isF32();
  return shape;
}

TEST(WeightGradConfigTest, EveryChoiceIsAcceptedAndReadBack) {
  MLIRContext context;
  context.loadDialect<SparseConvDialect>();
  Builder b(&context);
  for (const TargetInfo &target :
       llvm::cantFail(findTarget("cuda")).backend->chips)
    for (Type element :
         {Type(b.getF16Type()), Type(b.getBF16Type()), Type(b.getF32Type())})
      for (int64_t groups : {1, 2, 64})
        for (int64_t in : {1, 3, 8, 16, 33, 64, 96, 128, 256, 1024})
          for (int64_t out : {1, 4, 20, 32, 48, 65, 128, 512}) {
            WeightGradShape shape = makeShape(element, groups, in, out);
            auto config = WeightGradConfig::choose(shape, target);
            EXPECT_EQ(config.verify(target), "")
                << target.chip.str() << " " << groups << " " << in << " "
                << out;
            int64_t piece = element.isF32() ? 4 : 8;
            EXPECT_EQ(config.loop->usesTensorCores(),
                      in % piece == 0 && out % piece == 0);
            WeightGradTilingAttr tiling = getTiling(&context, config);
            WeightGradConfig again =
                getWeightGrad(tiling, config.splitK, shape);
            EXPECT_EQ(getTiling(&context, again), tiling);
            EXPECT_EQ(again.splitK, config.splitK);
            EXPECT_EQ(again.sharedBytes(), config.sharedBytes());
          }
}

TEST(WeightGradConfigTest, TensorCoresTakeGroups) {
  MLIRContext context;
  Type element = Builder(&context).getF16Type();
  const TargetInfo &target = *llvm::cantFail(findTarget("cuda")).info;
  WeightGradConfig config(makeShape(element, 8, 24, 40));
  config.loop = WeightGradLoop::find("mma");
  config.loop->chooseSizes(config);
  EXPECT_EQ(config.verify(target), "");
  EXPECT_EQ(config.tiles(), 8 * config.tilesIn() * config.tilesOut());
  config.tileGroups = 2;
  EXPECT_EQ(config.verify(target),
            "the main loop mma has one group in a tile, found 2");
  config = WeightGradConfig(makeShape(element, 8, 20, 40));
  config.loop = WeightGradLoop::find("mma");
  config.loop->chooseSizes(config);
  EXPECT_EQ(config.verify(target), "expected rows of whole pieces of 16 bytes, "
                                   "found 20 and 40 channels");
}

TEST(WeightGradConfigTest, TilesThatPassAGridAreRefused) {
  MLIRContext context;
  Type element = Builder(&context).getF16Type();
  const TargetInfo &target = *llvm::cantFail(findTarget("cuda")).info;
  auto config =
      WeightGradConfig::choose(makeShape(element, 1, 40000, 40000), target);
  EXPECT_NE(config.verify(target).find("more than the 65535"),
            std::string::npos);
}

} // namespace
