//===- Schedule.cpp - order between steps of several streams --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/PlanLayout.h"
#include <algorithm>
#include <numeric>

using namespace sparseconv::plan;

void sparseconv::plan::setLifetimes(Function &function) {
  std::vector<bool> isUsed(function.buffers.size());
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    forEachBuffer(function.steps[i], [&](uint32_t index) {
      Buffer &buffer = function.buffers[index];
      if (buffer.kind != Buffer::Kind::Scratch &&
          buffer.kind != Buffer::Kind::Prepared)
        return;
      if (!isUsed[index])
        buffer.firstStep = i;
      buffer.lastStep = i;
      isUsed[index] = true;
    });
}

/// The number that stands for the set that `i` is in.
static uint32_t findRoot(std::vector<uint32_t> &parents, uint32_t i) {
  while (parents[i] != i)
    i = parents[i] = parents[parents[i]];
  return i;
}

namespace {
/// The steps that prepare, in sets that are done together: those that share a
/// prepared buffer or a slot.
class PreparedSteps {
public:
  explicit PreparedSteps(const Function &function);

  std::vector<bool> find(const std::vector<bool> &isBound);

private:
  /// Calls back with each step that prepares and the numbers of its memory:
  /// prepared buffers, and the slots behind all buffers.
  template <typename Fn> void forEachStep(Fn callback) const;

  const Function &function;
  /// By number of memory.
  std::vector<uint32_t> parents;
};
} // namespace

template <typename Fn> void PreparedSteps::forEachStep(Fn callback) const {
  std::vector<uint32_t> memory;
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    const Step &step = function.steps[i];
    if (!step.prepares)
      continue;
    memory.clear();
    forEachBuffer(step, [&](uint32_t b) {
      if (function.buffers[b].kind == Buffer::Kind::Prepared)
        memory.push_back(b);
    });
    for (const Param &param : step.params)
      if (param.kind == Param::Kind::Slot)
        memory.push_back(function.buffers.size() + param.index);
    if (!memory.empty())
      callback(i, memory);
  }
}

PreparedSteps::PreparedSteps(const Function &function)
    : function(function),
      parents(function.buffers.size() + function.slots.size()) {
  std::iota(parents.begin(), parents.end(), 0);
  forEachStep([&](uint32_t, const std::vector<uint32_t> &memory) {
    for (uint32_t m : memory)
      parents[findRoot(parents, m)] = findRoot(parents, memory[0]);
  });
}

std::vector<bool> PreparedSteps::find(const std::vector<bool> &isBound) {
  // A slot is there ahead of runs unless it holds a size of a run's inputs.
  std::vector<bool> changes(parents.size());
  auto forEachSlot = [&](bool ofBound, auto callback) {
    for (size_t i = 0; i != function.inputs.size(); ++i)
      for (const Dim &dim : function.inputs[i].dims)
        if (dim.size == kDynamic && isBound[i] == ofBound)
          callback(function.buffers.size() + dim.slot);
  };
  std::vector<bool> isSize(parents.size());
  forEachSlot(false, [&](size_t slot) { isSize[slot] = true; });
  // Two inputs of equally many rows have one.
  forEachSlot(true, [&](size_t slot) { isSize[slot] = false; });
  for (uint32_t m = 0; m != parents.size(); ++m)
    if (isSize[m])
      changes[findRoot(parents, m)] = true;
  forEachStep([&](uint32_t step, const std::vector<uint32_t> &memory) {
    forEachBuffer(function.steps[step], [&](uint32_t b) {
      const Buffer &buffer = function.buffers[b];
      if (buffer.kind == Buffer::Kind::Input && !isBound[buffer.index])
        changes[findRoot(parents, memory[0])] = true;
    });
  });
  std::vector<bool> result(function.steps.size());
  forEachStep([&](uint32_t step, const std::vector<uint32_t> &memory) {
    result[step] = !changes[findRoot(parents, memory[0])];
  });
  return result;
}

std::vector<bool>
sparseconv::plan::findPrepared(const Function &function,
                               const std::vector<bool> &isBound) {
  return PreparedSteps(function).find(isBound);
}

Schedule::Schedule(const Function &function, std::vector<bool> prepared,
                   Phase phase)
    : phase(phase), isPrepared(std::move(prepared)),
      streams(function.numStreams) {
  size_t numSteps = function.steps.size();
  isPrepared.resize(numSteps);
  isLeftOut = isPrepared;
  if (phase != Phase::Whole)
    for (uint32_t i = 0; i != numSteps; ++i)
      if (function.steps[i].counts != (phase == Phase::Counts))
        isLeftOut[i] = true;
  findPlaces(function);
  waits.resize(numSteps);
  signals.resize(numSteps);
  done.resize(numSteps * streams);
  // What is done for sure once the last step so far of a stream is.
  std::vector<uint32_t> known(size_t(streams) * streams);
  std::vector<bool> started(streams);
  // Of a step that is left out, what it would have waited for, by stream. These
  // are of another kind only where both report errors, which keep their order.
  std::vector<uint32_t> standsFor(numSteps * streams);
  for (uint32_t i = 0; i != numSteps; ++i) {
    const Step &step = function.steps[i];
    std::vector<uint32_t> dependencies =
        findDependencies(function, i, standsFor);
    if (isLeftOut[i])
      continue;
    uint32_t *row = &known[size_t(step.stream) * streams];
    if (step.stream != 0 && !started[step.stream])
      waits[i].forFork = true;
    started[step.stream] = true;
    for (uint32_t dependency : dependencies) {
      uint32_t other = function.steps[dependency].stream;
      if (row[other] > dependency)
        continue;
      waits[i].steps.push_back(dependency);
      signals[dependency] = true;
      for (uint32_t s = 0; s != streams; ++s)
        row[s] = std::max(row[s], done[size_t(dependency) * streams + s]);
      row[other] = std::max(row[other], dependency + 1);
    }
    std::copy(row, row + streams, &done[size_t(i) * streams]);
    row[step.stream] = i + 1;
  }
  for (uint32_t s = 1; s != streams; ++s) {
    uint32_t last = known[size_t(s) * streams + s];
    if (last == 0 || known[s] >= last)
      continue;
    joins.push_back(last - 1);
    signals[last - 1] = true;
  }
  findUses(function);
}

