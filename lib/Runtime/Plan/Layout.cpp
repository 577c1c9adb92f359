//===- Layout.cpp - sizes and places for given capacities -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/PlanLayout.h"
#include "sparseconv/Support/Status.h"
#include <algorithm>

using namespace sparseconv::plan;
using std::to_string;

/// Grids that the hardware takes.
static constexpr int64_t kMaxGridX = (int64_t(1) << 31) - 1;
static constexpr int64_t kMaxGridY = 65535;
/// The status record in front of the slots.
static constexpr int64_t kStatusBytes = sizeof(sparseconv::StatusRecord);
/// Far beyond any device, and far enough below 2^63 to add some.
static constexpr int64_t kMaxBytes = int64_t(1) << 60;

/// Buffers that are placed by first fit; networks have hundreds.
static constexpr size_t kMostFitted = 4096;

static int64_t roundUp(int64_t value, int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

namespace {
/// How high the arena is in each step. A tree of ranges of steps: a node has
/// the highest that any of its steps is, and what all of them are at least.
class Skyline {
public:
  Skyline(size_t numSteps, int64_t top) {
    while (size < numSteps)
      size *= 2;
    nodes.assign(2 * size, {top, top});
  }

  /// The highest of steps `first` to `last`.
  int64_t getTop(size_t first, size_t last) const {
    return getTop(1, 0, size, first, last + 1);
  }
  /// Makes those steps at least `top` high.
  void raise(size_t first, size_t last, int64_t top) {
    raise(1, 0, size, first, last + 1, top);
  }

private:
  struct Node {
    int64_t highest, least;
  };
  int64_t getTop(size_t node, size_t begin, size_t end, size_t first,
                 size_t last) const;
  void raise(size_t node, size_t begin, size_t end, size_t first, size_t last,
             int64_t top);

  size_t size = 1;
  std::vector<Node> nodes;
};

class Evaluator {
public:
  Evaluator(const Function &function, const Schedule &schedule,
            const Capacities &asked, std::string &error)
      : function(function), schedule(schedule), asked(asked.growables),
        slots(asked.slots), capacities{asked.inputs, {}, {}}, error(error) {}

  bool run();
  Layout layout;

private:
  bool fail(const std::string &message) {
    error = function.describe() + ": " + message;
    return false;
  }
  /// A size of 0 to `upper`.
  bool size(const SizeExpr &expr, int64_t upper, const std::string &what,
            int64_t &result);
  bool evaluateGrowables();
  bool evaluateStep(const Step &step, const std::string &what,
                    StepSizes &sizes);
  bool checkRange(uint32_t buffer, int64_t offset, int64_t bytes,
                  const std::string &what);
  bool pack();
  void place(uint32_t buffer, int64_t offset);
  void fit(const std::vector<uint32_t> &order, int64_t top);
  void pile(const std::vector<uint32_t> &placed,
            const std::vector<uint32_t> &order, int64_t top);
  int64_t getEnd(uint32_t buffer) const {
    return layout.bufferOffsets[buffer] +
           roundUp(layout.bufferBytes[buffer], kBufferAlignment);
  }

  const Function &function;
  const Schedule &schedule;
  const std::vector<int64_t> &asked, &slots;
  Capacities capacities;
  std::string &error;
};
} // namespace

int64_t Skyline::getTop(size_t node, size_t begin, size_t end, size_t first,
                        size_t last) const {
  if (first <= begin && end <= last)
    return nodes[node].highest;
  int64_t top = nodes[node].least;
  size_t middle = begin + (end - begin) / 2;
  if (first < middle)
    top = std::max(top, getTop(2 * node, begin, middle, first, last));
  if (middle < last)
    top = std::max(top, getTop(2 * node + 1, middle, end, first, last));
  return top;
}

void Skyline::raise(size_t node, size_t begin, size_t end, size_t first,
                    size_t last, int64_t top) {
  nodes[node].highest = std::max(nodes[node].highest, top);
  if (first <= begin && end <= last) {
    nodes[node].least = std::max(nodes[node].least, top);
    return;
  }
  size_t middle = begin + (end - begin) / 2;
  if (first < middle)
    raise(2 * node, begin, middle, first, last, top);
  if (middle < last)
    raise(2 * node + 1, middle, end, first, last, top);
}

bool Evaluator::size(const SizeExpr &expr, int64_t upper,
                     const std::string &what, int64_t &result) {
  std::string reason;
  std::optional<int64_t> value = evaluate(expr, capacities, reason);
  if (!value)
    return fail(what + ": " + reason + " (" + toString(expr, function) + ")");
  if (*value < 0 || *value > upper)
    return fail(what + ": " + toString(expr, function) + " is " +
                to_string(*value) + ", expected 0 .. " + to_string(upper));
  result = *value;
  return true;
}

bool Evaluator::evaluateGrowables() {
  for (size_t i = 0; i != function.growables.size(); ++i) {
    const Growable &growable = function.growables[i];
    std::string what = "growable capacity " + to_string(i);
    GrowableSizes sizes;
    int64_t start = 0;
    if (!size(growable.start, kMaxBytes, what, start) ||
        !size(growable.bound, kMaxBytes, what, sizes.bound))
      return false;
    sizes.capacity = std::max(start, i < asked.size() ? asked[i] : int64_t(0));
    sizes.capacity = std::min(sizes.capacity, sizes.bound);
    capacities.growables.push_back(sizes.capacity);
    layout.growables.push_back(sizes);
  }
  return true;
}

bool Evaluator::checkRange(uint32_t buffer, int64_t offset, int64_t bytes,
                           const std::string &what) {
  if (offset <= layout.bufferBytes[buffer] &&
      bytes <= layout.bufferBytes[buffer] - offset)
    return true;
  return fail(what + ": bytes [" + to_string(offset) + ", +" +
              to_string(bytes) + ") are outside buffer '" +
              function.buffers[buffer].name + "' of " +
              to_string(layout.bufferBytes[buffer]) + " bytes");
}

bool Evaluator::evaluateStep(const Step &step, const std::string &what,
                             StepSizes &sizes) {
  if (step.kind != Step::Kind::Launch) {
    if (!size(step.bytes, kMaxBytes, what, sizes.bytes) ||
        !size(step.targetOffset, kMaxBytes, what, sizes.targetOffset) ||
        !checkRange(step.target, sizes.targetOffset, sizes.bytes, what))
      return false;
    if (step.kind == Step::Kind::Copy)
      return size(step.sourceOffset, kMaxBytes, what, sizes.sourceOffset) &&
             checkRange(step.source, sizes.sourceOffset, sizes.bytes, what);
    if (sizes.targetOffset % step.valueBytes || sizes.bytes % step.valueBytes)
      return fail(what + ": a memset is not of whole values");
    return true;
  }
  if (!size(step.gridX, kMaxGridX, what, sizes.gridX) ||
      !size(step.gridY, kMaxGridY, what, sizes.gridY))
    return false;
  sizes.gridX = roundUp(std::max<int64_t>(sizes.gridX, 1), step.cluster);
  sizes.gridY = std::max<int64_t>(sizes.gridY, 1);
  if (sizes.gridX > kMaxGridX)
    return fail(what + ": a grid of " + to_string(sizes.gridX) + " blocks");
  for (const Param &param : step.params) {
    int64_t value = 0;
    if (param.kind == Param::Kind::Buffer &&
        (!size(param.expr, kMaxBytes, what, value) ||
         !checkRange(param.index, value, 0, what)))
      return false;
    if (param.kind == Param::Kind::Capacity &&
        !size(param.expr, INT64_MAX, what, value))
      return false;
    sizes.params.push_back(value);
  }
  return true;
}

/// Places the arena's buffers, the largest first.
bool Evaluator::pack() {
  int64_t top = schedule.getPhase() == Phase::Rest
                    ? 0
                    : roundUp(layout.scalarBytes, kBufferAlignment);
  layout.bufferOffsets.assign(function.buffers.size(), -1);
  std::vector<uint32_t> order;
  for (uint32_t b = 0; b != function.buffers.size(); ++b) {
    int64_t bytes = roundUp(layout.bufferBytes[b], kBufferAlignment);
    Buffer::Kind kind = function.buffers[b].kind;
    if (!schedule.placesBuffer(b))
      continue;
    bool isScratch =
        kind == Buffer::Kind::Scratch || kind == Buffer::Kind::Prepared;
    if (kind == Buffer::Kind::Persistent ||
        (isScratch && schedule.keepsBuffer(b))) {
      layout.bufferOffsets[b] = top;
      top += bytes;
    } else if (isScratch) {
      order.push_back(b);
      layout.scratchBytes += bytes;
    }
    if (top > kMaxBytes || layout.scratchBytes > kMaxBytes)
      return fail("its buffers take more than 2^60 bytes");
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(layout.bufferBytes[b], a) <
           std::pair(layout.bufferBytes[a], b);
  });
  layout.arenaBytes = top;
  size_t numFitted = std::min(order.size(), kMostFitted);
  std::vector<uint32_t> small(order.begin() + numFitted, order.end());
  order.resize(numFitted);
  fit(order, top);
  if (!small.empty())
    pile(order, small, top);
  return true;
}

