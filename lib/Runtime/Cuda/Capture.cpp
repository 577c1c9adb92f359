//===- Capture.cpp - graphs on fixed memory -------------------------------===//
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

Error Instance::capture(Tensors inputs, Tensors outputs) {
  std::lock_guard<std::mutex> lock(mutex);
  if (inputs.data)
    if (Error error = entry.checkCount(/*isInput=*/true, inputs))
      return error;
  if (isExact())
    return refuseExact("a graph");
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  for (int64_t i = 0; inputs.data && i != inputs.size; ++i)
    if (boundInputs[i])
      if (Error error = entry.checkBound(i, inputs.data[i],
                                         toPointer(boundInputs[i].address)))
        return error;
  if (Error error = ensurePlaced())
    return error;
  if (Error error = captureBound(inputs, outputs))
    return error;
  auto copy = [](Tensors tensors, std::vector<sparseconv_tensor> &copies) {
    copies.clear();
    if (tensors.data)
      copies.assign(tensors.data, tensors.data + tensors.size);
    return tensors.data != nullptr;
  };
  captured.hasInputs = copy(inputs, captured.inputs);
  captured.hasOutputs = copy(outputs, captured.outputs);
  captured.isSet = true;
  return Error::success();
}

Error Instance::captureBound(Tensors inputs, Tensors outputs) {
  if (Error error = bindOutputs(outputs))
    return error;
  for (int64_t i = 0; i != int64_t(function.inputs.size()); ++i) {
    const sparseconv_tensor *tensor = inputs.data ? &inputs.data[i] : nullptr;
    if (tensor && (!tensor->data || boundInputs[i]))
      tensor = nullptr;
    if (tensor)
      if (Error error = checkInput(i, *tensor))
        return error;
    if (Error error = placeInput(i, tensor))
      return error;
  }
  std::unique_ptr<StepGraph> made;
  if (Error error = makeStepGraph(made))
    return error;
  // A replay of the old graph may be under way.
  if (capturedGraph && staging[latest].inFlight)
    waitForEnd(staging[latest]);
  capturedGraph = std::move(made);
  return Error::success();
}

Error Instance::replay(sparseconv_stream target, Tensors inputs) {
  auto *stream = static_cast<CUstream>(target);
  std::lock_guard<std::mutex> lock(mutex);
  if (!captured.isSet)
    return invalidArgument(function.describe() + " has not been captured");
  InputSizes &sizes = runSizes;
  CurrentContext current(context);
  if (Error error = current.take())
    return error;
  if (Error error = ensurePlaced())
    return error;
  if (Error error = resolve(inputs, /*onDevice=*/false, sizes))
    return error;
  if (!capturedGraph) // its memory has grown
    if (Error error = captureBound(
            {captured.hasInputs ? captured.inputs.data() : nullptr,
             int64_t(captured.inputs.size())},
            {captured.hasOutputs ? captured.outputs.data() : nullptr,
             int64_t(captured.outputs.size())}))
      return error;
  addresses = capturedGraph->addresses;
  if (Error error = beginRun(stream, sizes))
    return error;
  Attempt attempt{*this, stream};
  for (int64_t i = 0; i != inputs.size; ++i) {
    CUdeviceptr target = addresses[inputBuffers[i]];
    CUdeviceptr source = getAddress(inputs.data[i]);
    if (source && source != target && sizes.bytes[i])
      if (Error error = checkCopy(
              driver.cuMemcpyDtoDAsync(target, source, sizes.bytes[i], stream),
              i))
        return error;
  }
  if (Error error = poisonTails(sizes, stream))
    return error;
  if (Error error = upload(stream, sizes))
    return error;
  if (Error error =
          check(capturedGraph->graph.launch(stream), "launching the graph"))
    return error;
  return endRun(stream);
}
