//===- CheckNetwork.cpp - a compiled network against the reference --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomNetwork.h"
#include "sparseconv/Execution/CpuExecutable.h"
#include "sparseconv/Reference/Reference.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
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

std::string mlir::sparseconv::fuzz::checkNetwork(RandomNetwork &network,
                                                 bool &failed) {
  failed = false;
  auto expected = runReference(*network.module, "main", network.arguments);
  std::string expectedError;
  if (!expected)
    expectedError = llvm::toString(expected.takeError());

  CpuOptions options;
  options.optimize = false;
  auto executable = CpuExecutable::compile(*network.module, options);
  if (!executable)
    return "not compiled: " + llvm::toString(executable.takeError());
  auto found = (*executable)->run("main", network.arguments);
  std::string foundError;
  if (!found)
    foundError = llvm::toString(found.takeError());

  if (foundError != expectedError)
    return "found error '" + foundError + "', but the reference has '" +
           expectedError + "'";
  if (!expectedError.empty()) {
    failed = true;
    return {};
  }
  bool exact = llvm::all_of(network.errors, [](double e) { return e == 0; });
  if (!exact && nearInfinity(*expected))
    return {};
  for (auto [i, result] : llvm::enumerate(*found)) {
    std::string text = compare(i, result, (*expected)[i], network.errors[i]);
    if (!text.empty())
      return text;
  }
  return {};
}
