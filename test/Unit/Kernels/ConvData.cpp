//===- ConvData.cpp - convolutions for the kernel tests -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ConvData.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir::sparseconv::test;

std::string ConvCase::describe() const {
  return llvm::formatv("{0} offsets, {1} rows, {2} groups of {3} -> {4}, {5}",
                       offsets, rows, groups, in, out, tiling());
}

std::string ConvCase::weightType(const char *element, bool transposed) const {
  int64_t first = transposed ? out : in, second = transposed ? in : out;
  if (groups == 1)
    return llvm::formatv("memref<{0}x{1}x{2}x{3}>", offsets, first, second,
                         element);
  return llvm::formatv("memref<{0}x{1}x{2}x{3}x{4}>", offsets, groups, first,
                       second, element);
}

std::string ConvCase::tiling() const {
  return llvm::formatv("#sparseconv.tiling<block = {0}, rows = {1}, "
                       "columns = {2}, lanes = {3}>",
                       block, tileRows, columns, lanes);
}

ConvPairs::ConvPairs(const ConvCase &c, std::mt19937 &random)
    : blocks((c.rows + c.block - 1) / c.block) {
  std::vector<int32_t> table(c.rows * c.offsets);
  std::bernoulli_distribution isThere(c.density);
  std::uniform_int_distribution<int32_t> row(0,
                                             std::max<int64_t>(c.rows, 1) - 1);
  for (int32_t &entry : table)
    entry = isThere(random) ? row(random) : -1;
  for (int64_t block = 0; block < blocks; ++block) {
    for (int64_t offset = 0; offset < c.offsets; ++offset) {
      segments.push_back(inRows.size());
      int64_t end = std::min(c.rows, (block + 1) * c.block);
      for (int64_t out = block * c.block; out < end; ++out)
        if (int32_t in = table[out * c.offsets + offset]; in >= 0) {
          inRows.push_back(in);
          outRows.push_back(out);
        }
    }
    segments.push_back(inRows.size());
  }
}
