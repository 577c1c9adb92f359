//===- ScanColumns.cpp - scans as typed columns ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScanColumns.h"
#include "Bytes.h"
#include "llvm/ADT/StringSet.h"
#include <charconv>
#include <cmath>
#include <cstring>

using namespace llvm;

namespace sparseconv::detail {

unsigned getByteWidth(ScalarType type) {
  static constexpr uint8_t widths[] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
  return widths[static_cast<unsigned>(type)];
}

/// Calls `body` with a value of the C++ type that `type` names.
template <typename Body> static auto dispatch(ScalarType type, Body body) {
  switch (type) {
  case ScalarType::I8:
    return body(int8_t());
  case ScalarType::U8:
    return body(uint8_t());
  case ScalarType::I16:
    return body(int16_t());
  case ScalarType::U16:
    return body(uint16_t());
  case ScalarType::I32:
    return body(int32_t());
  case ScalarType::U32:
    return body(uint32_t());
  case ScalarType::I64:
    return body(int64_t());
  case ScalarType::U64:
    return body(uint64_t());
  case ScalarType::F32:
    return body(float());
  case ScalarType::F64:
    return body(double());
  }
  llvm_unreachable("unknown scalar type");
}

/// Reads `count` values of a column into every `toStep`-th element of `to`.
template <typename To>
static void copyColumn(const Column &column, const char *data, uint64_t count,
                       endianness order, To *to, uint64_t toStep) {
  dispatch(column.type, [&](auto example) {
    using From = decltype(example);
    const char *from = data + column.offset;
    for (uint64_t i = 0; i < count; ++i, from += column.step, to += toStep)
      *to = static_cast<To>(
          support::endian::read<From, support::unaligned>(from, order));
  });
}

static void copyColour(const Column &column, const char *data, uint64_t count,
                       endianness order, float *to, uint64_t toStep) {
  const char *from = data + column.offset;
  for (uint64_t i = 0; i < count; ++i, from += column.step, to += toStep) {
    uint32_t colour = support::endian::read<uint32_t>(from, order);
    for (unsigned channel = 0; channel < 3; ++channel)
      to[channel] = (colour >> (16 - 8 * channel)) & 255;
  }
}

/// A coordinate is kept as wide as its column: f32 holds these types exactly.
static bool fitsFloat(ScalarType type) {
  return type == ScalarType::F32 || getByteWidth(type) <= 2;
}

Error allocate(StringRef file, Scan &scan, ElementKind kind, int64_t rows) {
  Expected<HostTensor> points = makeTensor(file, kind, {rows, 3});
  if (!points)
    return points.takeError();
  int64_t width = scan.featureNames.size();
  Expected<HostTensor> features =
      makeTensor(file, ElementKind::F32, {rows, width});
  if (!features)
    return features.takeError();
  scan.points = std::move(*points);
  scan.features = std::move(*features);
  return Error::success();
}

Expected<Scan> gatherColumns(StringRef file, const char *data, uint64_t count,
                             ArrayRef<Column> columns, endianness order) {
  const Column *axes[3] = {};
  std::vector<const Column *> others;
  StringSet<> seen;
  for (const Column &column : columns) {
    if (!seen.insert(column.name).second)
      return makeFileError(file, "two columns have the name {0}",
                           quote(column.name));
    size_t axis = StringRef("xyz").find(column.name);
    if (column.name.size() == 1 && axis != StringRef::npos)
      axes[axis] = &column;
    else
      others.push_back(&column);
  }
  for (unsigned axis = 0; axis < 3; ++axis)
    if (!axes[axis])
      return makeFileError(file, "the points have no column '{0}'",
                           "xyz"[axis]);

  int64_t rows = static_cast<int64_t>(count);
  Scan scan;
  for (const Column *column : others)
    if (column->isPackedColour)
      scan.featureNames.insert(scan.featureNames.end(), {"r", "g", "b"});
    else
      scan.featureNames.push_back(column->name);
  int64_t width = scan.featureNames.size();
  bool isNarrow = all_of(
      axes, [](const Column *column) { return fitsFloat(column->type); });
  if (Error error = allocate(
          file, scan, isNarrow ? ElementKind::F32 : ElementKind::F64, rows))
    return error;
  if (count == 0)
    return scan;

  for (unsigned axis = 0; axis < 3; ++axis)
    if (isNarrow)
      copyColumn(*axes[axis], data, count, order,
                 scan.points.as<float>().data() + axis, 3);
    else
      copyColumn(*axes[axis], data, count, order,
                 scan.points.as<double>().data() + axis, 3);
  int64_t feature = 0;
  for (const Column *column : others) {
    float *to = scan.features.as<float>().data() + feature;
    if (column->isPackedColour)
      copyColour(*column, data, count, order, to, width);
    else
      copyColumn(*column, data, count, order, to, width);
    feature += column->isPackedColour ? 3 : 1;
  }
  return scan;
}

StringRef TextRows::next() {
  constexpr StringLiteral blanks(" \t\r\n\v\f");
  rest = rest.ltrim(blanks);
  StringRef word = rest.take_front(rest.find_first_of(blanks));
  rest = rest.drop_front(word.size());
  return word;
}

/// Stores the number that `word` spells. False when it is none, or an integer
/// type cannot hold it.
static bool storeText(ScalarType type, StringRef word, char *to) {
  StringRef digits = word;
  if (digits.consume_front("+") && digits.starts_with("-"))
    return false;
  return dispatch(type, [&](auto value) {
    auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc() || end != digits.end()) {
      // Writers of integer columns print "7.0", and a float column may hold
      // what only a double can spell.
      double wide = 0;
      auto [wideEnd, wideError] =
          std::from_chars(digits.begin(), digits.end(), wide);
      if (wideError != std::errc() || wideEnd != digits.end())
        return false;
      if constexpr (std::is_integral_v<decltype(value)>) {
        // The bounds are powers of two, exact in a double.
        double high =
            std::ldexp(1.0, std::numeric_limits<decltype(value)>::digits);
        double low = std::is_signed_v<decltype(value)> ? -high : 0;
        if (!(wide >= low && wide < high) || wide != std::trunc(wide))
          return false;
      }
      value = static_cast<decltype(value)>(wide);
    }
    std::memcpy(to, &value, sizeof(value));
    return true;
  });
}

