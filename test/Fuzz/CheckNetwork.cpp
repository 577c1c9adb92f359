//===- CheckNetwork.cpp - a compiled network against the reference --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckNetwork.h"
#include "sparseconv/Dialect/SparseConv/Transforms/EqualRows.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Execution/CudaExecutable.h"
#include "sparseconv/Reference/Reference.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::fuzz;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

/// Below this numbers of the type lose precision, here times what follows.
static double getSmallest(ElementKind kind) {
  return kind == ElementKind::F16 ? 0x1p-24 * 4096 : 1e-30;
}

static bool agree(double found, double expected, double error,
                  ElementKind kind) {
  if (found == expected || (std::isnan(found) && std::isnan(expected)))
    return true;
  if (error == 0)
    return false;
  return std::abs(found - expected) <=
         1.5 * error * std::abs(expected) + getSmallest(kind);
}

static std::string compare(unsigned number, const HostTensor &found,
                           const HostTensor &expected, double error) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (found.getTypeString() != expected.getTypeString()) {
    os << "result " << number << " is " << found.getTypeString()
       << ", but the reference has " << expected.getTypeString();
    return text;
  }
  // Whole numbers beyond what f32 holds can cancel: only the shape counts.
  if (std::isinf(error))
    return text;
  for (int64_t i = 0, e = found.getNumElements(); i < e; ++i)
    if (!agree(found.getDouble(i), expected.getDouble(i), error,
               found.getKind())) {
      os << "result " << number << " (" << found.getTypeString()
         << ") at element " << i
         << llvm::format(" is %.9g, but the reference has %.9g; relative error "
                         "allowed: %.3g",
                         found.getDouble(i), expected.getDouble(i), error);
      break;
    }
  return text;
}

/// Positive f16 numbers grow; where some come near infinity, rounding decides
/// which do.
static bool nearInfinity(ArrayRef<HostTensor> results) {
  for (const HostTensor &result : results)
    if (result.getKind() == ElementKind::F16)
      for (int64_t i = 0, e = result.getNumElements(); i < e; ++i)
        if (!(std::abs(result.getDouble(i)) < 3e4))
          return true;
  return false;
}

static llvm::Expected<std::unique_ptr<Executable>>
compile(ModuleOp module, const CheckOptions &options) {
  if (options.onGpu) {
    CudaOptions cuda;
    cuda.chip = options.chip;
    cuda.streams = options.streams;
    return CudaExecutable::compile(module, cuda);
  }
  CpuOptions cpu;
  cpu.level = options.chip;
  cpu.optimize = false;
  return CpuExecutable::compile(module, cpu);
}

/// A machine that is too small is no fault of the compiler.
static bool isOutOfMemory(StringRef error) {
  return error.contains_insensitive("out of memory") ||
         error.contains("OUT_OF_MEMORY");
}

/// Makes the first number of the results another one.
static void spoilResults(MutableArrayRef<HostTensor> results) {
  for (HostTensor &result : results)
    if (result.getNumElements()) {
      result.setDouble(0, result.getDouble(0) == 0);
      return;
    }
}

static CheckResult compareResults(const RandomNetwork &network,
                                  ArrayRef<HostTensor> found,
                                  ArrayRef<HostTensor> expected) {
  unsigned numResults = found.size();
  if (llvm::any_of(network.errors, [](double e) { return e != 0; }) &&
      nearInfinity(expected))
    return {Outcome::Skipped, "numbers near the largest of f16", numResults,
            numResults};
  CheckResult result = {Outcome::Agrees, "", numResults};
  for (auto [i, error] : llvm::enumerate(network.errors)) {
    result.numUncompared += std::isinf(error);
    result.text = compare(i, found[i], expected[i], error);
    if (!result.text.empty()) {
      result.outcome = Outcome::Differs;
      return result;
    }
  }
  if (numResults > 0 && result.numUncompared == numResults) {
    result.outcome = Outcome::Skipped;
    result.text = "sums of whole numbers that f32 cannot hold";
  }
  return result;
}

/// What a run ends with: rows that disagree are refused before operations,
/// whose errors the reference gives, find them.
static llvm::Expected<std::vector<HostTensor>>
runExpected(RandomNetwork &network) {
  ModuleOp module = *network.module;
  findEqualRows(cast<func::FuncOp>(module.lookupSymbol("main")));
  auto signature = getSignature(module, "main");
  if (!signature)
    return signature.takeError();
  if (llvm::Error error = checkArguments(*signature, network.arguments))
    return std::move(error);
  return runReference(module, "main", network.arguments);
}

CheckResult NetworkChecker::check(RandomNetwork &network,
                                  const CheckOptions &options) {
  auto expected = runExpected(network);
  std::string expectedError;
  if (!expected)
    expectedError = llvm::toString(expected.takeError());

  auto executable = compile(*network.module, options);
  if (!executable)
    return {Outcome::Differs,
            "not compiled: " + llvm::toString(executable.takeError())};
  last = std::move(*executable);
  auto found = last->run("main", network.arguments);
  std::string foundError;
  if (!found)
    foundError = llvm::toString(found.takeError());

  if (isOutOfMemory(foundError)) {
    unsigned numResults = network.errors.size();
    return {Outcome::Skipped, foundError, numResults, numResults};
  }
  if (foundError != expectedError)
    return {Outcome::Differs, "found error '" + foundError +
                                  "', but the reference has '" + expectedError +
                                  "'"};
  if (!expectedError.empty())
    return {Outcome::AgreesInError, ""};
  if (options.spoil)
    spoilResults(*found);
  return compareResults(network, *found, *expected);
}
