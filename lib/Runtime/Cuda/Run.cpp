//===- Run.cpp - runs and their results -----------------------------------===//
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

//===----------------------------------------------------------------------===//
// Runs
//===----------------------------------------------------------------------===//

Error Instance::runBound(CUstream stream, const InputSizes &sizes) {
  if (Error error = poisonTails(sizes, stream))
    return error;
  bool isGraph = takesGraph();
  ++numRuns;
  if (isGraph)
    if (Error error = findRunGraph()) {
      if (runGraphs.empty())
        numRuns = 0; // the next run goes without
      return error;
    }
  if (Error error = upload(stream, sizes))
    return error;
  if (Error error = isGraph     ? launchRunGraph(stream)
                    : isExact() ? runExact(stream)
                                : issue(schedule, stream))
    return error;
  return endRun(stream);
}

Error Instance::run(sparseconv_stream target, Tensors inputs, Tensors outputs) {
  auto *stream = static_cast<CUstream>(target);
  std::lock_guard<std::mutex> lock(mutex);
  InputSizes &sizes = runSizes;
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  if (Error error = ensurePlaced())
    return error;
  if (Error error = resolve(inputs, /*onDevice=*/true, sizes))
    return error;
  if (Error error = bindOutputs(outputs, &sizes.slots))
    return error;
  for (int64_t i = 0; i != inputs.size; ++i)
    if (Error error = placeInput(i, &inputs.data[i]))
      return error;
  if (Error error = beginRun(stream, sizes))
    return error;
  Attempt attempt{*this, stream};
  return runBound(stream, sizes);
}

/// Takes the instance's own buffers for everything.
Error Instance::bindHost(Tensors inputs, InputSizes &sizes) {
  if (Error error = ensurePlaced())
    return error;
  if (Error error = resolve(inputs, /*onDevice=*/false, sizes))
    return error;
  for (int64_t i = 0; i != inputs.size; ++i)
    if (Error error = entry.checkData(/*isInput=*/true, i, inputs.data[i],
                                      sizes.bytes[i]))
      return error;
  if (Error error = bindOutputs({}))
    return error;
  for (int64_t i = 0; i != inputs.size; ++i)
    if (Error error = placeInput(i, /*tensor=*/nullptr))
      return error;
  return Error::success();
}

Error Instance::checkCopy(CUresult result, int64_t index) const {
  return result == CUDA_SUCCESS
             ? Error::success()
             : check(result,
                     "copying input '" + function.inputs[index].name + "'");
}

/// Copies the host's inputs.
Error Instance::enqueueInputs(Tensors inputs, const InputSizes &sizes) {
  for (int64_t i = 0; i != inputs.size; ++i)
    if (sizes.bytes[i])
      if (Error error =
              checkCopy(driver.cuMemcpyHtoDAsync(addresses[inputBuffers[i]],
                                                 inputs.data[i].data,
                                                 sizes.bytes[i], ownStream),
                        i))
        return error;
  return Error::success();
}

/// Waits for a run whose inputs are the host's.
Error Instance::waitHost() {
  Error error = readResults(/*wait=*/true);
  if (staging[latest].inFlight) // it could not be waited for
    abandon(ownStream);
  return error;
}

Error Instance::runHost(Tensors inputs) {
  std::lock_guard<std::mutex> lock(mutex);
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  return repeat([&] { return runHostOnce(inputs); });
}