void Evaluator::place(uint32_t buffer, int64_t offset) {
  layout.bufferOffsets[buffer] = offset;
  layout.arenaBytes = std::max(layout.arenaBytes, getEnd(buffer));
}

/// First fit in the order that is given, which takes the square of the number
/// of buffers.
void Evaluator::fit(const std::vector<uint32_t> &order, int64_t top) {
  std::vector<uint32_t> placed; // by offset
  for (uint32_t b : order) {
    int64_t bytes = roundUp(layout.bufferBytes[b], kBufferAlignment);
    int64_t offset = top;
    for (uint32_t other : placed) {
      if (schedule.endsBefore(other, b) || schedule.endsBefore(b, other))
        continue;
      if (layout.bufferOffsets[other] >= offset + bytes)
        break;
      offset = std::max(offset, getEnd(other));
    }
    place(b, offset);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), b,
                                   [&](uint32_t x, uint32_t y) {
                                     return layout.bufferOffsets[x] <
                                            layout.bufferOffsets[y];
                                   }),
                  b);
  }
}

/// Puts each buffer on top of all that may live at the same time.
void Evaluator::pile(const std::vector<uint32_t> &placed,
                     const std::vector<uint32_t> &order, int64_t top) {
  Skyline skyline(function.steps.size(), top);
  auto raise = [&](uint32_t b) {
    skyline.raise(schedule.getFirstOpen(b), function.buffers[b].lastStep,
                  getEnd(b));
  };
  for (uint32_t b : placed)
    raise(b);
  for (uint32_t b : order) {
    place(b, skyline.getTop(schedule.getFirstOpen(b),
                            function.buffers[b].lastStep));
    raise(b);
  }
}

