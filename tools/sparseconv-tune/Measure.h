//===- Measure.h - times of layers, and whether results agree ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TUNE_MEASURE_H
#define SPARSECONV_TOOLS_SPARSECONV_TUNE_MEASURE_H

#include "TunedNetwork.h"

namespace mlir::sparseconv {

/// What a network is measured on.
struct Scene {
  std::string name;
  std::vector<::sparseconv::HostTensor> arguments;
  /// Results of the untuned network.
  std::vector<::sparseconv::HostTensor> expected;
};

/// How a variant of the network did on a scene.
struct SceneTimes {
  /// By layer: the median of some profiles.
  std::vector<double> microseconds;
  double total = 0;
  /// The largest error of a result, relative to its largest magnitude.
  double error = 0;
};

/// Runs, compares with `scene.expected` unless that is empty, and profiles.
llvm::Expected<SceneTimes> measure(const TunedNetwork &network,
                                   Executable &executable, StringRef entry,
                                   const Scene &scene);

/// Medians of the seconds that two compiled networks take, called in turn.
llvm::Expected<std::pair<double, double>> compareTimes(Executable &first,
                                                       Executable &second,
                                                       StringRef entry,
                                                       const Scene &scene);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_TUNE_MEASURE_H