Error TextRows::read(ScalarType type, StringRef column, uint64_t row,
                     char *to) {
  StringRef word = next();
  if (word.empty())
    return makeFileError(file, "truncated: the text ends in row {0}", row);
  if (!storeText(type, word, to))
    return makeFileError(file,
                         "row {0}, column {1}: {2} is not a number of the "
                         "column's type",
                         row, quote(column), quote(word));
  return Error::success();
}

std::optional<StringRef> takeLine(StringRef &text) {
  size_t end = text.find('\n');
  if (end == StringRef::npos)
    return std::nullopt;
  StringRef line = text.take_front(end);
  text = text.drop_front(end + 1);
  line.consume_back("\r");
  return line;
}

template <typename T>
static std::optional<uint64_t> findNonFinite(ArrayRef<T> values) {
  for (size_t i = 0; i < values.size(); ++i)
    if (!std::isfinite(values[i]))
      return i;
  return std::nullopt;
}

Error checkFinite(StringRef file, const HostTensor &points) {
  std::optional<uint64_t> found = points.getKind() == ElementKind::F32
                                      ? findNonFinite(points.as<float>())
                                      : findNonFinite(points.as<double>());
  if (!found)
    return Error::success();
  return makeFileError(file,
                       "point {0} has {1} = {2}; expected finite coordinates",
                       *found / 3, "xyz"[*found % 3],
                       std::isnan(points.getDouble(*found)) ? "NaN"
                       : points.getDouble(*found) > 0       ? "infinity"
                                                            : "-infinity");
}

} // namespace sparseconv::detail