bool Evaluator::run() {
  if (!evaluateGrowables())
    return false;
  // What grows follows from capacities alone.
  capacities.slots = slots;
  for (const Buffer &buffer : function.buffers)
    if (!size(buffer.bytes, kMaxBytes, "buffer '" + buffer.name + "'",
              layout.bufferBytes.emplace_back()))
      return false;
  for (const Value &output : function.outputs) {
    std::vector<int64_t> &dims = layout.outputCapacities.emplace_back();
    for (const Dim &dim : output.dims) {
      dims.push_back(dim.size);
      if (dim.size == kDynamic &&
          !size(dim.capacity, kMaxBytes, "output '" + output.name + "'",
                dims.back()))
        return false;
    }
  }
  layout.scalarBytes = kStatusBytes + 8 * int64_t(function.slots.size());
  layout.steps.resize(function.steps.size());
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    // Those that count have run when sizes are exact.
    if (schedule.getPhase() == Phase::Rest && schedule.leavesOut(i))
      continue;
    if (!evaluateStep(function.steps[i], "step " + to_string(i),
                      layout.steps[i]))
      return false;
  }
  return pack();
}

std::optional<Layout> sparseconv::plan::layOut(const Function &function,
                                               const Schedule &schedule,
                                               const Capacities &capacities,
                                               std::string &error) {
  Evaluator evaluator(function, schedule, capacities, error);
  if (!evaluator.run())
    return std::nullopt;
  return std::move(evaluator.layout);
}
