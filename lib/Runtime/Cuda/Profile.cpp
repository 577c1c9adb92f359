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
    return invalidArgument("function '" + function.name + "' has no step " +
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

/// All steps one after the other with an event around each, as a graph: in a
/// stream the host's launches would come between short kernels.
Error Instance::captureMarks(const std::vector<CUevent> &marks,
                             CUgraphExec &exec) {
  if (Error error = check(driver.cuStreamBeginCapture(
                              ownStream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                          "beginning to capture"))
    return error;
  Error error = Error::success();
  for (size_t i = 0; i != marks.size() && !error; ++i) {
    error = check(driver.cuEventRecordWithFlags(marks[i], ownStream,
                                                CU_EVENT_RECORD_EXTERNAL),
                  "recording an event");
    if (!error && i != function.steps.size())
      error = issueStep(i, ownStream);
  }
  return finishCapture(std::move(error), exec);
}

Error Instance::runMarked(Tensors inputs, const std::vector<CUevent> &marks,
                          double *times) {
  InputSizes sizes;
  if (Error error = bindHost(inputs, sizes))
    return error;
  CUgraphExec exec = nullptr;
  if (Error error = captureMarks(marks, exec))
    return error;
  Error error = enqueueInputs(inputs, sizes);
  if (!error) {
    error = upload(ownStream, sizes);
    if (!error)
      error =
          check(driver.cuGraphLaunch(exec, ownStream), "launching the graph");
    if (!error)
      error = endRun(ownStream);
    error = error ? abandon(ownStream, std::move(error)) : waitHost();
  }
  for (size_t i = 0; i != marks.size() && !error; ++i) {
    float milliseconds = 0;
    error =
        check(driver.cuEventElapsedTime(&milliseconds, marks.front(), marks[i]),
              "reading the time of an event");
    times[i] = milliseconds * 1e-3;
  }
  driver.cuGraphExecDestroy(exec);
  return error;
}

Error Instance::profile(Tensors inputs, double *times) {
  std::lock_guard<std::mutex> lock(mutex);
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  Error error = Error::success();
  std::vector<CUevent> marks(function.steps.size() + 1);
  for (CUevent &mark : marks)
    if (!error)
      error = check(driver.cuEventCreate(&mark, CU_EVENT_DEFAULT),
                    "creating an event");
  if (!error)
    error = runMarked(inputs, marks, times);
  for (CUevent mark : marks)
    if (mark)
      driver.cuEventDestroy(mark);
  return error;
}
