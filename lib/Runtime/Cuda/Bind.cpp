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

std::string Instance::getValueName(bool isInput, int64_t index) const {
  const plan::Value &value =
      (isInput ? function.inputs : function.outputs)[index];
  return "function '" + function.name +
         "': " + (isInput ? "input '" : "output '") + value.name + "'";
}

uint64_t Instance::getRoom(bool isInput, int64_t index) const {
  return layout.bufferBytes[(isInput ? inputBuffers : outputBuffers)[index]];
}

Error Instance::checkPointer(const sparseconv_tensor &tensor, uint64_t needed,
                             bool isInput, int64_t index) const {
  auto what = [&] { return getValueName(isInput, index); };
  if (tensor.bytes < needed)
    return invalidArgument(what() + " needs " + to_string(needed) +
                           " bytes, the tensor has " + to_string(tensor.bytes));
  if (needed && !tensor.data)
    return invalidArgument(what() + " has no data");
  if (reinterpret_cast<uintptr_t>(tensor.data) % plan::kPointerAlignment)
    return invalidArgument(what() + " is not aligned to " +
                           to_string(plan::kPointerAlignment) + " bytes");
  return Error::success();
}

static const char *getTypeName(int32_t type) {
  return type >= 0 && type < int32_t(plan::kNumElementTypes)
             ? plan::getName(static_cast<plan::ElementType>(type))
             : "of no known type";
}

Error Instance::checkType(const sparseconv_tensor &tensor, bool isInput,
                          int64_t index) const {
  const plan::Value &value =
      (isInput ? function.inputs : function.outputs)[index];
  if (tensor.type == int32_t(value.type))
    return Error::success();
  return invalidArgument(getValueName(isInput, index) + " is " +
                         plan::getName(value.type) + ", the tensor is " +
                         getTypeName(tensor.type));
}

/// A tensor in device memory with room for an input.
Error Instance::checkInput(int64_t index,
                           const sparseconv_tensor &tensor) const {
  if (Error error = checkType(tensor, /*isInput=*/true, index))
    return error;
  return checkPointer(tensor, getRoom(/*isInput=*/true, index),
                      /*isInput=*/true, index);
}

/// The address of an input of a run: that of a tensor, or of memory of the
/// instance's own where it has none.
Error Instance::placeInput(int64_t index, const sparseconv_tensor *tensor) {
  CUdeviceptr &address = addresses[inputBuffers[index]];
  if (boundInputs[index])
    address = boundInputs[index];
  else if (tensor)
    address = getAddress(*tensor);
  else
    return ownBuffer(/*isInput=*/true, index, address);
  return Error::success();
}

/// Types, ranks and sizes; not where the tensors lie.
Error Instance::resolve(Tensors inputs, bool onDevice,
                        InputSizes &sizes) const {
  if (inputs.size != int64_t(function.inputs.size()))
    return invalidArgument("function '" + function.name + "' has " +
                           to_string(function.inputs.size()) + " inputs, not " +
                           to_string(inputs.size));
  if (inputs.size && !inputs.data)
    return invalidArgument("function '" + function.name +
                           "': there are no inputs");
  sizes.bytes.clear();
  sizes.slots.assign(function.slots.size(), 0);
  for (int64_t i = 0; i != inputs.size; ++i) {
    const sparseconv_tensor &tensor = inputs.data[i];
    if (boundInputs[i]) {
      if (tensor.data && getAddress(tensor) != boundInputs[i])
        return invalidArgument(getValueName(/*isInput=*/true, i) +
                               " is bound to other memory");
      sizes.bytes.push_back(0); // nothing to copy
      continue;
    }
    const plan::Value &value = function.inputs[i];
    auto what = [&] { return getValueName(/*isInput=*/true, i); };
    if (Error error = checkType(tensor, /*isInput=*/true, i))
      return error;
    if (tensor.rank != int32_t(value.dims.size()) ||
        (tensor.rank && !tensor.sizes))
      return invalidArgument(what() + " has rank " +
                             to_string(value.dims.size()) +
                             ", the tensor has rank " + to_string(tensor.rank));
    uint64_t bytes = plan::getByteWidth(value.type);
    for (int32_t d = 0; d != tensor.rank; ++d) {
      int64_t size = tensor.sizes[d];
      const plan::Dim &dim = value.dims[d];
      auto where = [&] { return what() + ": dimension " + to_string(d); };
      if (size < 0)
        return invalidArgument(where() + " is " + to_string(size));
      if (dim.size != plan::kDynamic && size != dim.size)
        return invalidArgument(where() + " is " + to_string(dim.size) +
                               ", that of the tensor " + to_string(size));
      int64_t capacity = capacities.inputs[i][d];
      if (size > capacity)
        return Error(SPARSECONV_OVER_CAPACITY,
                     where() + " is " + to_string(size) +
                         ", more than its capacity of " + to_string(capacity));
      if (dim.size == plan::kDynamic)
        sizes.slots[dim.slot] = size;
      // Sizes are within capacities, whose product fits.
      bytes *= size;
    }
    sizes.bytes.push_back(bytes);
    if (tensor.bytes < bytes)
      return invalidArgument(what() + " needs " + to_string(bytes) +
                             " bytes, the tensor has " +
                             to_string(tensor.bytes));
    if (onDevice)
      if (Error error = checkPointer(tensor, bytes, /*isInput=*/true, i))
        return error;
  }
  return Error::success();
}

/// The instance's own memory for an input or output, made at first use.
Error Instance::ownBuffer(bool isInput, int64_t index, CUdeviceptr &pointer) {
  CUdeviceptr &own = (isInput ? ownInputs : ownOutputs)[index];
  if (!own)
    if (Error error = context.allocate(getRoom(isInput, index),
                                       getValueName(isInput, index), own))
      return error;
  pointer = own;
  return Error::success();
}

Error Instance::bindOutputs(Tensors outputs) {
  if (outputs.data && outputs.size != int64_t(function.outputs.size()))
    return invalidArgument("function '" + function.name + "' has " +
                           to_string(function.outputs.size()) +
                           " outputs, not " + to_string(outputs.size));
  if (!isPlaced)
    if (Error error = placeMemory())
      return error;
  for (int64_t i = 0; i != int64_t(function.outputs.size()); ++i) {
    CUdeviceptr &address = addresses[outputBuffers[i]];
    if (!outputs.data || !outputs.data[i].data) {
      if (Error error = ownBuffer(/*isInput=*/false, i, address))
        return error;
      continue;
    }
    const sparseconv_tensor &tensor = outputs.data[i];
    if (Error error = checkType(tensor, /*isInput=*/false, i))
      return error;
    if (Error error = checkPointer(tensor, getRoom(/*isInput=*/false, i),
                                   /*isInput=*/false, i))
      return error;
    address = getAddress(tensor);
  }
  return Error::success();
}
