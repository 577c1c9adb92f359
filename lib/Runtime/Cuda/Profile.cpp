//===- Profile.cpp - the time of each step --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

Error Instance::describeStep(int64_t index, sparseconv_step_info &info) const {
  if (index < 0 || index >= int64_t(function.steps.size()))
    return invalidArgument(function.describe() + " has no step " +
                           to_string(index));
  const plan::Step &step = function.steps[index];
  info = {"", "", ""};
  switch (step.kind) {
  case plan::Step::Kind::Launch:
    info.name = program->getPlan().kernels[step.kernel].name.c_str();
    break;
  case plan::Step::Kind::Memset:
    info.name = "memset";
    break;
  case plan::Step::Kind::Copy:
    info.name = "copy";
    break;
  }
  if (step.op != plan::kNone) {
    info.operation = function.ops[step.op].name.c_str();
    info.location = function.ops[step.op].location.c_str();
  }
  return Error::success();
}

namespace {
/// Events, and a graph that records them.
struct Marks {
  explicit Marks(const Context &context)
      : driver(context.driver), graph(context) {}
  Marks(const Marks &) = delete;
  Marks &operator=(const Marks &) = delete;
  ~Marks() {
    for (CUevent event : events)
      if (event)
        driver.cuEventDestroy(event);
  }

  const DriverTable &driver;
  std::vector<CUevent> events;
  Graph graph;
};
} // namespace

/// All steps one after the other with an event around each, as a graph: in a
/// stream the host's launches would come between short kernels.
Error Instance::addMarks(const std::vector<CUevent> &marks, Graph &graph) {
  if (Error error = check(graph.create(), "creating a graph"))
    return error;
  Graph::Nodes before;
  for (size_t i = 0; i != marks.size(); ++i) {
    CUgraphNode node = nullptr;
    if (Error error =
            check(graph.addEvent(marks[i], before, node), "recording an event"))
      return error;
    before = {node};
    if (i == function.steps.size() || schedule.isStepPrepared(i))
      continue;
    if (Error error = addStepNode(graph, i, before, node))
      return error;
    before = {node};
  }
  return check(graph.instantiate(), "instantiating the graph");
}

Error Instance::runMarked(Tensors inputs, const InputSizes &sizes,
                          const Graph &graph) {
  if (Error error = beginRun(ownStream, sizes))
    return error;
  {
    Attempt attempt{*this, ownStream};
    if (Error error = enqueueInputs(inputs, sizes))
      return error;
    if (Error error = upload(ownStream, sizes))
      return error;
    if (Error error = check(graph.launch(ownStream), "launching the graph"))
      return error;
    if (Error error = endRun(ownStream))
      return error;
  }
  return waitHost();
}

Error Instance::profile(Tensors inputs, double *times) {
  std::lock_guard<std::mutex> lock(mutex);
  if (isExact())
    return refuseExact("a profile");
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  return repeat([&] { return profileOnce(inputs, times); });
}

Error Instance::profileOnce(Tensors inputs, double *times) {
  Marks marks(context);
  marks.events.resize(function.steps.size() + 1);
  for (CUevent &event : marks.events)
    if (Error error = check(driver.cuEventCreate(&event, CU_EVENT_DEFAULT),
                            "creating an event"))
      return error;
  InputSizes sizes;
  if (Error error = bindHost(inputs, sizes))
    return error;
  if (Error error = addMarks(marks.events, marks.graph))
    return error;
  if (Error error = runMarked(inputs, sizes, marks.graph))
    return error;
  for (size_t i = 0; i != marks.events.size(); ++i) {
    float milliseconds = 0;
    if (Error error =
            check(driver.cuEventElapsedTime(&milliseconds, marks.events.front(),
                                            marks.events[i]),
                  "reading the time of an event"))
      return error;
    times[i] = milliseconds * 1e-3;
  }
  return Error::success();
}
