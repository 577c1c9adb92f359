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
  std::string type = "memref<";
  for (int64_t size : weightShape(transposed))
    type += std::to_string(size) + "x";
  return type + element + ">";
}

llvm::SmallVector<int64_t> ConvCase::weightShape(bool transposed) const {
  llvm::SmallVector<int64_t> shape = {offsets};
  if (groups != 1)
    shape.push_back(groups);
  shape.append({transposed ? out : in, transposed ? in : out});
  return shape;
}

std::string ConvCase::tiling() const {
  return llvm::formatv("#sparseconv.tiling<row_block = {0}, rows = {1}, "
                       "columns = {2}, lanes = {3}>",
                       rowBlock, tileRows, columns, lanes);
}

ConvCase mlir::sparseconv::test::avx512(int64_t k, int64_t n, int64_t in,
                                        int64_t out) {
  return {k, n, 1, in, out};
}

ConvCase mlir::sparseconv::test::avx2(int64_t k, int64_t n, int64_t in,
                                      int64_t out) {
  return {k, n, 1, in, out, /*lanes=*/8, /*tileRows=*/6, /*columns=*/16};
}

ConvCase mlir::sparseconv::test::sse2(int64_t k, int64_t n, int64_t in,
                                      int64_t out) {
  return {k, n, 1, in, out, /*lanes=*/4, /*tileRows=*/4, /*columns=*/8};
}

ConvCase mlir::sparseconv::test::grouped(ConvCase c, int64_t groups) {
  c.groups = groups;
  return c;
}

ConvPairs::ConvPairs(
    const ConvCase &c,
    llvm::function_ref<int32_t(int64_t out, int64_t offset)> find)
    : rowBlocks((c.rows + c.rowBlock - 1) / c.rowBlock) {
  for (int64_t rowBlock = 0; rowBlock < rowBlocks; ++rowBlock) {
    int64_t end = std::min(c.rows, (rowBlock + 1) * c.rowBlock);
    for (int64_t offset = 0; offset < c.offsets; ++offset) {
      segments.push_back(inRows.size());
      for (int64_t out = rowBlock * c.rowBlock; out < end; ++out)
        if (int32_t in = find(out, offset); in >= 0) {
          inRows.push_back(in);
          outRows.push_back(out);
        }
    }
    segments.push_back(inRows.size());
  }
}

static std::vector<int32_t> makeTable(const ConvCase &c, std::mt19937 &random) {
  std::vector<int32_t> table(c.rows * c.offsets);
  std::bernoulli_distribution isThere(c.density);
  std::uniform_int_distribution<int32_t> row(0,
                                             std::max<int64_t>(c.rows, 1) - 1);
  for (int32_t &entry : table)
    entry = isThere(random) ? row(random) : -1;
  return table;
}

ConvPairs::ConvPairs(const ConvCase &c, std::mt19937 &random)
    : ConvPairs(c,
                [&, table = makeTable(c, random)](int64_t out, int64_t offset) {
                  return table[out * c.offsets + offset];
                }) {}
