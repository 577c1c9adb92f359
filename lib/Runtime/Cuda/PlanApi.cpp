//===- PlanApi.cpp - the C interface to what a plan holds -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"

using namespace sparseconv;
using namespace sparseconv::cuda;
using std::to_string;

struct sparseconv_plan {
  std::string file; ///< what `plan` has views of
  plan::Plan plan;
  Functions functions;
};

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

Error cuda::findFunction(const Functions &functions, const char *owner,
                         const char *name, const Program::Function *&function) {
  if (!name)
    return invalidArgument("function is NULL");
  std::string text =
      std::string("the ") + owner + " has no function '" + name + "'";
  for (const Program::Function &other : functions) {
    if (other.plan.name == name) {
      function = &other;
      return Error::success();
    }
    text +=
        (&other == &functions[0] ? ", only '" : ", '") + other.plan.name + "'";
  }
  return invalidArgument(text);
}

Error cuda::countValues(const Functions &functions, const char *owner,
                        const char *name, int64_t *numInputs,
                        int64_t *numOutputs) {
  const Program::Function *found = nullptr;
  if (Error error = findFunction(functions, owner, name, found))
    return error;
  if (numInputs)
    *numInputs = found->plan.inputs.size();
  if (numOutputs)
    *numOutputs = found->plan.outputs.size();
  return Error::success();
}

Error cuda::describeValue(const Functions &functions, const char *owner,
                          const char *name, int64_t index, bool isInput,
                          sparseconv_value_info *info) {
  if (!info)
    return invalidArgument("info is NULL");
  const Program::Function *found = nullptr;
  if (Error error = findFunction(functions, owner, name, found))
    return error;
  const auto &values = isInput ? found->plan.inputs : found->plan.outputs;
  if (index < 0 || index >= int64_t(values.size()))
    return invalidArgument(std::string("function '") + name + "' has no " +
                           (isInput ? "input " : "output ") + to_string(index));
  const std::vector<int64_t> &sizes =
      (isInput ? found->inputSizes : found->outputSizes)[index];
  *info = {values[index].name.c_str(), int32_t(values[index].type),
           int32_t(sizes.size()), sizes.data()};
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Plans
//===----------------------------------------------------------------------===//

int sparseconv_plan_read(const void *bytes, uint64_t size,
                         sparseconv_plan **plan) {
  if (!plan || (!bytes && size))
    return rejectNull("bytes or plan");
  auto result = std::make_unique<sparseconv_plan>();
  result->file.assign(static_cast<const char *>(bytes), size);
  std::string reason;
  std::optional<plan::Plan> parsed = plan::parse(result->file, reason);
  if (!parsed)
    return report(Error(SPARSECONV_INVALID_PLAN, reason));
  result->plan = std::move(*parsed);
  result->functions.reserve(result->plan.functions.size());
  for (const plan::Function &function : result->plan.functions)
    result->functions.emplace_back(function);
  *plan = result.release();
  return SPARSECONV_OK;
}

void sparseconv_plan_destroy(sparseconv_plan *plan) { delete plan; }

int64_t sparseconv_plan_num_functions(const sparseconv_plan *plan) {
  return plan->functions.size();
}

const char *sparseconv_plan_function_name(const sparseconv_plan *plan,
                                          int64_t index) {
  if (index < 0 || index >= int64_t(plan->functions.size()))
    return nullptr;
  return plan->functions[index].plan.name.c_str();
}

int sparseconv_plan_num_values(const sparseconv_plan *plan,
                               const char *function, int64_t *numInputs,
                               int64_t *numOutputs) {
  if (!plan)
    return rejectNull("plan");
  return report(
      countValues(plan->functions, "plan", function, numInputs, numOutputs));
}

int sparseconv_plan_input(const sparseconv_plan *plan, const char *function,
                          int64_t index, sparseconv_value_info *info) {
  if (!plan)
    return rejectNull("plan");
  return report(describeValue(plan->functions, "plan", function, index,
                              /*isInput=*/true, info));
}

int sparseconv_plan_output(const sparseconv_plan *plan, const char *function,
                           int64_t index, sparseconv_value_info *info) {
  if (!plan)
    return rejectNull("plan");
  return report(describeValue(plan->functions, "plan", function, index,
                              /*isInput=*/false, info));
}
