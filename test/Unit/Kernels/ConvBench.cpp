//===- ConvBench.cpp - the rate of gather-GEMM-scatter --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SPARSECONV_BENCH_COORDS=scene.npz SparseConvConvTests
//     --gtest_also_run_disabled_tests --gtest_filter='ConvBench.*'
//
// A layer of 64 to 64 channels, 3x3x3, on the coordinates [N, 4] of a scene.
// Only real pairs count as work. Time is that of the processor, so that other
// programs disturb it less; the peak is measured before and after.
//
//===----------------------------------------------------------------------===//

#include "ConvData.h"
#include "sparseconv/IO/Npz.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/PeakFlops.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"
#include <chrono>
#include <ctime>

using namespace mlir::sparseconv::test;

namespace {

double getProcessorSeconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return now.tv_sec + 1e-9 * now.tv_nsec;
}

double getSeconds() {
  auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Flops in a second of one processor.
double getPeak() {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    double processor = getProcessorSeconds(), wall = getSeconds();
    double rate = sparseconv::measurePeakFlops(1, 0.05);
    processor = getProcessorSeconds() - processor;
    best = std::max(best, rate * (getSeconds() - wall) / processor);
  }
  return best;
}

double getMedian(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The pair lists of a 3x3x3 map of a set of coordinates to itself.
ConvPairs getPairs(const ConvCase &c, std::vector<std::array<int, 4>> points) {
  std::sort(points.begin(), points.end());
  return ConvPairs(c, [&](int64_t out, int64_t k) -> int32_t {
    std::array<int, 4> point = points[out];
    point[1] += k / 9 - 1;
    point[2] += k / 3 % 3 - 1;
    point[3] += k % 3 - 1;
    auto at = std::lower_bound(points.begin(), points.end(), point);
    return at == points.end() || *at != point ? -1 : at - points.begin();
  });
}

template <typename T>
void measure(ConvCase c, const std::vector<std::array<int, 4>> &points) {
  using Traits = ElementTraits<T>;
  std::mt19937 random(1);
  ConvPairs pairs = getPairs(c, points);
  auto x = randomArray<T>({c.rows, c.in}, random);
  auto dy = randomArray<T>({c.rows, c.out}, random);
  auto w = randomArray<T>({c.offsets, c.in, c.out}, random);
  Array<T> y({c.rows, c.out});
  auto inRows = pairs.inArray(), outRows = pairs.outArray();
  auto segments = pairs.segmentArray(c);
  std::string ir = llvm::formatv(
      R"(
func.func @conv(%x: memref<?x{0}x{2}>, %w: {3}, %in: memref<?xi32>,
                %out: memref<?xi32>, %segments: memref<?x28xi64>,
                %y: memref<?x{1}x{2}>) {{
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in, %out, %segments : memref<?x{0}x{2}>, {3},
          memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x{1}x{2}>)
      {{tiling = {4}}
  return
}
func.func @grad(%x: memref<?x{0}x{2}>, %dw: {3}, %in: memref<?xi32>,
                %out: memref<?xi32>, %segments: memref<?x28xi64>,
                %dy: memref<?x{1}x{2}>) {{
  sparseconv.kernel.weight_grad
      ins(%x, %dy, %in, %out, %segments : memref<?x{0}x{2}>,
          memref<?x{1}x{2}>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%dw : {3}) {{tiling = {4}}
  return
})",
      c.in, c.out, Traits::name, c.weightType(Traits::name), c.tiling());
  Kernel kernel(ir, Threads::OpenMP);
  sparseconv_cpu_pool_set_poison(false);
  double flops = 2.0 * pairs.inRows.size() * c.in * c.out;
  for (const char *name : {"conv", "grad"}) {
    std::vector<double> processor, wall;
    double peak = getPeak();
    for (int repeat = 0; repeat < 25; ++repeat) {
      processor.push_back(getProcessorSeconds());
      wall.push_back(getSeconds());
      kernel.run(name, x, w, inRows, outRows, segments,
                 llvm::StringRef(name) == "conv" ? y : dy);
      processor.back() = getProcessorSeconds() - processor.back();
      wall.back() = getSeconds() - wall.back();
    }
    peak = (peak + getPeak()) / 2;
    double rate = flops / getMedian(processor);
    llvm::outs() << llvm::formatv(
        "{0} {1} {2}->{3}: {4} rows, {5:f2} pairs per row, {6:f2} ms of "
        "processors ({7:f2} ms), {8:f1} GFLOP/s each of {9:f1}: {10:f1} %\n",
        name, Traits::name, c.in, c.out, c.rows,
        static_cast<double>(pairs.inRows.size()) / c.rows,
        getMedian(processor) * 1e3, getMedian(wall) * 1e3, rate * 1e-9,
        peak * 1e-9, 100 * rate / peak);
    llvm::outs().flush();
  }
}

} // namespace

TEST(ConvBench, DISABLED_Layers) {
  const char *path = std::getenv("SPARSECONV_BENCH_COORDS");
  ASSERT_TRUE(path) << "SPARSECONV_BENCH_COORDS is not set";
  auto tensors = sparseconv::readNpz(path);
  ASSERT_TRUE(static_cast<bool>(tensors))
      << llvm::toString(tensors.takeError());
  const sparseconv::HostTensor &coords = tensors->front().tensor;
  int64_t rows = coords.getShape()[0];
  std::vector<std::array<int, 4>> points(rows);
  memcpy(points.data(), coords.getData(), rows * sizeof(points[0]));
  omp_set_num_threads(2);
  ConvCase c{27, rows, 1, 64, 64};
  measure<float>(c, points);
  measure<_Float16>(c, points);
  for (int64_t channels : {16, 32, 128}) {
    c.in = c.out = channels;
    c.columns = std::min<int64_t>(64, channels);
    measure<float>(c, points);
  }
}
