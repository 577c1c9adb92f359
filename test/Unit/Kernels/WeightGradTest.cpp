//===- WeightGradTest.cpp - gradient by the weights against float64 -------===//
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

std::string getIR(const ConvCase &c, const char *element) {
  return llvm::formatv(
      R"(
func.func @grad(%x: {0}, %dy: {1}, %in: memref<?xi32>, %out: memref<?xi32>,
                %segments: {2}, %dw: {3}) {{
  sparseconv.kernel.weight_grad
      ins(%x, %dy, %in, %out, %segments
          : {0}, {1}, memref<?xi32>, memref<?xi32>, {2})
      outs(%dw : {3}) {{tiling = {4}}
  return
})",
      llvm::formatv("memref<?x{0}x{1}>", c.inColumns(), element).str(),
      llvm::formatv("memref<?x{0}x{1}>", c.outColumns(), element).str(),
      llvm::formatv("memref<?x{0}xi64>", c.offsets + 1).str(),
      c.weightType(element), c.tiling());
}

/// Compiles and runs a case, and compares it with float64 within the contract's
/// bound, and the bits of runs on one and two threads.
template <typename T> void check(const ConvCase &c) {
  using Traits = ElementTraits<T>;
  SCOPED_TRACE(c.describe() + ", " + Traits::name);
  std::mt19937 random(c.rows + 31 * c.in + 977 * c.out + c.offsets);
  ConvPairs pairs(c, random);
  auto x = randomArray<T>({c.rows, c.inColumns()}, random);
  auto dy = randomArray<T>({c.rows, c.outColumns()}, random);
  auto inRows = pairs.inArray(), outRows = pairs.outArray();
  auto segments = pairs.segmentArray(c);

  Kernel kernel(getIR(c, Traits::name), Threads::OpenMP);
  std::vector<T> first = runOnThreads<T>(c.weightShape(), [&](Array<T> &dw) {
    kernel.run("grad", x, dy, inRows, outRows, segments, dw);
  });
  if (::testing::Test::HasFailure())
    return;

  Sums sums(first.size());
  std::vector<int64_t> counts(c.offsets);
  pairs.forEach(c, [&](int64_t k, int64_t in, int64_t out) {
    ++counts[k];
    c.forEachProduct([&](int64_t g, int64_t i, int64_t o) {
      sums.add(((k * c.groups + g) * c.in + i) * c.out + o,
               Traits::decode(x(in, g * c.in + i)),
               Traits::decode(dy(out, g * c.out + o)));
    });
  });
  int64_t slice = c.groups * c.in * c.out;
  for (size_t at = 0; at < first.size(); ++at) {
    double expected = sums.values[at];
    double bound = getBound<T>(expected, sums.sizes[at], counts[at / slice]);
    double found = Traits::decode(first[at]);
    ASSERT_LE(std::abs(found - expected), bound)
        << "element " << at << ": found " << found << ", expected " << expected;
  }
}

} // namespace

TEST(WeightGradTest, Channels) {
  check<float>(avx512(27, 513, 64, 64));
  check<float>(avx512(27, 129, 1, 1));
  check<float>(avx512(8, 4999, 4, 33));
  check<float>(avx512(7, 129, 16, 96));
  check<float>(avx512(1, 4999, 33, 3));
  check<float>(avx512(1, 129, 128, 256));
  check<float>(avx512(8, 31, 256, 4));
}

TEST(WeightGradTest, Rows) {
  for (int64_t rows : {0, 1, 31, 512})
    check<float>(avx512(27, rows, 16, 16));
}

TEST(WeightGradTest, OtherLanes) {
  check<float>(avx2(27, 129, 64, 64));
  check<_Float16>(avx2(8, 513, 3, 33));
  check<float>(sse2(27, 129, 16, 16));
  check<Bf16>(sse2(7, 129, 33, 4));
}

TEST(WeightGradTest, NarrowElements) {
  check<_Float16>(avx512(27, 513, 16, 16));
  check<_Float16>(avx512(8, 129, 64, 33));
  check<Bf16>(avx512(7, 513, 33, 64));
}

TEST(WeightGradTest, Groups) {
  check<float>(grouped(avx512(27, 513, 16, 16), 2));
  check<float>(grouped(avx2(8, 129, 33, 3), 5));
  check<_Float16>(grouped(avx512(8, 129, 7, 40), 4));
}

TEST(WeightGradTest, Depthwise) {
  check<float>(grouped(avx512(27, 4999, 1, 1), 96));
  check<_Float16>(grouped(avx2(8, 129, 1, 1), 33));
  check<Bf16>(grouped(sse2(7, 129, 1, 1), 3));
}
