//===- Prepare.cpp - what is done once, ahead of runs ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Steps of preparation read inputs and constants alone. Where all that they
// read stays the same, they are done once, and what they wrote is kept beside
// the scratch memory of runs. So weights are packed once, and the sets and maps
// of coordinates that are bound are made once. Sizes that such steps count are
// known to the host then, and go up with the other sizes of a run.
//
//===----------------------------------------------------------------------===//

#include "Instance.h"
#include <algorithm>
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::cuda;

/// Finds where the inputs lie that are to be bound.
Error Instance::checkBound(Tensors inputs, BoundInputs &bound) const {
  bound.assign(function.inputs.size(), {});
  if (!inputs.data)
    return Error::success();
  if (Error error = entry.checkCount(/*isInput=*/true, inputs))
    return error;
  for (int64_t i = 0; i != inputs.size; ++i) {
    const sparseconv_tensor &tensor = inputs.data[i];
    if (!tensor.data)
      continue;
    const plan::Value &value = function.inputs[i];
    if (Error error = entry.checkType(/*isInput=*/true, i, tensor))
      return error;
    std::vector<int64_t> sizes = entry.inputSizes[i];
    if (!value.hasStaticShape()) {
      if (Error error = entry.checkSizes(i, tensor.rank, tensor.sizes,
                                         capacities.inputs[i].data()))
        return error;
      sizes.assign(tensor.sizes, tensor.sizes + tensor.rank);
    }
    // Sizes are within capacities, whose product fits.
    uint64_t bytes = *plan::countBytes(value.type, sizes.data(), sizes.size());
    if (Error error = checkPointer(tensor, bytes, /*isInput=*/true, i))
      return error;
    bound[i] = {getAddress(tensor), std::move(sizes)};
  }
  for (auto [input, other] : entry.equalRows)
    if (bound[input] && bound[other])
      if (Error error = entry.checkRows(input, bound[input].sizes[0], other,
                                        bound[other].sizes[0]))
        return error;
  return Error::success();
}

/// Which steps runs leave out follows from what is bound.
plan::Schedule Instance::makeSchedule(plan::Phase phase) const {
  std::vector<bool> isBound;
  for (const BoundInput &input : boundInputs)
    isBound.push_back(bool(input));
  return plan::Schedule(function, plan::findPrepared(function, isBound), phase);
}

Error Instance::setSchedule() {
  schedule = makeSchedule(getFirstPhase());
  if (isExact())
    restSchedule = makeSchedule(plan::Phase::Rest);
  findReports();
  return createEvents();
}

/// What runs can tell follows from the steps that are left of them.
void Instance::findReports() {
  reports = 0;
  std::vector<bool> isKnown(function.slots.size());
  for (const plan::Value &input : function.inputs)
    for (const plan::Dim &dim : input.dims)
      if (dim.size == plan::kDynamic)
        isKnown[dim.slot] = true;
  for (const plan::Growable &growable : function.growables)
    isKnown[growable.slot] = true;
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    bool isPrepared = schedule.isStepPrepared(i);
    for (const plan::Param &param : function.steps[i].params) {
      if (param.kind == plan::Param::Kind::Status && !isPrepared)
        reports |= SPARSECONV_REPORTS_ERRORS;
      // Nobody else writes a slot that a step that prepares uses.
      if (param.kind == plan::Param::Kind::Slot && isPrepared)
        isKnown[param.index] = true;
    }
  }
  if (std::count(isKnown.begin(), isKnown.end(), false) != 0)
    reports |= SPARSECONV_REPORTS_SIZES;
}

/// Replaces what is bound.
Error Instance::setBound(BoundInputs bound) {
  bool isSame = isPlaced;
  for (size_t i = 0; i != bound.size(); ++i)
    isSame &= bool(bound[i]) == bool(boundInputs[i]);
  if (!isSame) {
    boundInputs = std::move(bound);
    if (Error error = setSchedule())
      return error;
    return placeMemory();
  }
  if (bound != boundInputs)
    dropGraphs(); // which have the old addresses
  boundInputs = std::move(bound);
  Error error = prepare();
  return error.getCode() == SPARSECONV_REPEAT ? placeMemory() : error;
}

