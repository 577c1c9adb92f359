//===- RoundingTest.cpp - rounding to the element types -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include <cmath>
#include <limits>

using namespace sparseconv;
using namespace sparseconv::test;

/// What a store to a tensor of `kind` and a load give.
static double storeAndLoad(ElementKind kind, double value) {
  HostTensor tensor(kind, {1});
  tensor.setDouble(0, value);
  return tensor.getDouble(0);
}

TEST(Rounding, AgreesWithStores) {
  for (ElementKind kind : {ElementKind::F16, ElementKind::BF16}) {
    // Every finite number of the type, the ties between neighbours, and the
    // doubles on either side of each tie.
    HostTensor tensor(kind, {2});
    for (unsigned bits = 0; bits < 0xffff; ++bits) {
      tensor.as<uint16_t>()[0] = bits;
      tensor.as<uint16_t>()[1] = bits + 1;
      double value = tensor.getDouble(0), next = tensor.getDouble(1);
      if (!std::isfinite(value))
        continue;
      ASSERT_EQ(roundTo(kind, value), value);
      ASSERT_EQ(std::signbit(roundTo(kind, value)), std::signbit(value));
      if (!std::isfinite(next))
        next = value * (1 + (kind == ElementKind::F16 ? 0x1p-10 : 0x1p-7));
      double tie = value + (next - value) / 2;
      for (double probe : {std::nextafter(tie, value), tie,
                           std::nextafter(tie, next), value + (next - tie) / 3})
        ASSERT_EQ(roundTo(kind, probe), storeAndLoad(kind, probe)) << probe;
    }
    double infinity = std::numeric_limits<double>::infinity();
    for (double probe : {infinity, -infinity, 1e300, -1e300, 1e-300, -1e-300}) {
      EXPECT_EQ(roundTo(kind, probe), storeAndLoad(kind, probe)) << probe;
      EXPECT_EQ(std::signbit(roundTo(kind, probe)), std::signbit(probe));
    }
    EXPECT_TRUE(std::isnan(roundTo(kind, std::nan(""))));
  }
}
