//===- ChoicesTest.cpp - tests of what layers can choose ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Tuning/Choices.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::sparseconv;

static const char kModule[] = R"(
#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #pack>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #pack>
!map = !sparseconv.kernel_map<27, !set to !set>
module attributes {{sparseconv.target = #sparseconv.target<{0}>} {{
func.func @f(%c: !set, %x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>,
             %g: tensor<27x4x16x16xf16>)
    -> (tensor<?x64xf16>, tensor<?x64xf16>, tensor<27x64x64xf16>, !half) {{
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  %z = sparseconv.conv %x, %g, %m : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  %dw = sparseconv.weight_grad %x, %y, %m : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  %h = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  return %y, %z, %dw, %h : tensor<?x64xf16>, tensor<?x64xf16>, tensor<27x64x64xf16>, !half
}
}
)";

namespace {
class Choices : public testing::Test {
protected:
  void parse(StringRef target) {
    context.loadDialect<SparseConvDialect, func::FuncDialect>();
    std::string text = llvm::formatv(kModule, target).str();
    module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module);
    layers.clear();
    module->walk([&](Operation *op) {
      if (!getShapeClass(op).empty())
        layers.push_back(op);
    });
    ASSERT_EQ(layers.size(), 5u);
  }

  /// The choices of a layer as one text; the layer stays as it is.
  std::string print(unsigned layer, Decision decision) {
    DictionaryAttr before = getChoice(layers[layer]);
    std::string text;
    llvm::raw_string_ostream os(text);
    for (DictionaryAttr choice : getChoices(layers[layer], decision)) {
      os << choice << '\n';
      EXPECT_EQ(decide(layers[layer], printOne(choice)), "");
      EXPECT_EQ(getChoice(layers[layer]), choice);
      setChoice(layers[layer], before);
    }
    EXPECT_EQ(getChoice(layers[layer]), before);
    return text;
  }

  static std::string printOne(DictionaryAttr choice) {
    std::string text;
    llvm::raw_string_ostream(text) << choice;
    return text;
  }

  enum { Map, Conv, Grouped, WeightGrad, Floor };
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  std::vector<Operation *> layers;
};
} // namespace

static size_t countOf(StringRef text, StringRef part) {
  return text.count(part);
}

TEST_F(Choices, ShapeClasses) {
  parse("cpu");
  EXPECT_EQ(getShapeClass(layers[Map]),
            "kernel_map 27 box<3, 3, 3> 1x1x1 to 1x1x1 of one set i64");
  EXPECT_EQ(getShapeClass(layers[Conv]), "conv f16 27x64x64 1x1x1 to 1x1x1");
  EXPECT_EQ(getShapeClass(layers[Grouped]),
            "conv f16 27x4x16x16 1x1x1 to 1x1x1");
  EXPECT_EQ(getShapeClass(layers[WeightGrad]),
            "weight_grad f16 27x64x64 1x1x1 to 1x1x1");
  EXPECT_EQ(getShapeClass(layers[Floor]), "downsample 1x1x1 to 2x2x2 i64");
  EXPECT_EQ(getShapeClass(*module), "");
}

TEST_F(Choices, Indexing) {
  parse("cpu");
  // The first is what is written: nothing. The grid has no room for the set.
  std::string searches = print(Map, Decision::Indexing);
  EXPECT_TRUE(StringRef(searches).starts_with("{}\n")) << searches;
  for (StringRef search : {"zdelta", "binary", "hash"})
    EXPECT_EQ(countOf(searches, search), 2u) << searches;
  EXPECT_EQ(countOf(searches, "half"), 3u) << searches;
  EXPECT_EQ(countOf(searches, "grid"), 0u) << searches;
  EXPECT_EQ(countOf(print(Floor, Decision::Indexing), "\n"), 3u);
  EXPECT_EQ(print(Conv, Decision::Indexing), "{}\n");
}

