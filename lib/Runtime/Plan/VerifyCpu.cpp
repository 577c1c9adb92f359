//===- VerifyCpu.cpp - functions of plans for CPUs ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VerifyCpu.h"
#include "VerifySlots.h"
#include <cstring>

using namespace sparseconv::plan;
using std::to_string;
using Reason = std::optional<std::string>;

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

static Reason verifySegments(const Image &image) {
  uint64_t end = 0;
  for (const Image::Segment &segment : image.segments) {
    if (segment.offset != end || segment.size == 0 ||
        segment.size % kPageBytes != 0 ||
        segment.size > image.bytes.size() - end)
      return "the segment at " + to_string(segment.offset) +
             " does not begin where the one before it ends, or is no whole "
             "pages";
    end += segment.size;
  }
  if (end != image.bytes.size())
    return std::string("the segments are not the whole of it");
  return std::nullopt;
}

/// The kind of the segment that holds `size` bytes at a place, or nothing.
static std::optional<Image::Segment::Access>
findAccess(const Image &image, uint64_t offset, uint64_t size) {
  for (const Image::Segment &segment : image.segments)
    if (offset >= segment.offset && offset - segment.offset < segment.size &&
        size <= segment.size - (offset - segment.offset))
      return segment.access;
  return std::nullopt;
}

Reason sparseconv::plan::verifyMachineCode(const Image &image) {
  if (Reason reason = verifySegments(image))
    return reason;
  for (uint64_t place : image.relocations) {
    if (place % 8 != 0 || !findAccess(image, place, 8))
      return "a relocation at " + to_string(place) + " is not inside";
    uint64_t word;
    std::memcpy(&word, image.bytes.data() + place, sizeof(word));
    if (word > image.bytes.size())
      return "the word at " + to_string(place) + " points outside";
  }
  for (const Image::Symbol &symbol : image.symbols)
    if (!findAccess(image, symbol.offset, 1))
      return "symbol '" + symbol.name + "' is not inside";
  std::optional<uint64_t> table = image.find(kImportTable);
  if (!table || *table % 8 != 0 ||
      findAccess(image, *table, 8 * image.imports.size()) !=
          Image::Segment::Access::Data)
    return std::string("there is no table of what it calls");
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static Reason verifyValue(const Value &value) {
  if (value.dims.size() > kMaxRank)
    return "rank " + to_string(value.dims.size()) + " is beyond " +
           to_string(kMaxRank);
  for (const Dim &dim : value.dims)
    if (dim.size < 0 && dim.size != kDynamic)
      return "a dimension has size " + to_string(dim.size);
  if (value.isScalar && (value.dims.size() != 1 || value.dims[0].size != 1))
    return std::string("a scalar has the shape [1]");
  return std::nullopt;
}

static bool areEqual(const Value &a, const Value &b) {
  if (a.name != b.name || a.type != b.type || a.isScalar != b.isScalar ||
      a.dims.size() != b.dims.size())
    return false;
  for (size_t axis = 0; axis != a.dims.size(); ++axis)
    if (a.dims[axis].size != b.dims[axis].size)
      return false;
  return true;
}

/// Argument `number` lies in the buffer of that number: an input or a constant.
static Reason verifyArgument(const Plan &plan, const Function &function,
                             size_t number, uint32_t &numInputs) {
  const Value &argument = function.arguments[number];
  const Buffer &buffer = function.buffers[number];
  if (Reason reason = verifyValue(argument))
    return reason;
  if (buffer.kind == Buffer::Kind::Input) {
    if (buffer.index != numInputs || numInputs >= function.inputs.size() ||
        !areEqual(function.inputs[numInputs++], argument))
      return std::string("it is not the next input");
    return std::nullopt;
  }
  if (buffer.kind != Buffer::Kind::Constant ||
      buffer.index >= plan.constants.size())
    return std::string("it is neither an input nor a constant");
  std::vector<int64_t> sizes = argument.getSizes();
  if (countBytes(argument.type, sizes.data(), sizes.size()) !=
      plan.constants[buffer.index].size)
    return std::string("its size is not that of its constant");
  return std::nullopt;
}

Reason sparseconv::plan::verifyCpuFunction(const Plan &plan,
                                           const Function &function) {
  if (function.name.empty())
    return std::string("it has no name");
  for (const Image &image : plan.modules[0].images) {
    std::optional<uint64_t> place = image.findFunction(function.name);
    if (!place)
      return "the code for " + image.chip + " does not have it";
    if (findAccess(image, *place, 1) != Image::Segment::Access::Code)
      return "the code for " + image.chip + " has it where there is no code";
  }
  if (!function.steps.empty() || !function.growables.empty() ||
      function.numStreams != 1)
    return std::string("it has steps, but machine code for CPUs");
  std::set<uint32_t> slots;
  if (Reason reason = verifyInputSlots(function, slots))
    return reason;
  size_t numArguments = function.arguments.size();
  if (function.buffers.size() != numArguments + function.outputs.size())
    return std::string(
        "it does not have a buffer for each argument and output");
  uint32_t numInputs = 0;
  for (size_t i = 0; i != numArguments; ++i)
    if (Reason reason = verifyArgument(plan, function, i, numInputs))
      return "argument '" + function.arguments[i].name + "': " + *reason;
  if (numInputs != function.inputs.size())
    return std::string("an input is no argument");
  for (size_t i = 0; i != function.outputs.size(); ++i) {
    const Buffer &buffer = function.buffers[numArguments + i];
    if (Reason reason = verifyValue(function.outputs[i]))
      return "output '" + function.outputs[i].name + "': " + *reason;
    if (buffer.kind != Buffer::Kind::Output || buffer.index != i)
      return "output " + to_string(i) + " has no buffer";
  }
  return std::nullopt;
}
