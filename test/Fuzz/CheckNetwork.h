//===- CheckNetwork.h - a compiled network against the reference *- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_FUZZ_CHECKNETWORK_H
#define SPARSECONV_TEST_FUZZ_CHECKNETWORK_H

#include "RandomNetwork.h"
#include "sparseconv/Execution/Executable.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"
#include <memory>

namespace mlir::sparseconv::fuzz {

/// What came of a network.
enum class Outcome {
  Agrees,        ///< in its results
  AgreesInError, ///< in the run-time error that it ends with
  Skipped,       ///< no number of it was compared
  Differs
};

struct CheckResult {
  Outcome outcome;
  std::string text; ///< why it was skipped, or how it differs
  /// Of its results, and those of which only the shapes were compared.
  unsigned numResults = 0, numUncompared = 0;
};

struct CheckOptions {
  bool onGpu = false;
  /// "sm_80", "avx2"; empty: what this machine has.
  std::string chip;
  /// Of a GPU.
  unsigned streams = kDefaultStreams;
  /// Change a number of what the target gives, so that a test sees it found.
  bool spoil = false;
};

/// Compiles networks and runs them, and compares results and run-time errors
/// with the reference.
class NetworkChecker {
public:
  CheckResult check(RandomNetwork &network, const CheckOptions &options);

private:
  /// Of the network before: as long as there is one, the GPU keeps its context,
  /// which takes longer to make than a network.
  std::unique_ptr<Executable> last;
};

} // namespace mlir::sparseconv::fuzz

#endif // SPARSECONV_TEST_FUZZ_CHECKNETWORK_H
