//===- Function.cpp - sizes of a function of a plan -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Device.h"

using namespace sparseconv;

static std::vector<int64_t> getSizes(const plan::Value &value) {
  std::vector<int64_t> sizes;
  for (const plan::Dim &dim : value.dims)
    sizes.push_back(dim.size);
  return sizes;
}

runtime::Function::Function(const plan::Function &function) : plan(function) {
  for (const plan::Value &input : function.inputs) {
    inputSizes.push_back(getSizes(input));
    for (int64_t size : inputSizes.back())
      numCapacities += size == plan::kDynamic;
  }
  for (const plan::Value &output : function.outputs)
    outputSizes.push_back(getSizes(output));
}