Error Instance::bind(sparseconv_stream target, Tensors inputs) {
  auto *stream = static_cast<CUstream>(target);
  std::lock_guard<std::mutex> lock(mutex);
  BoundInputs bound;
  if (Error error = checkBound(inputs, bound))
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
  std::vector<int64_t> growables = capacities.growables;
  Error error = setBound(std::move(bound));
  if (!error)
    return error;
  // Nothing is bound then, and the next run asks for memory again, for as much
  // as before.
  capacities.growables = std::move(growables);
  boundInputs.assign(function.inputs.size(), {});
  if (Error again = setSchedule())
    return again;
  releaseMemory();
  return error;
}

/// Writes the slots that are known ahead, for steps that prepare.
Error Instance::uploadKnown() {
  for (size_t i = 0; i != layout.growables.size(); ++i)
    knownSlots[function.growables[i].slot] = layout.growables[i].capacity;
  std::vector<int64_t> words(kStatusWords);
  words.insert(words.end(), knownSlots.begin(), knownSlots.end());
  if (Error error =
          check(driver.cuMemcpyHtoDAsync(arena, words.data(),
                                         layout.scalarBytes, ownStream),
                "uploading the sizes"))
    return error;
  return check(driver.cuStreamSynchronize(ownStream), "uploading the sizes");
}

/// Reads what steps that prepare have counted and reported. SPARSECONV_REPEAT
/// where they need other capacities, which are set.
Error Instance::readPrepared() {
  std::vector<int64_t> words(kStatusWords + knownSlots.size());
  if (Error error =
          check(driver.cuMemcpyDtoHAsync(words.data(), arena,
                                         layout.scalarBytes, ownStream),
                "downloading the sizes"))
    return error;
  if (Error error = check(driver.cuStreamSynchronize(ownStream), "preparing"))
    return error;
  StatusRecord record;
  std::memcpy(&record, words.data(), sizeof(record));
  if (Error error = getReport(record)) {
    std::vector<int64_t> wanted = getGrown(record);
    if (record.getCode() != StatusCode::OverCapacity || wanted.empty())
      return error;
    capacities.growables = std::move(wanted);
    return Error(SPARSECONV_REPEAT, error.getText());
  }
  knownSlots.assign(words.begin() + kStatusWords, words.end());
  return Error::success();
}

/// What is known ahead of runs, as long as nothing has been prepared.
void Instance::resetKnown() {
  uploaded.clear();
  knownSlots.assign(function.slots.size(), 0);
  for (size_t i = 0; i != boundInputs.size(); ++i) {
    const std::vector<plan::Dim> &dims = function.inputs[i].dims;
    for (size_t d = 0; boundInputs[i] && d != dims.size(); ++d)
      if (dims[d].size == plan::kDynamic)
        knownSlots[dims[d].slot] = boundInputs[i].sizes[d];
  }
}

/// Carries out what runs leave out, in the order of the program, and waits.
Error Instance::prepare() {
  resetKnown();
  for (size_t i = 0; i != boundInputs.size(); ++i)
    if (boundInputs[i])
      addresses[inputBuffers[i]] = boundInputs[i].address;
  std::vector<uint32_t> steps;
  bool hasScalars = false;
  for (uint32_t i = 0; i != function.steps.size(); ++i) {
    if (!schedule.isStepPrepared(i))
      continue;
    steps.push_back(i);
    for (const plan::Param &param : function.steps[i].params)
      hasScalars |= param.kind == plan::Param::Kind::Slot ||
                    param.kind == plan::Param::Kind::Status;
  }
  if (steps.empty())
    return Error::success();
  if (hasScalars)
    if (Error error = uploadKnown())
      return error;
  for (uint32_t i : steps)
    if (Error error = issueStep(i, ownStream))
      return error;
  if (hasScalars)
    return readPrepared();
  return check(driver.cuStreamSynchronize(ownStream), "preparing");
}
