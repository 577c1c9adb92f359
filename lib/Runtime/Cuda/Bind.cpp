//===- Bind.cpp - the tensors of one run ----------------------------------===//
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

uint64_t Instance::getRoom(bool isInput, int64_t index) const {
  return layout.bufferBytes[(isInput ? inputBuffers : outputBuffers)[index]];
}

/// Room, and how device memory has to be aligned.
Error Instance::checkPointer(const sparseconv_tensor &tensor, uint64_t needed,
                             bool isInput, int64_t index) const {
  if (Error error = entry.checkData(isInput, index, tensor, needed))
    return error;
  if (getAddress(tensor) % plan::kPointerAlignment == 0)
    return Error::success();
  return invalidArgument(function.describe(isInput, index) +
                         " is not aligned to " +
                         to_string(plan::kPointerAlignment) + " bytes");
}

/// A tensor in device memory with room for an input.
Error Instance::checkInput(int64_t index,
                           const sparseconv_tensor &tensor) const {
  if (Error error = entry.checkType(/*isInput=*/true, index, tensor))
    return error;
  return checkPointer(tensor, getRoom(/*isInput=*/true, index),
                      /*isInput=*/true, index);
}

/// The address of an input of a run: that of a tensor, or of memory of the
/// instance's own where it has none.
Error Instance::placeInput(int64_t index, const sparseconv_tensor *tensor) {
  CUdeviceptr &address = addresses[inputBuffers[index]];
  if (boundInputs[index])
    address = boundInputs[index].address;
  else if (tensor)
    address = getAddress(*tensor);
  else
    return ownBuffer(/*isInput=*/true, index, address);
  return Error::success();
}

/// Types, ranks and sizes; not where the tensors lie.
Error Instance::resolve(Tensors inputs, bool onDevice,
                        InputSizes &sizes) const {
  if (Error error = entry.checkCount(/*isInput=*/true, inputs))
    return error;
  sizes.bytes.clear();
  sizes.slots = knownSlots;
  for (int64_t i = 0; i != inputs.size; ++i) {
    const sparseconv_tensor &tensor = inputs.data[i];
    if (boundInputs[i]) {
      if (Error error =
              entry.checkBound(i, tensor, toPointer(boundInputs[i].address)))
        return error;
      sizes.bytes.push_back(0); // nothing to copy
      continue;
    }
    const plan::Value &value = function.inputs[i];
    if (Error error = entry.checkType(/*isInput=*/true, i, tensor))
      return error;
    if (Error error = entry.checkSizes(i, tensor.rank, tensor.sizes,
                                       capacities.inputs[i].data()))
      return error;
    for (int32_t d = 0; d != tensor.rank; ++d)
      if (value.dims[d].size == plan::kDynamic)
        sizes.slots[value.dims[d].slot] = tensor.sizes[d];
    // Sizes are within capacities, whose product fits.
    uint64_t bytes =
        *plan::countBytes(value.type, tensor.sizes, size_t(tensor.rank));
    sizes.bytes.push_back(bytes);
    if (Error error = onDevice
                          ? checkPointer(tensor, bytes, /*isInput=*/true, i)
                          : entry.checkRoom(/*isInput=*/true, i, tensor, bytes))
      return error;
  }
  return entry.checkRows([&](uint32_t input) {
    return boundInputs[input] ? boundInputs[input].sizes[0]
                              : inputs.data[input].sizes[0];
  });
}

/// The instance's own memory for an input or output, made at first use.
Error Instance::ownBuffer(bool isInput, int64_t index, CUdeviceptr &pointer) {
  CUdeviceptr &own = (isInput ? ownInputs : ownOutputs)[index];
  if (!own)
    if (Error error = context.allocate(getRoom(isInput, index),
                                       function.describe(isInput, index), own))
      return error;
  pointer = own;
  return Error::success();
}

/// The bytes that a run may write to an output: as many as it takes at most, or
/// its exact size, where the host knows that and nobody poisons the rest.
uint64_t Instance::getNeeded(int64_t output,
                             const std::vector<int64_t> *slots) const {
  if (!slots || !tellsNothing() || (flags & SPARSECONV_POISON))
    return getRoom(/*isInput=*/false, output);
  const plan::Value &value = function.outputs[output];
  uint64_t bytes = plan::getByteWidth(value.type);
  for (const plan::Dim &dim : value.dims)
    bytes *= dim.size == plan::kDynamic ? (*slots)[dim.slot] : dim.size;
  return bytes;
}

Error Instance::bindOutputs(Tensors outputs,
                            const std::vector<int64_t> *slots) {
  if (outputs.data)
    if (Error error = entry.checkCount(/*isInput=*/false, outputs))
      return error;
  for (int64_t i = 0; i != int64_t(function.outputs.size()); ++i) {
    CUdeviceptr &address = addresses[outputBuffers[i]];
    if (!outputs.data || !outputs.data[i].data) {
      if (Error error = ownBuffer(/*isInput=*/false, i, address))
        return error;
      continue;
    }
    const sparseconv_tensor &tensor = outputs.data[i];
    if (Error error = entry.checkType(/*isInput=*/false, i, tensor))
      return error;
    if (Error error = checkPointer(tensor, getNeeded(i, slots),
                                   /*isInput=*/false, i))
      return error;
    address = getAddress(tensor);
  }
  return Error::success();
}
