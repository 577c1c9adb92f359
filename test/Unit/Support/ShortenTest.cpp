//===- ShortenTest.cpp - text from outside in messages --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/ADT/SmallVector.h"
#include "gtest/gtest.h"

using namespace sparseconv;

TEST(Shorten, KeepsWhatIsShort) {
  EXPECT_EQ(shorten(""), "");
  EXPECT_EQ(shorten(std::string(160, 'a')), std::string(160, 'a'));
  EXPECT_EQ(joinShort(std::vector<std::string>{}, ", "), "");
  EXPECT_EQ(joinShort(std::vector<std::string>{"a", "b"}, ", "), "a, b");
}

TEST(Shorten, ShowsBeginAndEndOfTheRest) {
  EXPECT_EQ(shorten(std::string(150, 'a') + std::string(150, 'b')),
            std::string(100, 'a') + " ... " + std::string(40, 'b'));
  EXPECT_EQ(shorten(std::string(1600, 'a'), 1600), std::string(1600, 'a'));
  EXPECT_EQ(shorten(std::string(1601, 'a'), 1600).size(), 1405u);
  HostTensor tensor(ElementKind::F32,
                    llvm::SmallVector<int64_t>(std::size_t(20000), 1));
  EXPECT_EQ(tensor.getTypeString().size(), 145u);
  EXPECT_EQ(tensor.getTypeString().substr(0, 10), "tensor<1x1");
  EXPECT_EQ(tensor.getTypeString().substr(139), "1xf32>");
}

TEST(Shorten, CountsTheItemsThatItLeavesOut) {
  std::vector<std::string> items(10, "a");
  EXPECT_EQ(joinShort(items, ","), "a,a,a,a,a,a,a,a,a,a");
  items.resize(1000, "b");
  EXPECT_EQ(joinShort(items, ","), "a,a,a,a,a,a,a,a,a,a,and 990 more");
  items[0] = std::string(1000, 'c');
  EXPECT_LT(joinShort(items, ",").size(), 200u);
}
