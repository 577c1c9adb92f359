//===- SyntheticSweep.h - a scan of a made-up street ------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A street that nobody drove through: a scan of the size and look of one turn
// of a roof-mounted 64-beam LiDAR, for tests and demonstrations.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_SYNTHETICSWEEP_H
#define SPARSECONV_IO_SYNTHETICSWEEP_H

#include "sparseconv/IO/Scan.h"

namespace sparseconv {

struct SweepOptions {
  /// Chooses the street and the noise.
  uint64_t seed = 1;
  /// Lasers, from 2 degrees above the horizon to 25 below it; 2 to 4096.
  unsigned beams = 64;
  /// Shots of each laser in a turn; 1 to 65536.
  unsigned azimuths = 2000;
};

/// Casts rays at a random street: sloping ground with kerbs and lane marks,
/// buildings with windows, cars, people, poles, signs, trees and bushes, with
/// noise of range and intensity and lost returns. Points are in the sensor's
/// frame (x forward, y left, z up), f32 metres, with the feature "intensity"
/// in 0 .. 1.
///
/// One seed gives the same bits on every machine: integer random numbers, and
/// no floating-point operations but + - * / and square roots.
llvm::Expected<Scan> makeSyntheticSweep(const SweepOptions &options = {});

} // namespace sparseconv

#endif // SPARSECONV_IO_SYNTHETICSWEEP_H
