//===- Replay.cpp - the order that a plan leaves its steps ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Replay.h"
#include <algorithm>
#include <map>

using namespace mlir::sparseconv;
using namespace mlir::sparseconv::test;
using namespace sparseconv::plan;
using std::to_string;

llvm::SmallVector<StepAccess>
mlir::sparseconv::test::getAccesses(const Function &function, const Step &step,
                                    llvm::ArrayRef<KernelTraits> kernels) {
  uint32_t firstSlot = function.buffers.size();
  uint32_t status = firstSlot + function.slots.size();
  llvm::SmallVector<StepAccess> result;
  auto add = [&](uint32_t memory, ParamAccess access) {
    if (!access.reads && !access.writes)
      return;
    auto *known = llvm::find_if(result, [&](const StepAccess &other) {
      return other.memory == memory;
    });
    if (known == result.end()) {
      result.push_back({memory, access});
      return;
    }
    known->access.reads |= access.reads;
    known->access.writes |= access.writes;
  };
  if (step.kind != Step::Kind::Launch) {
    add(step.target, {/*reads=*/false, /*writes=*/true});
    if (step.kind == Step::Kind::Copy)
      add(step.source, {/*reads=*/true, /*writes=*/false});
    return result;
  }
  llvm::ArrayRef<ParamAccess> accesses = kernels[step.kernel].params;
  for (auto [number, param] : llvm::enumerate(step.params)) {
    ParamAccess access =
        number < accesses.size() ? accesses[number] : ParamAccess();
    switch (param.kind) {
    case Param::Kind::Buffer:
      add(param.index, access);
      break;
    case Param::Kind::Slot:
      add(firstSlot + param.index, access);
      break;
    case Param::Kind::Status:
      add(status, access);
      break;
    default:
      break;
    }
  }
  return result;
}

llvm::SmallVector<StepTraits>
mlir::sparseconv::test::getTraits(const Function &function,
                                  llvm::ArrayRef<KernelTraits> kernels) {
  llvm::SmallVector<StepTraits> traits;
  for (const Step &step : function.steps) {
    StepTraits &own = traits.emplace_back();
    own.accesses = getAccesses(function, step, kernels);
    own.prepares = step.prepares;
    own.counts = step.counts;
    if (step.kind == Step::Kind::Launch)
      own.cost = kernels[step.kernel].cost;
  }
  return traits;
}

void mlir::sparseconv::test::markCount(Function &function,
                                       llvm::ArrayRef<KernelTraits> kernels,
                                       uint32_t step) {
  auto before = findDependencies(getTraits(function, kernels));
  std::vector<uint32_t> work = {step};
  while (!work.empty()) {
    uint32_t next = work.back();
    work.pop_back();
    if (std::exchange(function.steps[next].counts, true))
      continue;
    work.insert(work.end(), before[next].begin(), before[next].end());
  }
}

static bool isIn(const Step &step, Part part) {
  switch (part) {
  case Part::All:
    return true;
  case Part::Unprepared:
    return !step.prepares;
  case Part::Counts:
    return step.counts;
  case Part::Rest:
    return !step.counts;
  }
  return false;
}

void mlir::sparseconv::test::schedule(Function &function,
                                      llvm::ArrayRef<KernelTraits> kernels,
                                      unsigned maxStreams) {
  llvm::SmallVector<StepTraits> traits = getTraits(function, kernels);
  std::vector<Step> steps;
  function.numStreams = 1;
  for (const ScheduledStep &place : scheduleSteps(traits, maxStreams)) {
    Step &step = steps.emplace_back(function.steps[place.step]);
    step.stream = place.stream;
    step.dependencies.assign(place.dependencies.begin(),
                             place.dependencies.end());
    function.numStreams = std::max(function.numStreams, place.stream + 1);
  }
  function.steps = std::move(steps);
  setLifetimes(function);
}

Replay::Replay(const Function &function, Part part) {
  std::map<uint32_t, uint32_t> last; // by stream
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    const Step &step = function.steps[i];
    std::vector<bool> &done = before.emplace_back(function.steps.size());
    if (!isIn(step, part))
      continue;
    std::vector<uint32_t> waits = step.dependencies;
    if (last.count(step.stream))
      waits.push_back(last[step.stream]);
    for (uint32_t other : waits) {
      done[other] = true;
      for (uint32_t j = 0; j != other; ++j)
        if (before[other][j])
          done[j] = true;
    }
    last[step.stream] = i;
  }
}

