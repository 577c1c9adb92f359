//===- Schedule.cpp - order between steps of several streams --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/PlanLayout.h"
#include <algorithm>

using namespace sparseconv::plan;

template <typename Fn>
static void forEachBuffer(const Step &step, Fn callback) {
  if (step.kind == Step::Kind::Launch) {
    for (const Param &param : step.params)
      if (param.kind == Param::Kind::Buffer)
        callback(param.index);
    return;
  }
  callback(step.target);
  if (step.kind == Step::Kind::Copy)
    callback(step.source);
}

void sparseconv::plan::setLifetimes(Function &function) {
  std::vector<bool> isUsed(function.buffers.size());
  for (uint32_t i = 0; i != function.steps.size(); ++i)
    forEachBuffer(function.steps[i], [&](uint32_t index) {
      Buffer &buffer = function.buffers[index];
      if (buffer.kind != Buffer::Kind::Scratch)
        return;
      if (!isUsed[index])
        buffer.firstStep = i;
      buffer.lastStep = i;
      isUsed[index] = true;
    });
}

Schedule::Schedule(const Function &function) : streams(function.numStreams) {
  size_t numSteps = function.steps.size();
  waits.resize(numSteps);
  signals.resize(numSteps);
  done.resize(numSteps * streams);
  // What is done for sure once the last step so far of a stream is.
  std::vector<uint32_t> known(size_t(streams) * streams);
  std::vector<bool> started(streams);
  for (uint32_t i = 0; i != numSteps; ++i) {
    const Step &step = function.steps[i];
    uint32_t *row = &known[size_t(step.stream) * streams];
    if (step.stream != 0 && !started[step.stream])
      waits[i].forFork = true;
    started[step.stream] = true;
    // The latest first: it may imply the others.
    std::vector<uint32_t> dependencies = step.dependencies;
    std::sort(dependencies.rbegin(), dependencies.rend());
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

  stepsOf.resize(streams);
  for (uint32_t i = 0; i != numSteps; ++i)
    stepsOf[function.steps[i].stream].push_back(i);

  size_t numBuffers = function.buffers.size();
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
  for (uint32_t b = 0; b != numBuffers; ++b)
    if (function.buffers[b].kind == Buffer::Kind::Scratch) {
      use(b, function.buffers[b].firstStep);
      use(b, function.buffers[b].lastStep);
    }
  for (uint32_t i = 0; i != numSteps; ++i)
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