TEST_F(Choices, MainLoopsAndSplits) {
  parse("cuda, chip = \"sm_90a\"");
  std::string all = print(Conv, Decision::Dataflow);
  for (StringRef name :
       {"group64", "ring64", "warp16", "output_stationary", "weight_stationary",
        "explicit", "grouped", "hybrid, norm = 2", "hybrid, norm = 3"})
    EXPECT_GE(countOf(all, name), 1u) << all;
  // A main loop that splits sums is measured without that, too.
  EXPECT_GE(countOf(all, "split_k"), 2u) << all;
  EXPECT_GE(countOf(all, "<output_stationary>, tiling = #sparseconv.gemm_tiling"
                         "<ring64"),
            1u)
      << all;
  EXPECT_LE(countOf(all, "\n"), 16u) << all;
  // Of 3x3x3 offsets all have a smaller norm.
  EXPECT_EQ(countOf(all, "norm = 5"), 0u) << all;
  EXPECT_GE(countOf(print(Grouped, Decision::Dataflow), "gemm_tiling"), 1u);
  EXPECT_GE(countOf(print(WeightGrad, Decision::Dataflow), "split_k"), 3u);
}

TEST_F(Choices, AdditionsInAnyOrder) {
  parse("cuda, chip = \"sm_90a\"");
  EXPECT_EQ(countOf(print(Conv, Decision::Dataflow), "fetch_on_demand"), 0u);
  cast<ConvOp>(layers[Conv]).setAllowNondeterministic(true);
  EXPECT_EQ(getShapeClass(layers[Conv]),
            "conv f16 in any order 27x64x64 1x1x1 to 1x1x1");
  EXPECT_EQ(countOf(print(Conv, Decision::Dataflow), "fetch_on_demand"), 1u);
}

TEST_F(Choices, RowOrders) {
  parse("cuda, chip = \"sm_90a\"");
  const char tiled[] =
      "{dataflow = #sparseconv.dataflow<output_stationary>, tiling = "
      "#sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}";
  ASSERT_EQ(decide(layers[Conv], tiled), "");
  // Nothing written, and four names for the order.
  EXPECT_EQ(countOf(print(Conv, Decision::RowOrder), "\n"), 5u);
  // Threads without tiles have no order.
  ASSERT_EQ(decide(layers[Grouped],
                   "{dataflow = #sparseconv.dataflow<output_stationary>, "
                   "tiling = #sparseconv.scalar_tiling}"),
            "");
  EXPECT_EQ(countOf(print(Grouped, Decision::RowOrder), "\n"), 1u);
  EXPECT_EQ(countOf(print(WeightGrad, Decision::RowOrder), "\n"), 1u);
}

TEST_F(Choices, WhatDoesNotSuitIsRefused) {
  parse("cuda, chip = \"sm_80\"");
  DictionaryAttr before = getChoice(layers[Conv]);
  for (StringRef text :
       {"", "{", "[", "3", "{tiling}", "{dataflow = 3}", "{search = @a}",
        "{epilogue = 1}", "{row_order = #sparseconv<row_order none>}",
        "{dataflow = #sparseconv.dataflow<none>}",
        "{dataflow = #sparseconv.dataflow<output_stationary>, tiling = "
        "#sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = "
        "64>}",
        "{dataflow = #unknown.thing<1>}",
        "{search = #sparseconv.search<hash>}"}) {
    EXPECT_NE(decide(layers[Conv], text), "") << text.str();
    EXPECT_EQ(getChoice(layers[Conv]), before) << text.str();
  }
}

TEST_F(Choices, PredictedTimes) {
  parse("cuda, chip = \"sm_90a\"");
  // A launch; then bytes, which grow with rows.
  EXPECT_NEAR(predictMicroseconds(layers[Conv], 0), 3, 1);
  double few = predictMicroseconds(layers[Conv], 100000);
  double many = predictMicroseconds(layers[Conv], 1000000);
  EXPECT_GT(few, 3);
  EXPECT_NEAR((many - 3) / (few - 3), 10, 1);
}