/// What tells a step from others.
static std::string getIdentity(const Step &step) {
  std::string text = to_string(int(step.kind)) + " " + to_string(step.kernel) +
                     " " + to_string(step.blockX) + " " +
                     to_string(step.target) + " " + to_string(step.source);
  for (const Param &param : step.params)
    text += " " + to_string(int(param.kind)) + ":" + to_string(param.index) +
            ":" + to_string(param.value);
  return text;
}

std::string mlir::sparseconv::test::findRace(
    const Function &program, const Function &scheduled,
    llvm::ArrayRef<KernelTraits> kernels, Part part) {
  if (program.steps.size() != scheduled.steps.size())
    return "a step is missing";
  // Where each step was in the program. Of equal steps, which use the same
  // memory, the first stays the first.
  std::map<std::string, std::vector<uint32_t>> places;
  for (uint32_t i = program.steps.size(); i-- != 0;)
    places[getIdentity(program.steps[i])].push_back(i);
  std::vector<uint32_t> place;
  struct Use {
    uint32_t step;
    bool writes;
  };
  std::map<uint32_t, std::vector<Use>> uses;
  for (uint32_t i = 0; i != scheduled.steps.size(); ++i) {
    const Step &step = scheduled.steps[i];
    std::vector<uint32_t> &alike = places[getIdentity(step)];
    if (alike.empty())
      return "step " + to_string(i) + " is not in the program";
    place.push_back(alike.back());
    alike.pop_back();
    if (!isIn(step, part))
      continue;
    for (const StepAccess &access : getAccesses(scheduled, step, kernels))
      uses[access.memory].push_back({i, access.access.writes});
  }
  Replay replay(scheduled, part);
  for (auto &[memory, users] : uses)
    for (size_t b = 0; b != users.size(); ++b)
      for (size_t a = 0; a != b; ++a) {
        if (!users[a].writes && !users[b].writes)
          continue;
        std::string pair = "steps " + to_string(users[a].step) + " and " +
                           to_string(users[b].step) + " use memory " +
                           to_string(memory);
        if (!replay.comesBefore(users[a].step, users[b].step))
          return pair + " at the same time";
        if (place[users[a].step] > place[users[b].step])
          return pair + " in another order";
      }
  return "";
}

std::string mlir::sparseconv::test::findSharedMemory(const Function &function,
                                                     const Layout &layout,
                                                     Part part) {
  std::vector<std::vector<uint32_t>> users(function.buffers.size());
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    const Step &step = function.steps[i];
    if (!isIn(step, part))
      continue;
    for (const Param &param : step.params)
      if (param.kind == Param::Kind::Buffer)
        users[param.index].push_back(i);
    if (step.kind != Step::Kind::Launch)
      users[step.target].push_back(i);
    if (step.kind == Step::Kind::Copy)
      users[step.source].push_back(i);
  }
  Replay replay(function, part);
  auto endsBefore = [&](uint32_t a, uint32_t b) {
    return std::all_of(users[a].begin(), users[a].end(), [&](uint32_t x) {
      return std::all_of(users[b].begin(), users[b].end(),
                         [&](uint32_t y) { return replay.comesBefore(x, y); });
    });
  };
  for (uint32_t b = 0; b != function.buffers.size(); ++b)
    for (uint32_t a = 0; a != b; ++a) {
      if (layout.bufferOffsets[a] < 0 || layout.bufferOffsets[b] < 0)
        continue;
      bool isApart = layout.bufferOffsets[a] + layout.bufferBytes[a] <=
                         layout.bufferOffsets[b] ||
                     layout.bufferOffsets[b] + layout.bufferBytes[b] <=
                         layout.bufferOffsets[a];
      if (!isApart && !endsBefore(a, b) && !endsBefore(b, a))
        return "buffers " + to_string(a) + " and " + to_string(b) +
               " share memory";
    }
  return "";
}

uint32_t mlir::sparseconv::test::getLongestChain(const Function &function) {
  std::vector<uint32_t> lengths;
  std::map<uint32_t, uint32_t> last; // length by stream
  uint32_t longest = 0;
  for (const Step &step : function.steps) {
    uint32_t length = last[step.stream];
    for (uint32_t other : step.dependencies)
      length = std::max(length, lengths[other]);
    lengths.push_back(length + 1);
    last[step.stream] = length + 1;
    longest = std::max(longest, length + 1);
  }
  return longest;
}
