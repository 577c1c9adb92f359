//===- Status.cpp - run-time errors of a compiled function ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/Status.h"
#include <algorithm>
#include <locale>
#include <sstream>

using namespace sparseconv;
using std::string_view;

/// "pack" of "sparseconv.pack".
static string_view getShortName(string_view opName) {
  constexpr string_view prefix = "sparseconv.";
  if (opName.substr(0, prefix.size()) == prefix)
    opName.remove_prefix(prefix.size());
  return opName;
}

/// Operand names of the network operations, separated by blanks; an operand
/// beyond the list is one more of an epilogue.
static string_view getOperandNames(string_view opName) {
  static constexpr struct {
    string_view opName, operands;
  } table[] = {
      {"pack", "points"},
      {"prune", "coords mask"},
      {"subdivide", "coords points_order points_row_of"},
      {"map_from_pairs", "pairs in out"},
      {"map_from_table", "table in out"},
      {"conv", "x w map"},
      {"input_grad", "dy w map"},
      {"weight_grad", "x dy map"},
      {"pool", "x map"},
      {"unpool", "x map"},
      {"pool_grad", "dy map x"},
      {"global_pool", "x coords batch"},
      {"global_pool_grad", "dy coords x"},
      {"gather", "x rows"},
      {"scatter", "x rows n"},
      {"voxelise", "x points coords"},
      {"devoxelise", "x points coords"},
      {"to_dense", "x coords"},
      {"from_dense", "dense coords"},
  };
  for (const auto &entry : table)
    if (entry.opName == getShortName(opName))
      return entry.operands;
  return "";
}

static std::string getOperandName(string_view opName, int64_t number) {
  string_view names = getOperandNames(opName);
  for (int64_t i = number; !names.empty(); --i) {
    string_view name = names.substr(0, names.find(' '));
    if (i == 0)
      return "'" + std::string(name) + "'";
    names.remove_prefix(std::min(names.size(), name.size() + 1));
  }
  if (opName == "sparseconv.conv")
    return "epilogue operand " + std::to_string(number - 3);
  return "operand " + std::to_string(number);
}

/// What the rows of the failing operand are: points or rows of a set.
static string_view getRowNoun(string_view opName) {
  string_view name = getShortName(opName);
  if (name == "pack" || name == "voxelise" || name == "devoxelise")
    return "point";
  return name == "map_from_pairs" ? "pair" : "row";
}

static string_view getSideName(int64_t side) {
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

static void printCoordinate(std::ostream &os, const StatusRecord &record) {
  if (record.axis < 0)
    os << "batch index " << record.value;
  else
    os << "coordinate " << record.value << " on axis " << record.axis;
}

/// What is wrong with a pair of a map that is given.
static void printPair(std::ostream &os, const StatusRecord &record,
                      string_view noun) {
  static constexpr string_view columns[] = {"input row", "output row",
                                            "offset"};
  bool isRange = record.getCode() != StatusCode::RepeatedPair;
  bool isEntry = record.getCode() == StatusCode::NeighbourOutOfRange;
  // A record may come from a kernel that wrote anything.
  bool isColumn = record.axis >= 0 && record.axis < 3;
  os << columns[isEntry || !isColumn ? 0 : record.axis] << ' ' << record.value;
  if (isEntry)
    os << " of offset " << record.axis;
  if (isRange)
    os << " is outside " << record.lower << " .. " << record.upper;
  else
    os << " has offset " << record.lower << " in an earlier " << noun
       << ", too";
}

std::string sparseconv::formatStatus(const StatusRecord &record,
                                     string_view opName, string_view location) {
  std::ostringstream os;
  os.imbue(std::locale::classic());
  if (!location.empty())
    os << location << ": ";
  if (!opName.empty())
    os << opName << ": ";
  string_view noun = getRowNoun(opName);
  switch (record.getCode()) {
  case StatusCode::None:
    os << "no error";
    return os.str();
  case StatusCode::OutOfRange:
    os << noun << ' ' << record.row << ": ";
    printCoordinate(os, record);
    os << " is outside " << record.lower << " .. " << record.upper;
    return os.str();
  case StatusCode::NotMultipleOfStride:
    os << noun << ' ' << record.row << ": ";
    printCoordinate(os, record);
    os << " is not a multiple of the stride " << record.lower;
    return os.str();
  case StatusCode::TooManyRows:
    os << record.value << ' ' << noun << "s are more than " << record.upper;
    return os.str();
  case StatusCode::OverCapacity:
    os << "the result has " << record.value
       << " rows, more than its capacity of " << record.upper;
    return os.str();
  case StatusCode::RowCountMismatch:
    os << getOperandName(opName, record.axis) << " has " << record.value
       << " rows, but " << getSideName(record.extra) << " has " << record.lower;
    return os.str();
  case StatusCode::RowIndexOutOfRange:
    os << "position " << record.row << ": row index " << record.value
       << " is outside " << record.lower << " .. " << record.upper;
    return os.str();
  case StatusCode::BatchOutOfRange:
    os << "row " << record.row << ": batch index " << record.value
       << " is not below the number of items, " << record.upper;
    return os.str();
  case StatusCode::NonFinitePoint:
    os << noun << ' ' << record.row << ": ";
    if (record.axis < 0)
      os << "the batch index";
    else
      os << "the coordinate on axis " << record.axis;
    os << " is not finite";
    return os.str();
  case StatusCode::LengthMismatch:
    os << getOperandName(opName, record.axis) << " has " << record.value
       << " rows, but " << getOperandName(opName, record.extra) << " has "
       << record.lower;
    return os.str();
  case StatusCode::SizeOutOfRange:
    os << "size " << record.value << " is outside " << record.lower << " .. "
       << record.upper;
    return os.str();
  case StatusCode::ShapeMismatch:
    os << getOperandName(opName, record.extra) << " has size " << record.value
       << " on axis " << record.axis << ", expected " << record.lower;
    return os.str();
  case StatusCode::IndexOutOfBounds:
    os << "index " << record.value << " on axis " << record.axis
       << " is outside a size of " << record.upper;
    return os.str();
  case StatusCode::DivisionByZero:
    os << "integer division by zero";
    return os.str();
  case StatusCode::PairOutOfRange:
  case StatusCode::NeighbourOutOfRange:
  case StatusCode::RepeatedPair:
    os << noun << ' ' << record.row << ": ";
    printPair(os, record, noun);
    return os.str();
  }
  os << "unknown status code " << record.code;
  return os.str();
}
