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
  int64_t lanes = 16, tileRows = 6, columns = 64, block = 512;
  /// Share of the entries of the neighbour table that hold a row.
  double density = 0.2;

  int64_t inColumns() const { return groups * in; }
  int64_t outColumns() const { return groups * out; }
  std::string describe() const;
  /// The type of the weights; with `transposed` of those of which each slice is
  /// transposed before use.
  std::string weightType(const char *element, bool transposed = false) const;
  std::string tiling() const;
};

/// A random kernel map with as many input as output rows, as pair lists.
struct ConvPairs {
  std::vector<int32_t> inRows, outRows;
  std::vector<int64_t> segments;
  int64_t blocks = 0;

  ConvPairs() = default;
  ConvPairs(const ConvCase &c, std::mt19937 &random);
  Array<int32_t> inArray() const { return Array<int32_t>::of(inRows); }
  Array<int32_t> outArray() const { return Array<int32_t>::of(outRows); }
  Array<int64_t> segmentArray(const ConvCase &c) const {
    return Array<int64_t>({blocks, c.offsets + 1}, segments);
  }
  /// Calls f(offset, inRow, outRow) for all pairs.
  template <typename F> void forEach(const ConvCase &c, F f) const {
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t offset = 0; offset < c.offsets; ++offset) {
        const int64_t *at = &segments[block * (c.offsets + 1) + offset];
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
         memcmp(lhs.begin(), rhs.data(), rhs.size() * sizeof(T)) == 0;
}

} // namespace mlir::sparseconv::test

#endif // SPARSECONV_TEST_UNIT_KERNELS_CONVDATA_H
