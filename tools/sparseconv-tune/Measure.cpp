//===- Measure.cpp - how long layers take, and whether results agree ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Measure.h"
#include "ResultError.h"
#include <chrono>

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// What takes long is repeated less often.
class Stopwatch {
public:
  bool isOver() const {
    return std::chrono::steady_clock::now() - start > std::chrono::seconds(2);
  }

private:
  std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
};
} // namespace

static double takeMedian(std::vector<double> numbers) {
  auto middle = numbers.begin() + static_cast<ptrdiff_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

llvm::Expected<SceneTimes>
mlir::sparseconv::measure(const TunedNetwork &network, Executable &executable,
                          StringRef entry, const Scene &scene) {
  constexpr unsigned kMostProfiles = 5, kLeastProfiles = 2;
  SceneTimes times;
  auto results = executable.run(entry, scene.arguments);
  if (!results)
    return results.takeError();
  if (!scene.expected.empty())
    for (auto [found, expected] : llvm::zip_equal(*results, scene.expected))
      times.error = std::max(times.error, getError(found, expected));

  size_t layers = network.getLayers().size();
  std::vector<std::vector<double>> byLayer(layers);
  std::vector<double> totals;
  Stopwatch watch;
  for (unsigned run = 0; run < kMostProfiles; ++run) {
    if (run >= kLeastProfiles && watch.isOver())
      break;
    unsigned warmups = run == 0 ? 1 : 0;
    auto events = executable.profile(entry, scene.arguments, warmups);
    if (!events)
      return events.takeError();
    std::vector<double> sums(layers);
    double total = 0;
    for (const KernelEvent &event : *events) {
      double microseconds = (event.end - event.begin) * 1e6;
      total += microseconds;
      if (int layer = network.findLayer(event.location); layer >= 0)
        sums[layer] += microseconds;
    }
    for (auto [numbers, sum] : llvm::zip_equal(byLayer, sums))
      numbers.push_back(sum);
    totals.push_back(total);
  }
  for (const std::vector<double> &numbers : byLayer)
    times.microseconds.push_back(takeMedian(numbers));
  times.total = takeMedian(totals);
  return times;
}

llvm::Expected<std::pair<double, double>>
mlir::sparseconv::compareTimes(Executable &first, Executable &second,
                               StringRef entry, const Scene &scene) {
  constexpr unsigned kMostTurns = 7, kLeastTurns = 2, kRuns = 3;
  std::vector<double> seconds[2];
  Stopwatch watch;
  for (unsigned turn = 0; turn < kMostTurns; ++turn) {
    if (turn >= kLeastTurns && watch.isOver())
      break;
    for (unsigned which : {turn % 2, 1 - turn % 2}) {
      Executable &executable = which ? second : first;
      auto measured =
          executable.time(entry, scene.arguments, {/*warmups=*/1, kRuns});
      if (!measured)
        return measured.takeError();
      llvm::append_range(seconds[which], *measured);
    }
  }
  return std::make_pair(takeMedian(seconds[0]), takeMedian(seconds[1]));
}
