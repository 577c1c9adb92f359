//===- SyntheticSweep.cpp - a scan of a made-up street --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/SyntheticSweep.h"
#include "Street.h"
#include "llvm/Support/FormatVariadic.h"
#include <algorithm>
#include <cmath>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

/// Degrees of beam `index`: the upper half of the beams is denser than the
/// lower one, as on the sensor that KITTI was recorded with.
static double getElevation(unsigned index, unsigned beams) {
  double t = index / static_cast<double>(beams - 1);
  return t < 0.5 ? 2 - 10.6 * (2 * t) : -8.6 - 16.2 * (2 * t - 1);
}

/// The share of shots that give no return for other reasons than distance.
static constexpr double lossRate = 0.02;

static bool isLost(const Hit &hit, Random &random) {
  if (random.chance(lossRate))
    return true;
  // Little light comes back from far, dark or grazed surfaces.
  double light = hit.reflectivity * (0.06 + hit.incidence) * 32000 /
                 (hit.range * hit.range);
  return light < random.uniform(0.0, 1.0);
}

Expected<Scan> sparseconv::makeSyntheticSweep(const SweepOptions &options) {
  if (options.beams < 2 || options.beams > 4096 || options.azimuths < 1 ||
      options.azimuths > 65536)
    return createStringError(
        inconvertibleErrorCode(),
        formatv("expected 2 to 4096 beams and 1 to 65536 azimuths, found {0} "
                "and {1}",
                options.beams, options.azimuths)
            .str());

  Street street(options.seed);
  std::vector<float> points, intensities;
  for (unsigned beam = 0; beam < options.beams; ++beam) {
    Rotation tilt = makeRotation(getElevation(beam, options.beams) / 360);
    for (unsigned shot = 0; shot < options.azimuths; ++shot) {
      // Each shot has its own numbers, whatever the others used.
      Random random(options.seed * 0x9e3779b97f4a7c15 + (uint64_t(beam) << 32) +
                    shot);
      random.next();
      double jitter = random.uniform(-0.2, 0.2);
      Rotation turn = makeRotation((shot + jitter) / options.azimuths);
      Direction direction = {tilt.cosine * turn.cosine, tilt.cosine * turn.sine,
                             tilt.sine};
      std::optional<Hit> hit = street.cast(direction, random);
      if (!hit || isLost(*hit, random))
        continue;
      double range = hit->range + 0.015 * random.normal();
      for (double axis : direction)
        points.push_back(static_cast<float>(axis * range));
      double light = hit->reflectivity * (0.35 + 0.65 * hit->incidence) +
                     0.02 * random.normal();
      // Whole hundredths, as the sensor gives.
      intensities.push_back(static_cast<float>(
          std::floor(std::clamp(light, 0.0, 0.99) * 100 + 0.5) / 100));
    }
  }

  Scan scan;
  int64_t count = intensities.size();
  scan.featureNames = {"intensity"};
  scan.points = HostTensor(ElementKind::F32, {count, 3});
  scan.features = HostTensor(ElementKind::F32, {count, 1});
  std::copy(points.begin(), points.end(), scan.points.as<float>().begin());
  std::copy(intensities.begin(), intensities.end(),
            scan.features.as<float>().begin());
  return scan;
}
