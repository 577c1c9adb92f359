//===- BindWeights.cpp - weights for plans --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/BindWeights.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir::sparseconv;
using namespace ::sparseconv;
using llvm::createStringError;
using llvm::Error;

/// Calls `callback` for every size of a function.
static void forEachSize(plan::Function &function,
                        llvm::function_ref<void(plan::SizeExpr &)> callback) {
  for (plan::Value &output : function.outputs)
    for (plan::Dim &dim : output.dims)
      callback(dim.capacity);
  for (plan::Buffer &buffer : function.buffers)
    callback(buffer.bytes);
  for (plan::Growable &growable : function.growables) {
    callback(growable.start);
    callback(growable.bound);
  }
  for (plan::Step &step : function.steps) {
    for (plan::SizeExpr *size : {&step.gridX, &step.gridY, &step.targetOffset,
                                 &step.sourceOffset, &step.bytes})
      callback(*size);
    for (plan::Param &param : step.params)
      callback(param.expr);
  }
}

/// Makes the buffer of an input that of a constant. No size depends on it: its
/// dimensions are static.
static void replaceInput(plan::Function &function, uint32_t input,
                         uint32_t constant) {
  function.inputs.erase(function.inputs.begin() + input);
  for (plan::Buffer &buffer : function.buffers) {
    if (buffer.kind != plan::Buffer::Kind::Input || buffer.index < input)
      continue;
    if (buffer.index > input) {
      --buffer.index;
      continue;
    }
    buffer.kind = plan::Buffer::Kind::Constant;
    buffer.index = constant;
  }
  forEachSize(function, [&](plan::SizeExpr &size) {
    for (plan::SizeTerm &term : size.terms)
      if (term.kind == plan::SizeTerm::Kind::Capacity && term.input > input)
        --term.input;
  });
}

static std::string getTypeString(const plan::Value &value) {
  std::string text = "tensor<";
  for (const plan::Dim &dim : value.dims)
    text += (dim.size == plan::kDynamic ? "?" : std::to_string(dim.size)) + "x";
  return text + plan::getName(value.type) + ">";
}

static bool fits(const plan::Value &input, const HostTensor &tensor) {
  return llvm::equal(
      input.dims, tensor.getShape(),
      [](const plan::Dim &dim, int64_t size) { return dim.size == size; });
}

static uint32_t findInput(const plan::Function &function,
                          llvm::StringRef name) {
  auto it = llvm::find_if(function.inputs, [&](const plan::Value &input) {
    return input.name == name;
  });
  return it - function.inputs.begin();
}

static plan::Constant *findConstant(plan::Plan &plan, llvm::StringRef name) {
  auto it = llvm::find_if(plan.constants, [&](const plan::Constant &constant) {
    return constant.name == name;
  });
  return it == plan.constants.end() ? nullptr : &*it;
}

/// Why a tensor is not the data of a constant, or nothing.
static std::string findProblem(const plan::Constant &constant,
                               const NamedTensor &weight) {
  if (constant.inFile)
    return "'" + weight.name + "' is a constant of the plan already";
  std::string_view bytes(weight.tensor.getData(), weight.tensor.getNumBytes());
  if (bytes.size() != constant.size || plan::hashBytes(bytes) != constant.hash)
    return "'" + weight.name + "' is not what the plan was made with";
  return {};
}

/// Why a tensor cannot be bound, or nothing. `value` is what to bind then.
static std::string findProblem(plan::Plan &plan, const NamedTensor &weight,
                               bool convert, HostTensor &value) {
  if (const plan::Constant *constant = findConstant(plan, weight.name)) {
    value = weight.tensor;
    return findProblem(*constant, weight);
  }
  std::optional<plan::ElementType> type;
  for (const plan::Function &function : plan.functions) {
    uint32_t number = findInput(function, weight.name);
    if (number == function.inputs.size())
      continue;
    const plan::Value &input = function.inputs[number];
    auto kind = static_cast<ElementKind>(input.type);
    value = weight.tensor;
    if (convert)
      convertFloats(value, kind);
    if (value.getKind() != kind || !fits(input, value))
      return "'" + weight.name + "' expects " + getTypeString(input) +
             ", but found " + weight.tensor.getTypeString() +
             getConversionHint(value, kind).str();
    if (type && *type != input.type)
      return "'" + weight.name + "' is of two types in two functions";
    type = input.type;
  }
  if (!type)
    return "'" + weight.name + "' is no input of any function";
  return {};
}

Error mlir::sparseconv::bindWeights(plan::Plan &plan,
                                    const NamedTensors &weights,
                                    const BindWeightsOptions &options) {
  std::vector<HostTensor> values(weights.size());
  std::vector<std::string> problems;
  for (auto [weight, value] : llvm::zip_equal(weights, values))
    if (std::string problem = findProblem(plan, weight, options.convert, value);
        !problem.empty())
      problems.push_back(std::move(problem));
  if (!problems.empty())
    return createStringError("weights that do not fit:\n  " +
                             joinShort(problems, "\n  "));
  for (auto [weight, value] : llvm::zip_equal(weights, values)) {
    std::string bytes(value.getData(), value.getNumBytes());
    if (plan::Constant *constant = findConstant(plan, weight.name)) {
      constant->inFile = options.inFile;
      if (options.inFile)
        constant->bytes = plan.keep(std::move(bytes));
      continue;
    }
    uint32_t index = plan.addConstant(weight.name, std::move(bytes));
    if (!options.inFile) {
      plan.constants[index].inFile = false;
      plan.constants[index].bytes = {};
    }
    for (plan::Function &function : plan.functions)
      if (uint32_t input = findInput(function, weight.name);
          input < function.inputs.size())
        replaceInput(function, input, index);
  }
  return Error::success();
}
