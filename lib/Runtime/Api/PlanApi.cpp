//===- PlanApi.cpp - the C interface to what a plan holds -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"

using namespace sparseconv;
using namespace sparseconv::runtime;
using std::to_string;

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error Owner::find(const char *name, const Function *&function) const {
  if (!functions)
    return isNull(kind);
  if (!name)
    return isNull("function");
  std::string text =
      std::string("the ") + kind + " has no function '" + name + "'";
  for (const Function &other : *functions) {
    if (other.plan.name == name) {
      function = &other;
      return Error::success();
    }
    text += (&other == &functions->front() ? ", only '" : ", '") +
            other.plan.name + "'";
  }
  return invalidArgument(text);
}

int64_t Owner::countFunctions() const noexcept {
  return guardGetter<int64_t>(0, [&](int64_t &count) -> Error {
    if (!functions)
      return isNull(kind);
    count = functions->size();
    return Error::success();
  });
}

const char *Owner::getName(int64_t index) const noexcept {
  return guardGetter<const char *>(nullptr, [&](const char *&name) -> Error {
    if (!functions)
      return isNull(kind);
    if (index < 0 || index >= int64_t(functions->size()))
      return invalidArgument(std::string("the ") + kind + " has no function " +
                             to_string(index));
    name = (*functions)[index].plan.name.c_str();
    return Error::success();
  });
}

int Owner::countValues(const char *name, int64_t *numInputs,
                       int64_t *numOutputs) const noexcept {
  return guard([&]() -> Error {
    const Function *found = nullptr;
    if (Error error = find(name, found))
      return error;
    if (numInputs)
      *numInputs = found->plan.inputs.size();
    if (numOutputs)
      *numOutputs = found->plan.outputs.size();
    return Error::success();
  });
}

int Owner::describeValue(const char *name, int64_t index, bool isInput,
                         sparseconv_value_info *info) const noexcept {
  return guard([&]() -> Error {
    if (!info)
      return isNull("info");
    const Function *found = nullptr;
    if (Error error = find(name, found))
      return error;
    if (Error error = found->checkIndex(isInput, index))
      return error;
    const plan::Value &value =
        (isInput ? found->plan.inputs : found->plan.outputs)[index];
    const std::vector<int64_t> &sizes =
        (isInput ? found->inputSizes : found->outputSizes)[index];
    *info = {value.name.c_str(), int32_t(value.type), int32_t(sizes.size()),
             sizes.data()};
    return Error::success();
  });
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int sparseconv_plan_read(const void *bytes, uint64_t size,
                         sparseconv_plan **plan) {
  return guard([&]() -> Error {
    if (!plan || (!bytes && size))
      return isNull("bytes or plan");
    auto result = std::make_unique<sparseconv_plan>();
    if (Error error = copyFile(bytes, size, result->file))
      return error;
    std::string reason;
    std::optional<plan::Plan> parsed = plan::parse(result->file, reason);
    if (!parsed)
      return Error(SPARSECONV_INVALID_PLAN, reason);
    result->plan = std::move(*parsed);
    result->functions.reserve(result->plan.functions.size());
    for (const plan::Function &function : result->plan.functions)
      result->functions.emplace_back(function);
    *plan = result.release();
    return Error::success();
  });
}

void sparseconv_plan_destroy(sparseconv_plan *plan) { delete plan; }

const char *sparseconv_plan_target(const sparseconv_plan *plan) {
  return guardGetter<const char *>(nullptr, [&](const char *&target) -> Error {
    if (!plan)
      return isNull("plan");
    target = plan->plan.isForCpu() ? "cpu" : "cuda";
    return Error::success();
  });
}

int64_t sparseconv_plan_num_functions(const sparseconv_plan *plan) {
  return Owner(plan).countFunctions();
}

const char *sparseconv_plan_function_name(const sparseconv_plan *plan,
                                          int64_t index) {
  return Owner(plan).getName(index);
}

int sparseconv_plan_num_values(const sparseconv_plan *plan,
                               const char *function, int64_t *numInputs,
                               int64_t *numOutputs) {
  return Owner(plan).countValues(function, numInputs, numOutputs);
}

int sparseconv_plan_input(const sparseconv_plan *plan, const char *function,
                          int64_t index, sparseconv_value_info *info) {
  return Owner(plan).describeValue(function, index, /*isInput=*/true, info);
}

int sparseconv_plan_output(const sparseconv_plan *plan, const char *function,
                           int64_t index, sparseconv_value_info *info) {
  return Owner(plan).describeValue(function, index, /*isInput=*/false, info);
}
