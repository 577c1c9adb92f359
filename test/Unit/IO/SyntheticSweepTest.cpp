//===- SyntheticSweepTest.cpp - a scan of a made-up street ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/SyntheticSweep.h"
#include "Helpers.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Quantise.h"
#include <cmath>
#include <set>
#include <tuple>
#include <zlib.h>

using namespace sparseconv;
using namespace sparseconv::test;

static uint32_t crcOf(const HostTensor &tensor) {
  return crc32(0, reinterpret_cast<const Bytef *>(tensor.getData()),
               tensor.getNumBytes());
}

static Scan makeSweep(uint64_t seed, unsigned beams, unsigned azimuths) {
  SweepOptions options;
  options.seed = seed;
  options.beams = beams;
  options.azimuths = azimuths;
  return valueOf(makeSyntheticSweep(options));
}

TEST(SyntheticSweep, HasTheSizeOfARecordedOne) {
  Scan scan = makeSweep(1, 64, 2000);
  EXPECT_GT(scan.getNumPoints(), 100000);
  EXPECT_LT(scan.getNumPoints(), 128000);
  Voxels voxels = valueOf(quantise(scan));
  std::set<std::tuple<int, int, int>> distinct;
  llvm::ArrayRef<int32_t> rows = voxels.points.as<int32_t>();
  for (size_t i = 0; i < rows.size(); i += 4)
    distinct.insert({rows[i + 1], rows[i + 2], rows[i + 3]});
  EXPECT_GT(distinct.size(), 80000u);
  EXPECT_LT(distinct.size(), 100000u);
}

TEST(SyntheticSweep, StaysInTheSensorsView) {
  Scan scan = makeSweep(5, 32, 300);
  llvm::ArrayRef<float> points = scan.points.as<float>();
  double lowest = 0, highest = -90, left = 0, right = 0;
  for (size_t i = 0; i < points.size(); i += 3) {
    double x = points[i], y = points[i + 1], z = points[i + 2];
    double range = std::sqrt(x * x + y * y + z * z);
    EXPECT_GT(range, 0.5);
    EXPECT_LT(range, 80);
    double elevation = std::atan2(z, std::hypot(x, y)) * 180 / M_PI;
    lowest = std::min(lowest, elevation);
    highest = std::max(highest, elevation);
    left = std::max(left, y);
    right = std::min(right, y);
  }
  EXPECT_NEAR(lowest, -24.8, 0.01);
  EXPECT_NEAR(highest, 2, 0.01);
  EXPECT_GT(left, 5);
  EXPECT_LT(right, -5);
  for (float intensity : scan.features.as<float>()) {
    EXPECT_GE(intensity, 0);
    EXPECT_LT(intensity, 1);
  }
}

TEST(SyntheticSweep, IsTheSameOnEveryMachine) {
  Scan scan = makeSweep(1, 16, 250);
  EXPECT_EQ(scan.getNumPoints(), 3835);
  EXPECT_EQ(crcOf(scan.points), 1558319294u);
  EXPECT_EQ(crcOf(scan.features), 836243434u);
}

TEST(SyntheticSweep, FollowsTheSeed) {
  EXPECT_EQ(crcOf(makeSweep(3, 8, 50).points),
            crcOf(makeSweep(3, 8, 50).points));
  EXPECT_NE(crcOf(makeSweep(3, 8, 50).points),
            crcOf(makeSweep(4, 8, 50).points));
}

TEST(SyntheticSweep, IsWrittenAsABinScan) {
  TemporaryFolder folder;
  Scan scan = makeSweep(9, 8, 40);
  expectSuccess(writeBinScan(folder.file("a.bin"), scan));
  Scan read = valueOf(readScan(folder.file("a.bin")));
  expectEqual(read.points, scan.points);
  expectEqual(read.features, scan.features);
  EXPECT_EQ(read.featureNames, scan.featureNames);
  expectContains(messageOf(writeBinScan(folder.file("no/a.bin"), scan)),
                 "cannot be written");
}

TEST(SyntheticSweep, RefusesOptionsOutOfRange) {
  for (auto [beams, azimuths] : {std::pair(1u, 10u), std::pair(5000u, 10u),
                                 std::pair(2u, 0u), std::pair(2u, 70000u)}) {
    SweepOptions options;
    options.beams = beams;
    options.azimuths = azimuths;
    expectContains(messageOf(makeSyntheticSweep(options)),
                   "expected 2 to 4096 beams");
  }
  makeSweep(0, 2, 1);
}
