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

struct sparseconv_plan {
  std::string file; ///< what `plan` has views of
  plan::Plan plan;
  Functions functions;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error runtime::findFunction(const Functions &functions, const char *owner,
                            const char *name, const Function *&function) {
  if (!name)
    return invalidArgument("function is NULL");
  std::string text =
      std::string("the ") + owner + " has no function '" + name + "'";
  for (const Function &other : functions) {
    if (other.plan.name == name) {
      function = &other;
      return Error::success();
    }
    text +=
        (&other == &functions[0] ? ", only '" : ", '") + other.plan.name + "'";
  }
  return invalidArgument(text);
}

Error runtime::countValues(const Functions &functions, const char *owner,
                           const char *name, int64_t *numInputs,
                           int64_t *numOutputs) {
  const Function *found = nullptr;
  if (Error error = findFunction(functions, owner, name, found))
    return error;
  if (numInputs)
    *numInputs = found->plan.inputs.size();
  if (numOutputs)
    *numOutputs = found->plan.outputs.size();
  return Error::success();
}

Error runtime::describeValue(const Functions &functions, const char *owner,
                             const char *name, int64_t index, bool isInput,
                             sparseconv_value_info *info) {
  if (!info)
    return invalidArgument("info is NULL");
  const Function *found = nullptr;
  if (Error error = findFunction(functions, owner, name, found))
    return error;
  if (Error error = found->checkIndex(isInput, index))
    return error;
  const auto &values = isInput ? found->plan.inputs : found->plan.outputs;
  const std::vector<int64_t> &sizes =
      (isInput ? found->inputSizes : found->outputSizes)[index];
  *info = {values[index].name.c_str(), int32_t(values[index].type),
           int32_t(sizes.size()), sizes.data()};
  return Error::success();
}

Error runtime::getName(const Functions &functions, const char *owner,
                       int64_t index, const char *&name) {
  if (index < 0 || index >= int64_t(functions.size()))
    return invalidArgument(std::string("the ") + owner + " has no function " +
                           to_string(index));
  name = functions[index].plan.name.c_str();
  return Error::success();
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
  return guardGetter<int64_t>(0, [&](int64_t &count) -> Error {
    if (!plan)
      return isNull("plan");
    count = plan->functions.size();
    return Error::success();
  });
}

const char *sparseconv_plan_function_name(const sparseconv_plan *plan,
                                          int64_t index) {
  return guardGetter<const char *>(nullptr, [&](const char *&name) -> Error {
    if (!plan)
      return isNull("plan");
    return getName(plan->functions, "plan", index, name);
  });
}

int sparseconv_plan_num_values(const sparseconv_plan *plan,
                               const char *function, int64_t *numInputs,
                               int64_t *numOutputs) {
  return guard([&]() -> Error {
    if (!plan)
      return isNull("plan");
    return countValues(plan->functions, "plan", function, numInputs,
                       numOutputs);
  });
}

int sparseconv_plan_input(const sparseconv_plan *plan, const char *function,
                          int64_t index, sparseconv_value_info *info) {
  return guard([&]() -> Error {
    if (!plan)
      return isNull("plan");
    return describeValue(plan->functions, "plan", function, index,
                         /*isInput=*/true, info);
  });
}

int sparseconv_plan_output(const sparseconv_plan *plan, const char *function,
                           int64_t index, sparseconv_value_info *info) {
  return guard([&]() -> Error {
    if (!plan)
      return isNull("plan");
    return describeValue(plan->functions, "plan", function, index,
                         /*isInput=*/false, info);
  });
}
