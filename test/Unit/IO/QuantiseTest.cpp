//===- QuantiseTest.cpp - points to voxel coordinates ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Quantise.h"
#include "Helpers.h"
#include <cmath>

using namespace sparseconv;
using namespace sparseconv::test;

/// Three points with intensity and ring.
static Scan makeScan() {
  Scan scan;
  scan.points = makeTensor(ElementKind::F64, {3, 3},
                           {0.05, 0.1, -0.01, -3, 0.2, 1.5, 0.05, 0.1, -0.01});
  scan.features =
      makeTensor(ElementKind::F32, {3, 2}, {.5, 1, .25, 2, .125, 3});
  scan.featureNames = {"intensity", "ring"};
  return scan;
}

using Names = std::vector<std::string>;

TEST(Quantise, FloorsInDoubleAndKeepsOrderAndDuplicates) {
  QuantiseOptions options;
  options.batch = 2;
  Voxels voxels = valueOf(quantise(makeScan(), options));
  // -3 / 0.05 is exactly -60 in double; 0.2 / 0.05 is 4.
  expectEqual(voxels.points,
              makeTensor(ElementKind::I32, {3, 4},
                         {2, 1, 2, -1, 2, -60, 4, 30, 2, 1, 2, -1}));
  EXPECT_EQ(voxels.featureNames, (Names{"x", "y", "z", "intensity", "ring"}));
  EXPECT_EQ(voxels.features.getDouble(0), 0.05f);
  EXPECT_EQ(voxels.features.getDouble(8), .25);
  EXPECT_EQ(voxels.numDropped, 0);
}

TEST(Quantise, UsesEachAxisOfSizeAndOrigin) {
  QuantiseOptions options;
  options.voxelSize = {1, 0.5, 0.25};
  options.origin = {-4, 0.3, -1};
  Voxels voxels = valueOf(quantise(makeScan(), options));
  expectEqual(voxels.points,
              makeTensor(ElementKind::I32, {3, 4},
                         {0, 4, -1, 3, 0, 1, -1, 10, 0, 4, -1, 3}));
}

TEST(Quantise, DropsPointsOutsideTheHalfOpenRange) {
  QuantiseOptions options;
  options.rangeMin[0] = -3;
  options.rangeMax[0] = 0.05;
  Voxels voxels = valueOf(quantise(makeScan(), options));
  EXPECT_EQ(voxels.numDropped, 2);
  EXPECT_EQ(voxels.points.getDim(0), 1);
  EXPECT_EQ(voxels.points.as<int32_t>()[1], -60);
  EXPECT_EQ(voxels.features.getDouble(3), .25);
  options.rangeMin[2] = 50;
  voxels = valueOf(quantise(makeScan(), options));
  EXPECT_EQ(voxels.points.getDim(0), 0);
  EXPECT_EQ(voxels.features.getTypeString(), "tensor<0x5xf32>");
}

TEST(Quantise, SelectsFeatureColumns) {
  QuantiseOptions options;
  options.featureColumns = {"ring", "x", "ring"};
  Voxels voxels = valueOf(quantise(makeScan(), options));
  EXPECT_EQ(voxels.featureNames, (Names{"ring", "x", "ring"}));
  expectEqual(voxels.features, makeTensor(ElementKind::F32, {3, 3},
                                          {1, .05, 1, 2, -3, 2, 3, .05, 3}));
  options.featureColumns.clear();
  options.numFeatures = 4;
  EXPECT_EQ(valueOf(quantise(makeScan(), options)).featureNames,
            (Names{"x", "y", "z", "intensity"}));
  options.numFeatures = 6;
  expectContains(messageOf(quantise(makeScan(), options)),
                 "expected at least 6 feature columns, the scan has x, y, z, "
                 "intensity, ring");
  options.featureColumns = {"colour"};
  expectContains(messageOf(quantise(makeScan(), options)),
                 "no feature column 'colour'; it has x, y, z, intensity, ring");
}

TEST(Quantise, RefusesCoordinatesBeyond32Bits) {
  Scan scan = makeScan();
  for (double y : {1e300, -1.2e8}) {
    scan.points.setDouble(4, y);
    expectContains(messageOf(quantise(scan)), "point 1: the coordinate");
    expectContains(messageOf(quantise(scan)), "along y");
  }
  QuantiseOptions options;
  options.voxelSize = {1, 1, 1};
  for (double x : {2147483647.5, -2147483648.0}) {
    scan = makeScan();
    scan.points.setDouble(0, x);
    EXPECT_EQ(valueOf(quantise(scan, options)).points.as<int32_t>()[1],
              static_cast<int32_t>(std::floor(x)));
  }
  scan.points.setDouble(0, 2147483648.0);
  expectContains(messageOf(quantise(scan, options)), "along x");
  // An infinite quotient.
  options.voxelSize = {1e-320, 1, 1};
  expectContains(messageOf(quantise(scan, options)), "does not fit i32");
}

TEST(Quantise, RefusesBadOptions) {
  for (double size : {0.0, -1.0, std::numeric_limits<double>::infinity(),
                      std::numeric_limits<double>::quiet_NaN()}) {
    QuantiseOptions options;
    options.voxelSize[1] = size;
    expectContains(messageOf(quantise(makeScan(), options)),
                   "expected a voxel size above 0 along y");
  }
  QuantiseOptions options;
  options.rangeMin[2] = 1;
  options.rangeMax[2] = 0;
  expectContains(messageOf(quantise(makeScan(), options)), "range along z");
  options = {};
  options.origin[0] = std::numeric_limits<double>::quiet_NaN();
  expectContains(messageOf(quantise(makeScan(), options)), "origin along x");
  options = {};
  options.batch = -1;
  expectContains(messageOf(quantise(makeScan(), options)), "batch index");
}

TEST(Quantise, JoinsScansIntoABatch) {
  std::vector<Scan> scans = {makeScan(), makeScan()};
  QuantiseOptions options;
  options.rangeMin[0] = 0;
  options.featureColumns = {"ring"};
  Voxels voxels = valueOf(quantise(scans, options));
  EXPECT_EQ(voxels.numDropped, 2);
  expectEqual(voxels.points,
              makeTensor(ElementKind::I32, {4, 4},
                         {0, 1, 2, -1, 0, 1, 2, -1, 1, 1, 2, -1, 1, 1, 2, -1}));
  expectEqual(voxels.features,
              makeTensor(ElementKind::F32, {4, 1}, {1, 3, 1, 3}));
  scans[1].featureNames[1] = "time";
  options.featureColumns.clear();
  expectContains(messageOf(quantise(scans, options)),
                 "scan 1 has the feature columns x, y, z, intensity, time");
  scans[1] = makeScan();
  options.batch = INT32_MAX;
  expectContains(messageOf(quantise(scans, options)),
                 "the batch index of scan 1 does not fit i32");
  EXPECT_EQ(valueOf(quantise(llvm::ArrayRef<Scan>())).points.getDim(0), 0);
}
