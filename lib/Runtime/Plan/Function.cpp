//===- Function.cpp - what calls of a function may bring ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Device.h"

using namespace sparseconv;
using namespace sparseconv::runtime;
using std::to_string;

runtime::Function::Function(const plan::Function &function)
    : plan(function), equalRows(function.findEqualRows()) {
  for (const plan::Value &input : function.inputs) {
    inputSizes.push_back(input.getSizes());
    for (int64_t size : inputSizes.back())
      numCapacities += size == plan::kDynamic;
  }
  for (const plan::Value &output : function.outputs)
    outputSizes.push_back(output.getSizes());
}

Error runtime::Function::checkCount(bool isInput, Tensors tensors) const {
  auto expected = int64_t((isInput ? plan.inputs : plan.outputs).size());
  if (tensors.size == expected && (tensors.data || !expected))
    return Error::success();
  return invalidArgument(
      plan.describe() + " has " + to_string(expected) +
      (isInput ? " inputs" : " outputs") + ", not " +
      to_string(tensors.size == expected ? 0 : tensors.size));
}

Error runtime::Function::checkIndex(bool isInput, int64_t index) const {
  const std::vector<plan::Value> &values = isInput ? plan.inputs : plan.outputs;
  if (index >= 0 && index < int64_t(values.size()))
    return Error::success();
  return invalidArgument(plan.describe() + " has no " +
                         (isInput ? "input " : "output ") + to_string(index));
}

static const char *getTypeName(int32_t type) {
  return type >= 0 && type < int32_t(plan::kNumElementTypes)
             ? plan::getName(static_cast<plan::ElementType>(type))
             : "of no known type";
}

Error runtime::Function::checkType(bool isInput, int64_t index,
                                   const sparseconv_tensor &tensor) const {
  plan::ElementType type = (isInput ? plan.inputs : plan.outputs)[index].type;
  if (tensor.type == int32_t(type))
    return Error::success();
  return invalidArgument(plan.describe(isInput, index) + " is " +
                         plan::getName(type) + ", the tensor is " +
                         getTypeName(tensor.type));
}

Error runtime::Function::checkSizes(int64_t index, int64_t rank,
                                    const int64_t *sizes,
                                    const int64_t *capacities) const {
  const std::vector<int64_t> &expected = inputSizes[index];
  auto what = [&] { return plan.describe(/*isInput=*/true, index); };
  if (rank != int64_t(expected.size()))
    return invalidArgument(what() + " has rank " + to_string(expected.size()) +
                           ", the tensor has rank " + to_string(rank));
  if (rank && !sizes)
    return invalidArgument(what() + " has no sizes");
  for (int64_t axis = 0; axis != rank; ++axis) {
    int64_t size = sizes[axis];
    auto where = [&] { return what() + ": dimension " + to_string(axis); };
    if (size < 0)
      return invalidArgument(where() + " is " + to_string(size));
    if (expected[axis] != plan::kDynamic && size != expected[axis])
      return invalidArgument(where() + " is " + to_string(expected[axis]) +
                             ", that of the tensor " + to_string(size));
    int64_t capacity = capacities ? capacities[axis] : kMaxRows;
    if (expected[axis] == plan::kDynamic && size > capacity)
      return Error(SPARSECONV_OVER_CAPACITY,
                   where() + " is " + to_string(size) +
                       ", more than its capacity of " + to_string(capacity));
  }
  return Error::success();
}

Error runtime::Function::checkRows(uint32_t input, int64_t rows, uint32_t other,
                                   int64_t otherRows) const {
  if (rows == otherRows)
    return Error::success();
  return invalidArgument(plan::describeUnequalRows(
      plan.inputs[input].name, rows, plan.inputs[other].name, otherRows));
}

Error runtime::Function::checkRoom(bool isInput, int64_t index,
                                   const sparseconv_tensor &tensor,
                                   uint64_t bytes) const {
  if (tensor.bytes < bytes)
    return invalidArgument(plan.describe(isInput, index) + " needs " +
                           to_string(bytes) + " bytes, the tensor has " +
                           to_string(tensor.bytes));
  return Error::success();
}

Error runtime::Function::checkData(bool isInput, int64_t index,
                                   const sparseconv_tensor &tensor,
                                   uint64_t bytes) const {
  if (Error error = checkRoom(isInput, index, tensor, bytes))
    return error;
  if (bytes && !tensor.data)
    return invalidArgument(plan.describe(isInput, index) + " has no data");
  return Error::success();
}

Error runtime::Function::checkBound(int64_t index,
                                    const sparseconv_tensor &tensor,
                                    const void *data) const {
  if (!tensor.data || tensor.data == data)
    return Error::success();
  return invalidArgument(plan.describe(/*isInput=*/true, index) +
                         " is bound to other memory");
}

Error runtime::Function::checkResult(int64_t index, const void *host,
                                     uint64_t bytes, uint64_t found) const {
  if (bytes != found)
    return invalidArgument(plan.describe(/*isInput=*/false, index) + " has " +
                           to_string(found) + " bytes, not " +
                           to_string(bytes));
  if (bytes && !host)
    return invalidArgument("host is NULL");
  return Error::success();
}

Error runtime::Function::blameEarlierRun(Error error) const {
  return std::move(error).within("an earlier run of " + plan.describe());
}

Error runtime::Function::refuseResults() const {
  return invalidArgument(plan.describe() +
                         " has no results: its last run failed, or its "
                         "results were not asked for, or there was none");
}
