//===- ConvData.h - convolutions for the kernel tests -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_KERNELS_CONVDATA_H
#define SPARSECONV_TEST_UNIT_KERNELS_CONVDATA_H

#include "KernelHarness.h"
#include <cmath>
#include <random>
#include <string>

extern "C" void omp_set_num_threads(int);

namespace mlir::sparseconv::test {

/// Elements as memory holds them; a bf16 is the upper half of an f32.
struct Bf16 {
  uint16_t bits;
};

template <typename T> struct ElementTraits;
template <> struct ElementTraits<float> {
  static constexpr const char *name = "f32";
  static constexpr double unit = 0x1p-24, smallest = 0;
  static float decode(float value) { return value; }
  static float encode(float value) { return value; }
};
template <> struct ElementTraits<_Float16> {
  static constexpr const char *name = "f16";
  static constexpr double unit = 0x1p-11, smallest = 0x1p-25;
  static float decode(_Float16 value) { return static_cast<float>(value); }
  static _Float16 encode(float value) { return static_cast<_Float16>(value); }
};
template <> struct ElementTraits<Bf16> {
  static constexpr const char *name = "bf16";
  static constexpr double unit = 0x1p-8, smallest = 0;
  static float decode(Bf16 value) {
    uint32_t bits = static_cast<uint32_t>(value.bits) << 16;
    float result;
    memcpy(&result, &bits, sizeof(result));
    return result;
  }
  static Bf16 encode(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return {static_cast<uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)};
  }
};

/// Sizes of a convolution (channels of one group) and of the kernel for it.
struct ConvCase {
  int64_t offsets, rows, groups, in, out;
  int64_t lanes = 16, tileRows = 6, columns = 64, rowBlock = 512;
  /// Share of the entries of the neighbour table that hold a row.
  double density = 0.2;

  int64_t inColumns() const { return groups * in; }
  int64_t outColumns() const { return groups * out; }
  std::string describe() const;
  /// The type of the weights; with `transposed` of those of which each slice is
  /// transposed before use.
  std::string weightType(const char *element, bool transposed = false) const;
  /// The sizes of that type.
  llvm::SmallVector<int64_t> weightShape(bool transposed = false) const;
  std::string tiling() const;
  /// Calls f(group, input channel, output channel) for all of one pair of rows.
  template <typename F> void forEachProduct(F f) const {
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t i = 0; i < in; ++i)
        for (int64_t o = 0; o < out; ++o)
          f(g, i, o);
  }
};

/// k offsets and n rows, from `in` to `out` channels, in the tiling for the
/// vectors of a processor; and the same in groups.
ConvCase avx512(int64_t k, int64_t n, int64_t in, int64_t out);
ConvCase avx2(int64_t k, int64_t n, int64_t in, int64_t out);
ConvCase sse2(int64_t k, int64_t n, int64_t in, int64_t out);
ConvCase grouped(ConvCase c, int64_t groups);

/// A kernel map with as many input as output rows, as pair lists.
struct ConvPairs {
  std::vector<int32_t> inRows, outRows;
  std::vector<int64_t> segments;
  int64_t rowBlocks = 0;

  /// find(out, offset) is a row of the in set, or -1.
  ConvPairs(const ConvCase &c,
            llvm::function_ref<int32_t(int64_t out, int64_t offset)> find);
  /// A random map of the case's density.
  ConvPairs(const ConvCase &c, std::mt19937 &random);
  Array<int32_t> inArray() const { return Array<int32_t>::of(inRows); }
  Array<int32_t> outArray() const { return Array<int32_t>::of(outRows); }
  Array<int64_t> segmentArray(const ConvCase &c) const {
    return Array<int64_t>({rowBlocks, c.offsets + 1}, segments);
  }
  /// Calls f(offset, inRow, outRow) for all pairs.
  template <typename F> void forEach(const ConvCase &c, F f) const {
    for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock)
      for (int64_t offset = 0; offset < c.offsets; ++offset) {
        const int64_t *at = &segments[rowBlock * (c.offsets + 1) + offset];
        for (int64_t pair = at[0]; pair < at[1]; ++pair)
          f(offset, inRows[pair], outRows[pair]);
      }
  }
};

/// Uniform in -1 .. 1.
template <typename T>
Array<T> randomArray(llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
  Array<T> array(shape);
  std::uniform_real_distribution<float> uniform(-1, 1);
  for (T &element : array)
    element = ElementTraits<T>::encode(uniform(random));
  return array;
}

/// Whether two arrays hold the same bytes.
template <typename T>
bool haveEqualBits(const Array<T> &lhs, const std::vector<T> &rhs) {
  return lhs.size() == static_cast<int64_t>(rhs.size()) &&
         (rhs.empty() ||
          memcmp(lhs.begin(), rhs.data(), rhs.size() * sizeof(T)) == 0);
}

/// What `run` writes to an array of that shape, on one thread and twice on two,
/// which have to give the same bits. Stops at the first failure.
template <typename T, typename F>
std::vector<T> runOnThreads(llvm::ArrayRef<int64_t> shape, F run) {
  std::vector<T> first;
  for (int threads : {1, 2, 2}) {
    Array<T> result(shape);
    omp_set_num_threads(threads);
    run(result);
    if (::testing::Test::HasFailure())
      break;
    if (first.empty())
      first = result.toVector();
    EXPECT_TRUE(haveEqualBits(result, first)) << threads << " threads";
  }
  return first;
}

/// Sums of products, and of their absolute values.
struct Sums {
  std::vector<double> values, sizes;

  explicit Sums(int64_t size) : values(size), sizes(size) {}
  void add(int64_t at, double lhs, double rhs) {
    values[at] += lhs * rhs;
    sizes[at] += std::abs(lhs * rhs);
  }
};

/// The contract's bound for a sum of `count` products that add up to `size`
/// without their signs, one rounding to T included.
template <typename T>
double getBound(double expected, double size, int64_t count) {
  using Traits = ElementTraits<T>;
  return Traits::unit * std::abs(expected) + Traits::smallest +
         (count + 2) * 0x1p-24 * size * 1.0001;
}

} // namespace mlir::sparseconv::test

#endif // SPARSECONV_TEST_UNIT_KERNELS_CONVDATA_H
