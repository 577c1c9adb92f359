//===- FuzzPlan.cpp - the plan loader -------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a plan, once as it is and once with a header that fits, so that the
// checksum does not keep everything out. A plan that is read can be written
// again, printed, and laid out for capacities small and large, and its launches
// pass what the PTX in it takes.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/PlanLayout.h"
#include "sparseconv/Runtime/PlanParams.h"
#include <cstdlib>

using namespace sparseconv::plan;

static void layOut(const Function &function, Phase phase, int64_t capacity) {
  Schedule schedule(function, {}, phase);
  Capacities capacities;
  capacities.growables.assign(function.growables.size() / 2, capacity);
  if (phase == Phase::Rest) // what a run may have counted
    capacities.slots.assign(function.slots.size(), capacity / 2);
  for (const Value &input : function.inputs) {
    std::vector<int64_t> &sizes = capacities.inputs.emplace_back();
    for (const Dim &dim : input.dims)
      sizes.push_back(dim.size == kDynamic ? capacity : dim.size);
  }
  std::string error;
  std::optional<Layout> layout = layOut(function, schedule, capacities, error);
  if (!layout) {
    if (error.empty())
      abort();
    return;
  }
  for (const GrowableSizes &sizes : layout->growables)
    if (sizes.capacity < 0 || sizes.capacity > sizes.bound)
      abort();
  for (size_t b = 0; b != function.buffers.size(); ++b)
    if (layout->bufferOffsets[b] >= 0 &&
        layout->bufferOffsets[b] + layout->bufferBytes[b] > layout->arenaBytes)
      abort();
}

static void layOutAll(const Plan &plan) {
  for (const Function &function : plan.functions)
    for (Phase phase : {Phase::Whole, Phase::Counts, Phase::Rest})
      for (int64_t capacity : {int64_t(0), int64_t(1000), INT64_MAX})
        layOut(function, phase, capacity);
}

/// No launch passes other parameters than the PTX says that its kernel takes.
static void checkParams(const Plan &plan) {
  for (const Function &function : plan.functions)
    for (const Step &step : function.steps) {
      if (step.kind != Step::Kind::Launch)
        continue;
      ParamPlaces places = getPlaces(step.params);
      const Kernel &kernel = plan.kernels[step.kernel];
      for (const Image &image : plan.modules[kernel.module].images) {
        if (image.kind != Image::Kind::Ptx)
          continue;
        auto kernels = readPtxKernels(image.bytes);
        auto it = kernels.find(kernel.name);
        if (it != kernels.end() && it->second != places)
          abort();
      }
    }
}

static void check(std::string_view file) {
  std::string error;
  std::optional<Plan> plan = parse(file, error);
  if (plan.has_value() != error.empty())
    abort();
  if (!plan)
    return;
  dump(*plan);
  checkParams(*plan);
  layOutAll(*plan);
  std::string written = serialise(*plan);
  std::optional<Plan> again = parse(written, error);
  if (!again || serialise(*again) != written)
    abort();
}

static void store(std::string &file, size_t offset, uint64_t value) {
  for (int i = 0; i != 8; ++i)
    file[offset + i] = static_cast<char>(value >> (8 * i));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string file(reinterpret_cast<const char *>(data), size);
  check(file);
  if (size < 40)
    return 0;
  store(file, 16, size);
  store(file, 24, hashBytes(std::string_view(file).substr(40)));
  check(file);
  return 0;
}
