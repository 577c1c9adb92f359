//===- Prepare.cpp - what is done once, ahead of runs ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of preparation read inputs of static shape and constants alone. Where
// all that they read stays the same, they are done once, and what they wrote is
// kept beside the scratch memory of runs.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

/// Finds where the inputs lie that are to be bound, 0 for the others.
Error Instance::checkBound(Tensors inputs,
                           std::vector<CUdeviceptr> &pointers) const {
  pointers.assign(function.inputs.size(), 0);
  if (!inputs.data)
    return Error::success();
  if (Error error = entry.checkCount(/*isInput=*/true, inputs))
    return error;
  for (int64_t i = 0; i != inputs.size; ++i) {
    const sparseconv_tensor &tensor = inputs.data[i];
    if (!tensor.data)
      continue;
    if (Error error = entry.checkBindable(i))
      return error;
    if (Error error = checkInput(i, tensor))
      return error;
    pointers[i] = getAddress(tensor);
  }
  return Error::success();
}

/// Which steps runs leave out follows from what is bound.
plan::Schedule Instance::makeSchedule(plan::Phase phase) const {
  std::vector<bool> isBound;
  for (CUdeviceptr pointer : boundInputs)
    isBound.push_back(pointer != 0);
  return plan::Schedule(function, plan::findPrepared(function, isBound), phase);
}

Error Instance::setSchedule() {
  schedule = makeSchedule(getFirstPhase());
  if (isExact())
    restSchedule = makeSchedule(plan::Phase::Rest);
  return createEvents();
}

/// Replaces what is bound.
Error Instance::setBound(std::vector<CUdeviceptr> pointers) {
  bool isSame = isPlaced;
  for (size_t i = 0; i != pointers.size(); ++i)
    isSame &= (pointers[i] != 0) == (boundInputs[i] != 0);
  if (isSame && pointers == boundInputs)
    return prepare();
  boundInputs = std::move(pointers);
  if (!isSame) {
    if (Error error = setSchedule())
      return error;
    return placeMemory();
  }
  dropGraphs(); // which have the old addresses
  return prepare();
}

Error Instance::bind(sparseconv_stream target, Tensors inputs) {
  auto *stream = static_cast<CUstream>(target);
  std::lock_guard<std::mutex> lock(mutex);
  std::vector<CUdeviceptr> pointers;
  if (Error error = checkBound(inputs, pointers))
    return error;
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  // What is prepared, and all memory, may be in use on any stream.
  if (Error error = waitForRuns())
    return error;
  // Work of the caller's may write what is bound.
  if (Error error = context.order(ownStream, stream))
    return error;
  state = State::NotRun;
  Error error = setBound(std::move(pointers));
  if (!error)
    return error;
  // Nothing is bound then, and the next run asks for memory again.
  boundInputs.assign(function.inputs.size(), 0);
  if (Error again = setSchedule())
    return again;
  releaseMemory();
  return error;
}

/// Carries out what runs leave out, in the order of the program, and waits.
Error Instance::prepare() {
  bool isAny = false;
  for (size_t i = 0; i != boundInputs.size(); ++i)
    if (boundInputs[i])
      addresses[inputBuffers[i]] = boundInputs[i];
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    if (!schedule.isStepPrepared(i))
      continue;
    isAny = true;
    if (Error error = issueStep(i, ownStream))
      return error;
  }
  if (!isAny)
    return Error::success();
  return check(driver.cuStreamSynchronize(ownStream), "preparing");
}
