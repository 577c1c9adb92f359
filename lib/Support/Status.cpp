//===- Status.cpp - run-time errors of a compiled function ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Status.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace sparseconv;
using llvm::StringRef;

/// Operand names of the network operations, separated by blanks; an operand
/// beyond the list is one more of an epilogue.
static StringRef getOperandNames(StringRef opName) {
  opName.consume_front("sparseconv.");
  return llvm::StringSwitch<StringRef>(opName)
      .Case("pack", "points")
      .Case("prune", "coords mask")
      .Case("conv", "x w map")
      .Case("input_grad", "dy w map")
      .Case("weight_grad", "x dy map")
      .Cases({"pool", "unpool"}, "x map")
      .Case("pool_grad", "dy map x")
      .Case("global_pool", "x coords batch")
      .Case("global_pool_grad", "dy coords x")
      .Case("gather", "x rows")
      .Case("scatter", "x rows n")
      .Cases({"voxelise", "devoxelise"}, "x points coords")
      .Case("to_dense", "x coords")
      .Case("from_dense", "dense coords")
      .Default("");
}

static std::string getOperandName(StringRef opName, int64_t number) {
  StringRef names = getOperandNames(opName);
  for (int64_t i = number; !names.empty(); --i) {
    auto [name, rest] = names.split(' ');
    if (i == 0)
      return "'" + name.str() + "'";
    names = rest;
  }
  if (opName == "sparseconv.conv")
    return "epilogue operand " + std::to_string(number - 3);
  return "operand " + std::to_string(number);
}

/// What the rows of the failing operand are: points or rows of a set.
static StringRef getRowNoun(StringRef opName) {
  opName.consume_front("sparseconv.");
  return llvm::StringSwitch<StringRef>(opName)
      .Cases({"pack", "voxelise", "devoxelise"}, "point")
      .Default("row");
}

static StringRef getSideName(int64_t side) {
  switch (static_cast<StatusSide>(side)) {
  case StatusSide::InSet:
    return "the in set of the map";
  case StatusSide::OutSet:
    return "the out set of the map";
  case StatusSide::Set:
    break;
  }
  return "the coordinate set";
}

static void printCoordinate(llvm::raw_ostream &os, const StatusRecord &record) {
  if (record.axis < 0)
    os << "batch index " << record.value;
  else
    os << "coordinate " << record.value << " on axis " << record.axis;
}

std::string sparseconv::formatStatus(const StatusRecord &record,
                                     StringRef opName, StringRef location) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (!location.empty())
    os << location << ": ";
  if (!opName.empty())
    os << opName << ": ";
  StringRef noun = getRowNoun(opName);
  switch (record.getCode()) {
  case StatusCode::None:
    os << "no error";
    return text;
  case StatusCode::OutOfRange:
    os << noun << ' ' << record.row << ": ";
    printCoordinate(os, record);
    os << " is outside " << record.lower << " .. " << record.upper;
    return text;
  case StatusCode::NotMultipleOfStride:
    os << noun << ' ' << record.row << ": ";
    printCoordinate(os, record);
    os << " is not a multiple of the stride " << record.lower;
    return text;
  case StatusCode::TooManyRows:
    os << record.value << ' ' << noun << "s are more than " << record.upper;
    return text;
  case StatusCode::OverCapacity:
    os << "the result has " << record.value
       << " rows, more than its capacity of " << record.upper;
    return text;
  case StatusCode::RowCountMismatch:
    os << getOperandName(opName, record.axis) << " has " << record.value
       << " rows, but " << getSideName(record.extra) << " has " << record.lower;
    return text;
  case StatusCode::RowIndexOutOfRange:
    os << "position " << record.row << ": row index " << record.value
       << " is outside " << record.lower << " .. " << record.upper;
    return text;
  case StatusCode::BatchOutOfRange:
    os << "row " << record.row << ": batch index " << record.value
       << " is not below the number of items, " << record.upper;
    return text;
  case StatusCode::NonFinitePoint:
    os << noun << ' ' << record.row << ": ";
    if (record.axis < 0)
      os << "the batch index";
    else
      os << "the coordinate on axis " << record.axis;
    os << " is not finite";
    return text;
  case StatusCode::LengthMismatch:
    os << getOperandName(opName, record.axis) << " has " << record.value
       << " rows, but " << getOperandName(opName, record.extra) << " has "
       << record.lower;
    return text;
  case StatusCode::SizeOutOfRange:
    os << "size " << record.value << " is outside " << record.lower << " .. "
       << record.upper;
    return text;
  case StatusCode::ShapeMismatch:
    os << getOperandName(opName, record.extra) << " has size " << record.value
       << " on axis " << record.axis << ", expected " << record.lower;
    return text;
  case StatusCode::IndexOutOfBounds:
    os << "index " << record.value << " on axis " << record.axis
       << " is outside a size of " << record.upper;
    return text;
  case StatusCode::DivisionByZero:
    os << "integer division by zero";
    return text;
  }
  os << "unknown status code " << record.code;
  return text;
}
