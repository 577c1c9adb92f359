//===- GatherGemmScatterTest.cpp - gather-GEMM-scatter against float64 ----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvData.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::sparseconv::test;

namespace {

enum class Epilogue { None, Bias, BiasRelu, ResidualRelu };

std::string getIR(const ConvCase &c, const char *element, Epilogue epilogue,
                  bool transposed) {
  std::string x = llvm::formatv("memref<?x{0}x{1}>", c.inColumns(), element);
  std::string y = llvm::formatv("memref<?x{0}x{1}>", c.outColumns(), element);
  std::string bias = llvm::formatv("memref<{0}x{1}>", c.outColumns(), element);
  std::string w = c.weightType(element, transposed);
  std::string segments = llvm::formatv("memref<?x{0}xi64>", c.offsets + 1);
  std::string extras, extraTypes, body;
  auto widen = [&](const char *name) {
    std::string text = "%" + std::string(name) + "32 = ";
    if (std::string(element) == "f32")
      return text + "arith.addf %" + name + ", %zero : f32\n";
    return text + "arith.extf %" + name + " : " + element + " to f32\n";
  };
  std::string relu = "%r = arith.maximumf %s, %zero : f32\n"
                     "sparseconv.yield %r : f32\n}";
  std::string zero = "%zero = arith.constant 0.0 : f32\n";
  switch (epilogue) {
  case Epilogue::None:
    break;
  case Epilogue::Bias:
    extras = ", %bias", extraTypes = ", " + bias;
    body = llvm::formatv("epilogue {{\n^bb0(%acc: f32, %b: {0}):\n", element)
               .str() +
           zero + widen("b") +
           "%s = arith.addf %acc, %b32 : f32\nsparseconv.yield %s : f32\n}";
    break;
  case Epilogue::BiasRelu:
    extras = ", %bias", extraTypes = ", " + bias;
    body = llvm::formatv("epilogue {{\n^bb0(%acc: f32, %b: {0}):\n", element)
               .str() +
           zero + widen("b") + "%s = arith.addf %acc, %b32 : f32\n" + relu;
    break;
  case Epilogue::ResidualRelu:
    extras = ", %bias, %skip", extraTypes = ", " + bias + ", " + y;
    body = llvm::formatv("epilogue {{\n^bb0(%acc: f32, %b: {0}, %k: {0}):\n",
                         element)
               .str() +
           zero + widen("b") + widen("k") +
           "%t = arith.addf %acc, %b32 : f32\n"
           "%s = arith.addf %t, %k32 : f32\n" +
           relu;
    break;
  }
  return llvm::formatv(R"(
func.func @conv(%x: {0}, %w: {1}, %in: memref<?xi32>, %out: memref<?xi32>,
                %segments: {2}, %bias: {3}, %skip: {4}, %y: {4}) {{
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in, %out, %segments{5}
          : {0}, {1}, memref<?xi32>, memref<?xi32>, {2}{6})
      outs(%y : {4})
      {{tiling = {7}{8}} {9}
  return
})",
                       x, w, segments, bias, y, extras, extraTypes, c.tiling(),
                       transposed ? ", transpose_weights" : "", body);
}

/// Compiles and runs a case, and compares all of it with float64 within the
/// contract's bound, and the bits of runs on one and two threads.
template <typename T>
void check(const ConvCase &c, Epilogue epilogue = Epilogue::None,
           bool transposed = false) {
  using Traits = ElementTraits<T>;
  SCOPED_TRACE(c.describe() + ", " + Traits::name +
               (transposed ? ", transposed" : "") + ", epilogue " +
               std::to_string(static_cast<int>(epilogue)));
  std::mt19937 random(c.rows + 31 * c.in + 977 * c.out + c.offsets);
  ConvPairs pairs(c, random);
  auto x = randomArray<T>({c.rows, c.inColumns()}, random);
  auto w = randomArray<T>({c.offsets, c.groups, c.in, c.out}, random);
  auto bias = randomArray<T>({c.outColumns()}, random);
  auto skip = randomArray<T>({c.rows, c.outColumns()}, random);
  // The argument has the shape of the type; the elements are the same.
  Array<T> wArgument(c.weightShape(transposed), w.toVector());
  auto weight = [&](int64_t k, int64_t g, int64_t in, int64_t out) {
    int64_t slice = (k * c.groups + g) * c.in * c.out;
    return Traits::decode(
        w[slice + (transposed ? out * c.in + in : in * c.out + out)]);
  };
  auto inRows = pairs.inArray(), outRows = pairs.outArray();
  auto segments = pairs.segmentArray(c);

  Kernel kernel(getIR(c, Traits::name, epilogue, transposed), Threads::OpenMP);
  std::vector<T> first =
      runOnThreads<T>({c.rows, c.outColumns()}, [&](Array<T> &y) {
        kernel.run("conv", x, wArgument, inRows, outRows, segments, bias, skip,
                   y);
      });
  if (::testing::Test::HasFailure())
    return;

  // Every row of a small case, some of a large one.
  int64_t step = std::max<int64_t>(1, c.rows * c.offsets * c.inColumns() *
                                          c.out / 20000000);
  Sums sums(c.rows * c.outColumns());
  std::vector<int64_t> counts(c.rows);
  pairs.forEach(c, [&](int64_t k, int64_t in, int64_t out) {
    if (out % step != 0)
      return;
    counts[out] += c.in;
    c.forEachProduct([&](int64_t g, int64_t i, int64_t o) {
      sums.add(out * c.outColumns() + g * c.out + o,
               Traits::decode(x(in, g * c.in + i)), weight(k, g, i, o));
    });
  });
  for (int64_t row = 0; row < c.rows; row += step)
    for (int64_t column = 0; column < c.outColumns(); ++column) {
      int64_t at = row * c.outColumns() + column;
      double expected = sums.values[at], size = sums.sizes[at];
      if (epilogue != Epilogue::None) {
        expected += Traits::decode(bias[column]);
        size +=
            std::abs(Traits::decode(bias[column])) + std::abs(sums.values[at]);
      }
      if (epilogue == Epilogue::ResidualRelu) {
        expected += Traits::decode(skip[at]);
        size += std::abs(Traits::decode(skip[at]));
      }
      if (epilogue == Epilogue::BiasRelu || epilogue == Epilogue::ResidualRelu)
        expected = std::max(expected, 0.0);
      double bound = getBound<T>(expected, size, counts[row]);
      double found = Traits::decode(first[at]);
      ASSERT_LE(std::abs(found - expected), bound)
          << "row " << row << ", column " << column << ": found " << found
          << ", expected " << expected;
    }
}

} // namespace

