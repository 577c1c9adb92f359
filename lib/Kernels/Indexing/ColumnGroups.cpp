//===- ColumnGroups.cpp - columns that differ on two axes -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ColumnGroups.h"

using namespace mlir;
using namespace mlir::sparseconv;

SmallVector<ColumnGroup>
mlir::sparseconv::groupColumns(const SearchTask &task) {
  int64_t dim = task.packing.getDim();
  auto getPlace = [&](int64_t column) {
    int64_t number = task.columns.getNumbers(column).front();
    return task.displacements.slice(number * dim, dim).drop_back();
  };
  SmallVector<ColumnGroup> groups;
  for (int64_t c = 0; c < task.columns.getNumColumns(); ++c) {
    ArrayRef<int64_t> place = getPlace(c);
    ArrayRef<int64_t> first =
        groups.empty() ? place : getPlace(groups.back().first);
    if (groups.empty() || place.drop_back() != first.drop_back()) {
      groups.push_back({c, c + 1});
      continue;
    }
    groups.back().end = c + 1;
    groups.back().span = place.back() - first.back();
  }
  return groups;
}

int64_t mlir::sparseconv::getLongestColumn(const SearchColumns &columns) {
  int64_t longest = 0;
  for (int64_t c = 0; c < columns.getNumColumns(); ++c)
    longest = std::max<int64_t>(longest, columns.getNumbers(c).size());
  return longest;
}
