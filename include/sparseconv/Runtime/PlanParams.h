//===- PlanParams.h - parameters of kernels and of launches -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch passes its parameters as one block of bytes. What a kernel takes is
// not written in a plan, which might be wrong: its code says so. Of PTX that is
// read here; of machine code the driver tells it.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_PLANPARAMS_H
#define SPARSECONV_RUNTIME_PLANPARAMS_H

#include "sparseconv/Runtime/Plan.h"
#include <map>
#include <set>

namespace sparseconv::plan {

/// Where a parameter lies in the block.
struct ParamPlace {
  uint64_t offset = 0, size = 0;

  bool operator==(const ParamPlace &other) const {
    return offset == other.offset && size == other.size;
  }
};
using ParamPlaces = std::vector<ParamPlace>;

/// The places of a launch's parameters, each aligned to its size.
ParamPlaces getPlaces(const std::vector<Param> &params);

/// The end of the last parameter.
uint64_t getBlockBytes(const ParamPlaces &places);

/// The kernels of a PTX module and the places of their parameters. A kernel
/// whose parameters cannot be read is not among them.
std::map<std::string, ParamPlaces> readPtxKernels(std::string_view ptx);

/// The kernels that every PTX image of a module declares, with parameters that
/// can be read.
std::set<std::string> getDeclaredKernels(const Module &module);

/// Why a launch does not fit its kernel, or nothing.
std::optional<std::string> compareParams(const ParamPlaces &launch,
                                         const ParamPlaces &kernel,
                                         const std::string &kernelName);

} // namespace sparseconv::plan

#endif // SPARSECONV_RUNTIME_PLANPARAMS_H