Error Instance::runHostOnce(Tensors inputs) {
  InputSizes &sizes = runSizes;
  if (Error error = bindHost(inputs, sizes))
    return error;
  if (Error error = beginRun(ownStream, sizes))
    return error;
  {
    Attempt attempt{*this, ownStream};
    if (Error error = enqueueInputs(inputs, sizes))
      return error;
    if (Error error = runBound(ownStream, sizes))
      return error;
  }
  return waitHost();
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

Error Instance::getResults(bool wait) {
  std::lock_guard<std::mutex> lock(mutex);
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  return readResults(wait);
}

/// What the program itself reports.
Error Instance::getReport(const StatusRecord &record) const {
  if (record.code == 0)
    return Error::success();
  bool isCapacity = record.getCode() == StatusCode::OverCapacity;
  return Error(isCapacity ? SPARSECONV_OVER_CAPACITY : SPARSECONV_PROGRAM_ERROR,
               plan::describe(record, function.ops));
}

/// A run is over whose results nobody has asked for. What it reports is kept.
void Instance::finishUnread(Staging &entry) {
  entry.inFlight = false;
  if (missedError)
    return;
  if (Error error = getReport(entry.getRecord()))
    missedError = this->entry.blameEarlierRun(std::move(error));
}

Error Instance::checkRuns(bool wait) {
  std::lock_guard<std::mutex> lock(mutex);
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  bool isPending = false;
  // The last run comes last, so that the others are known where it is.
  for (size_t i = 1; i <= staging.size(); ++i) {
    Staging &run = staging[(latest + i) % staging.size()];
    if (!run.inFlight)
      continue;
    CUresult result = wait ? waitForEnd(run) : queryEnd(run);
    if (result == CUDA_ERROR_NOT_READY) {
      isPending = true;
      break; // those behind it are of later runs
    }
    if (Error error = check(result, "an earlier run failed"))
      return error;
    finishUnread(run);
  }
  if (missedError)
    return std::exchange(missedError, Error::success());
  if (isPending)
    return Error(SPARSECONV_NOT_READY,
                 function.describe() + ": a run is not done yet");
  return Error::success();
}

Error Instance::readResults(bool wait) {
  auto what = [&] { return function.describe(); };
  if (state == State::NotRun)
    return invalidArgument(what() + " has not run");
  if (state == State::NotEnqueued)
    return invalidArgument(what() + ": the last run could not be enqueued");
  if (state != State::Pending)
    return lastError;
  Staging &entry = staging[latest];
  CUresult result = wait ? waitForEnd(entry) : queryEnd(entry);
  if (result == CUDA_ERROR_NOT_READY)
    return Error(SPARSECONV_NOT_READY, what() + ": the run is not done yet");
  auto fail = [&](Error error) {
    lastError = std::move(error);
    state = State::Failed;
    return lastError;
  };
  if (Error error = check(result, "the run failed"))
    return fail(std::move(error));
  entry.inFlight = false;

  StatusRecord record = entry.getRecord();
  if (Error error = getReport(record)) {
    bool canGrow = record.getCode() == StatusCode::OverCapacity;
    return fail(canGrow ? grow(record, std::move(error)) : std::move(error));
  }
  const int64_t *slots = entry.down + kStatusWords;
  outputSizes.resize(function.outputs.size());
  outputBytes.clear();
  for (size_t i = 0; i != function.outputs.size(); ++i) {
    const plan::Value &output = function.outputs[i];
    std::vector<int64_t> &sizes = outputSizes[i];
    sizes.clear();
    for (size_t d = 0; d != output.dims.size(); ++d) {
      const plan::Dim &dim = output.dims[d];
      int64_t size = dim.size == plan::kDynamic ? slots[dim.slot] : dim.size;
      int64_t capacity = layout.outputCapacities[i][d];
      if (size < 0 || size > capacity)
        return fail(Error(SPARSECONV_OVER_CAPACITY,
                          function.describe(/*isInput=*/false, i) +
                              ": dimension " + to_string(d) + " is " +
                              to_string(size) + ", its capacity is " +
                              to_string(capacity)));
      sizes.push_back(size);
    }
    // Within the capacities, whose product fits.
    outputBytes.push_back(
        *plan::countBytes(output.type, sizes.data(), sizes.size()));
  }
  lastError = Error::success();
  state = State::Done;
  return Error::success();
}

Error Instance::checkOutput(int64_t index, bool hasResults) const {
  if (Error error = entry.checkIndex(/*isInput=*/false, index))
    return error;
  if (hasResults && state != State::Done)
    return entry.refuseResults();
  return Error::success();
}

Error Instance::getOutputCapacity(int64_t index, int64_t *sizes,
                                  uint64_t *bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = checkOutput(index, /*hasResults=*/false))
    return error;
  const std::vector<int64_t> &capacity = layout.outputCapacities[index];
  if (sizes)
    std::copy(capacity.begin(), capacity.end(), sizes);
  if (bytes)
    *bytes = getRoom(/*isInput=*/false, index);
  return Error::success();
}

Error Instance::getOutput(int64_t index, int64_t *sizes, uint64_t *bytes,
                          void **data) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = checkOutput(index, /*hasResults=*/true))
    return error;
  if (sizes)
    std::copy(outputSizes[index].begin(), outputSizes[index].end(), sizes);
  if (bytes)
    *bytes = outputBytes[index];
  if (data)
    *data = toPointer(outputAddresses[index]);
  return Error::success();
}

Error Instance::readOutput(int64_t index, void *host, uint64_t bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = checkOutput(index, /*hasResults=*/true))
    return error;
  if (Error error = entry.checkResult(index, host, bytes, outputBytes[index]))
    return error;
  if (bytes == 0)
    return Error::success();
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  CUresult result =
      driver.cuMemcpyDtoHAsync(host, outputAddresses[index], bytes, ownStream);
  if (result == CUDA_SUCCESS) {
    result = driver.cuStreamSynchronize(ownStream);
    if (result != CUDA_SUCCESS)
      abandon(ownStream);
  }
  return result == CUDA_SUCCESS
             ? Error::success()
             : context.check(result,
                             "copying " +
                                 function.describe(/*isInput=*/false, index));
}

Error Instance::getInputBuffer(int64_t index, void **data, uint64_t *bytes) {
  std::lock_guard<std::mutex> lock(mutex);
  if (Error error = entry.checkIndex(/*isInput=*/true, index))
    return error;
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  CUdeviceptr pointer;
  if (Error error = ownBuffer(/*isInput=*/true, index, pointer))
    return error;
  if (data)
    *data = toPointer(pointer);
  if (bytes)
    *bytes = getRoom(/*isInput=*/true, index);
  return Error::success();
}