/// Of each stream the last step that has to be done before one, the latest
/// first: it may imply the others. Steps that are left out stand for those
/// before them; `standsFor` has one more than the last of these, and gets that
/// of the step.
std::vector<uint32_t>
Schedule::findDependencies(const Function &function, uint32_t step,
                           std::vector<uint32_t> &standsFor) const {
  uint32_t *latest = &standsFor[size_t(step) * streams];
  for (uint32_t other : function.steps[step].dependencies) {
    uint32_t stream = function.steps[other].stream;
    if (!isLeftOut[other])
      latest[stream] = std::max(latest[stream], other + 1);
    for (uint32_t s = 0; isLeftOut[other] && s != streams; ++s)
      latest[s] = std::max(latest[s], standsFor[size_t(other) * streams + s]);
  }
  std::vector<uint32_t> found;
  for (uint32_t s = 0; s != streams; ++s)
    if (latest[s])
      found.push_back(latest[s] - 1);
  std::sort(found.rbegin(), found.rend());
  return found;
}

/// Finds which buffers have memory in this phase, and which keep it.
void Schedule::findPlaces(const Function &function) {
  size_t numBuffers = function.buffers.size();
  std::vector<bool> isCounted(numBuffers), isInRest(numBuffers);
  keeps.resize(numBuffers);
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    forEachBuffer(function.steps[i], [&](uint32_t b) {
      if (isPrepared[i])
        keeps[b] = function.buffers[b].kind == Buffer::Kind::Prepared;
      else
        (function.steps[i].counts ? isCounted : isInRest)[b] = true;
    });
  places.assign(numBuffers, true);
  if (phase == Phase::Whole)
    return;
  for (uint32_t b = 0; b != numBuffers; ++b) {
    bool isFirst = isCounted[b] || keeps[b] ||
                   function.buffers[b].kind == Buffer::Kind::Persistent;
    places[b] = phase == Phase::Counts ? isFirst : isInRest[b] && !isFirst;
    if (phase == Phase::Counts && isCounted[b] && isInRest[b])
      keeps[b] = true;
  }
}

void Schedule::findUses(const Function &function) {
  size_t numSteps = function.steps.size(), numBuffers = keeps.size();
  stepsOf.resize(streams);
  for (uint32_t i = 0; i != numSteps; ++i)
    if (!isLeftOut[i])
      stepsOf[function.steps[i].stream].push_back(i);
  lastUse.resize(numBuffers * streams);
  doneAtUse.assign(numBuffers * streams, ~uint32_t(0));
  auto use = [&](uint32_t buffer, uint32_t step) {
    uint32_t &last =
        lastUse[size_t(buffer) * streams + function.steps[step].stream];
    last = std::max(last, step + 1);
    for (uint32_t s = 0; s != streams; ++s) {
      uint32_t &earliest = doneAtUse[size_t(buffer) * streams + s];
      earliest = std::min(earliest, done[size_t(step) * streams + s]);
    }
  };
  for (uint32_t b = 0; b != numBuffers; ++b) {
    const Buffer &buffer = function.buffers[b];
    // A lifetime is of the whole run, and may be longer than the uses.
    if (phase == Phase::Whole &&
        (buffer.kind == Buffer::Kind::Scratch ||
         (buffer.kind == Buffer::Kind::Prepared && !keeps[b]))) {
      use(b, buffer.firstStep);
      use(b, buffer.lastStep);
    }
  }
  for (uint32_t i = 0; i != numSteps; ++i)
    if (!isLeftOut[i])
      forEachBuffer(function.steps[i], [&](uint32_t b) { use(b, i); });
}

bool Schedule::endsBefore(uint32_t a, uint32_t b) const {
  for (uint32_t s = 0; s != streams; ++s)
    if (lastUse[size_t(a) * streams + s] > doneAtUse[size_t(b) * streams + s])
      return false;
  return true;
}

uint32_t Schedule::getFirstOpen(uint32_t buffer) const {
  uint32_t first = ~uint32_t(0);
  for (uint32_t s = 0; s != streams; ++s) {
    auto it = std::lower_bound(stepsOf[s].begin(), stepsOf[s].end(),
                               doneAtUse[size_t(buffer) * streams + s]);
    if (it != stepsOf[s].end())
      first = std::min(first, *it);
  }
  return first;
}