TEST(GatherGemmScatterTest, Channels) {
  check<float>(avx512(27, 4999, 64, 64));
  check<float>(avx512(27, 129, 1, 1));
  check<float>(avx512(27, 31, 3, 16));
  check<float>(avx512(8, 4999, 4, 33));
  check<float>(avx512(7, 129, 16, 96));
  check<float>(avx512(1, 4999, 33, 3));
  check<float>(avx512(8, 129, 64, 128));
  check<float>(avx512(7, 31, 96, 64));
  check<float>(avx512(1, 129, 128, 256));
  check<float>(avx512(27, 129, 256, 4));
}

TEST(GatherGemmScatterTest, Rows) {
  for (int64_t rows : {0, 1, 31, 129, 511, 512, 513})
    check<float>(avx512(27, rows, 16, 16));
}

TEST(GatherGemmScatterTest, EightLanes) {
  check<float>(avx2(27, 129, 64, 64));
  check<float>(avx2(8, 4999, 3, 33));
  check<float>(avx2(27, 31, 16, 1));
  check<_Float16>(avx2(7, 129, 33, 96));
}

TEST(GatherGemmScatterTest, FourLanes) {
  check<float>(sse2(27, 129, 64, 64));
  check<float>(sse2(8, 4999, 4, 33));
  check<Bf16>(sse2(7, 129, 33, 16));
}

TEST(GatherGemmScatterTest, NarrowElements) {
  check<_Float16>(avx512(27, 4999, 16, 16));
  check<_Float16>(avx512(27, 129, 64, 33));
  check<_Float16>(avx512(8, 31, 3, 64));
  check<_Float16>(avx512(1, 129, 128, 128));
  check<Bf16>(avx512(27, 4999, 4, 16));
  check<Bf16>(avx512(27, 129, 33, 64));
  check<Bf16>(avx512(7, 31, 256, 96));
}

TEST(GatherGemmScatterTest, TransposedWeights) {
  check<float>(avx512(27, 513, 64, 16), Epilogue::None, true);
  check<float>(avx512(8, 129, 3, 33), Epilogue::None, true);
  check<_Float16>(avx2(7, 129, 33, 4), Epilogue::None, true);
  check<float>(grouped(avx512(8, 129, 4, 16), 3), Epilogue::None, true);
}

TEST(GatherGemmScatterTest, Groups) {
  check<float>(grouped(avx512(27, 513, 16, 16), 2));
  check<float>(grouped(avx512(8, 129, 1, 3), 5), Epilogue::ResidualRelu);
  check<float>(grouped(avx2(7, 129, 33, 1), 3));
  check<_Float16>(grouped(avx512(27, 129, 8, 40), 4), Epilogue::BiasRelu);
}

TEST(GatherGemmScatterTest, Depthwise) {
  check<float>(grouped(avx512(27, 4999, 1, 1), 96));
  check<float>(grouped(avx512(8, 129, 1, 1), 3));
  check<float>(grouped(avx2(7, 129, 1, 1), 33), Epilogue::ResidualRelu);
  check<_Float16>(grouped(avx512(27, 513, 1, 1), 150), Epilogue::Bias);
  check<Bf16>(grouped(sse2(8, 31, 1, 1), 16), Epilogue::None, true);
}

TEST(GatherGemmScatterTest, Epilogues) {
  for (Epilogue epilogue :
       {Epilogue::Bias, Epilogue::BiasRelu, Epilogue::ResidualRelu}) {
    check<float>(avx512(27, 129, 64, 64), epilogue);
    check<float>(avx2(8, 31, 4, 33), epilogue);
    check<_Float16>(avx512(8, 129, 16, 33), epilogue);
    check<Bf16>(avx512(8, 129, 16, 16), epilogue);
  }
}

/// Row blocks of sizes that are no power of two, and tiles of other sizes.
TEST(GatherGemmScatterTest, Tilings) {
  ConvCase c = avx512(27, 1000, 48, 80);
  c.rowBlock = 100;
  check<float>(c);
  c.tileRows = 1;
  check<float>(c);
  c.tileRows = 7;
  c.columns = 32;
  check<float>(c);
}

/// All pairs of a dense table, and no pair at all.
TEST(GatherGemmScatterTest, Densities) {
  ConvCase c = avx512(27, 600, 16, 16);
  c.density = 1;
  check<float>(c);
  c.density = 0;
  check<float>(c, Epilogue::BiasRelu);
}
