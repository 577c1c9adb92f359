//===- ScanPcd.cpp - PCD files --------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is parsed here: the library that reads PCD files is PCL, which
// brings Boost, Eigen and FLANN and prints its errors. LZF data is expanded by
// liblzf.
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "ScanColumns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <lzf.h>

using namespace llvm;

namespace sparseconv::detail {

namespace {
struct Field {
  std::string name;
  ScalarType type = ScalarType::F32;
  uint64_t count = 1;
};

class PcdParser {
public:
  explicit PcdParser(MemoryBufferRef buffer)
      : file(buffer.getBufferIdentifier()), rest(buffer.getBuffer()) {}
  Expected<Scan> parse();

private:
  Error parseHeader();
  Error parseLine(StringRef key, ArrayRef<StringRef> words);
  Error makeFields();
  Error makePointCount();
  /// Every value of a row but padding; by row, or field after field.
  void makeColumns(bool isByColumn);
  Error readText(std::vector<char> &rows);
  Error expandCompressed(std::vector<char> &rows);

  StringRef file, rest;
  SmallVector<std::string> names, types, data;
  SmallVector<uint64_t> sizes, counts, width, height, points;
  std::vector<Field> fields;
  std::vector<Column> columns;
  uint64_t numPoints = 0, rowBytes = 0;
};
} // namespace

/// Values in a row, over all fields: histograms have a few hundred.
static constexpr uint64_t maxValues = 1 << 16;
/// PCL's name for bytes that only align the next field.
static constexpr StringLiteral padding("_");

Error PcdParser::parseLine(StringRef key, ArrayRef<StringRef> words) {
  auto takeWords = [&](SmallVector<std::string> &to) {
    to.clear();
    for (StringRef word : words)
      to.push_back(word.str());
    return Error::success();
  };
  auto takeNumbers = [&](SmallVector<uint64_t> &to) -> Error {
    to.clear();
    for (StringRef word : words)
      if (word.getAsInteger(10, to.emplace_back()))
        return makeFileError(file, "expected a number after '{0}', found {1}",
                             key, quote(word));
    return Error::success();
  };
  if (key == "FIELDS" || key == "COLUMNS")
    return takeWords(names);
  if (key == "TYPE")
    return takeWords(types);
  if (key == "DATA")
    return takeWords(data);
  if (key == "SIZE")
    return takeNumbers(sizes);
  if (key == "COUNT")
    return takeNumbers(counts);
  if (key == "WIDTH")
    return takeNumbers(width);
  if (key == "HEIGHT")
    return takeNumbers(height);
  if (key == "POINTS")
    return takeNumbers(points);
  if (key == "VERSION" || key == "VIEWPOINT")
    return Error::success();
  return makeFileError(file, "unknown line in the PCD header: {0}", quote(key));
}

Error PcdParser::parseHeader() {
  if (rest.empty())
    return makeFileError(file, "expected a PCD file, found an empty one");
  bool isFirst = true;
  while (data.empty()) {
    std::optional<StringRef> line = takeLine(rest);
    if (!line)
      return makeFileError(file, isFirst ? "not a PCD file"
                                         : "truncated: the PCD header has no "
                                           "'DATA' line");
    SmallVector<StringRef, 8> words;
    SplitString(*line, words);
    if (words.empty() || words[0].starts_with("#")) {
      isFirst = false;
      continue;
    }
    if (Error error = parseLine(words[0], ArrayRef(words).drop_front())) {
      if (!isFirst)
        return error;
      consumeError(std::move(error));
      return makeFileError(file, "not a PCD file (it begins with {0})",
                           quote(*line));
    }
    isFirst = false;
    if (words[0] == "DATA" && data.size() != 1)
      return makeFileError(file, "expected 'DATA ascii|binary|"
                                 "binary_compressed'");
  }
  return Error::success();
}

static std::optional<ScalarType> getScalarType(StringRef type, uint64_t size) {
  if (!isPowerOf2_64(size) || size > 8 || type.size() != 1)
    return std::nullopt;
  unsigned log = Log2_64(size);
  static constexpr ScalarType integers[] = {ScalarType::I8, ScalarType::I16,
                                            ScalarType::I32, ScalarType::I64};
  static constexpr ScalarType naturals[] = {ScalarType::U8, ScalarType::U16,
                                            ScalarType::U32, ScalarType::U64};
  if (type == "I")
    return integers[log];
  if (type == "U")
    return naturals[log];
  if (type == "F" && size >= 4)
    return size == 4 ? ScalarType::F32 : ScalarType::F64;
  return std::nullopt;
}

Error PcdParser::makeFields() {
  if (names.empty())
    return makeFileError(file, "the PCD header has no 'FIELDS'");
  if (counts.empty())
    counts.assign(names.size(), 1);
  if (sizes.size() != names.size() || types.size() != names.size() ||
      counts.size() != names.size())
    return makeFileError(file,
                         "the PCD header names {0} fields but has {1} SIZE, "
                         "{2} TYPE and {3} COUNT values",
                         names.size(), sizes.size(), types.size(),
                         counts.size());
  uint64_t values = 0;
  for (auto [name, type, size, count] : zip(names, types, sizes, counts)) {
    std::optional<ScalarType> scalar = getScalarType(type, size);
    if (!scalar)
      return makeFileError(file,
                           "field {0}: expected TYPE I or U with SIZE 1, 2, 4, "
                           "8, or F with 4, 8; found {1} with {2}",
                           quote(name), quote(type), size);
    if (count > maxValues || (values += count) > maxValues)
      return makeFileError(file, "a PCD row has more than {0} values",
                           maxValues);
    fields.push_back({name, *scalar, count});
    rowBytes += size * count;
  }
  return Error::success();
}

Error PcdParser::makePointCount() {
  if (width.size() > 1 || height.size() > 1 || points.size() > 1 ||
      (width.empty() && points.empty()))
    return makeFileError(file, "expected one number after each of 'WIDTH', "
                               "'HEIGHT' and 'POINTS' in the PCD header");
  std::optional<uint64_t> area;
  if (!width.empty())
    area =
        checkedMulUnsigned(width[0], height.empty() ? uint64_t(1) : height[0]);
  if (!width.empty() && (!area || (!points.empty() && points[0] != *area)))
    return makeFileError(file,
                         "the PCD header has POINTS {0} but WIDTH {1} times "
                         "HEIGHT {2}",
                         points.empty() ? 0 : points[0], width[0],
                         height.empty() ? 1 : height[0]);
  numPoints = points.empty() ? *area : points[0];
  if (rowBytes == 0 || !checkedMulUnsigned(numPoints, rowBytes) ||
      numPoints * rowBytes > INT64_MAX)
    return makeFileError(file, "{0} points of {1} bytes are not possible",
                         numPoints, rowBytes);
  return Error::success();
}

void PcdParser::makeColumns(bool isByColumn) {
  uint64_t offset = 0;
  for (const Field &field : fields) {
    uint64_t size = getByteWidth(field.type);
    for (uint64_t i = 0; i < field.count && field.name != padding; ++i) {
      Column column;
      column.name = field.count == 1 ? field.name
                                     : formatv("{0}[{1}]", field.name, i).str();
      column.type = field.type;
      column.offset = offset + i * size;
      column.step = isByColumn ? size * field.count : rowBytes;
      column.isPackedColour =
          size == 4 && (column.name == "rgb" || column.name == "rgba");
      columns.push_back(std::move(column));
    }
    offset += size * field.count * (isByColumn ? numPoints : 1);
  }
}

Error PcdParser::readText(std::vector<char> &rows) {
  uint64_t values = 0;
  for (const Field &field : fields)
    values += field.count;
  // A value takes a digit and a blank, but for the last of the file.
  if (numPoints > rest.size() / values)
    return makeFileError(file,
                         "truncated: {0} points of {1} values do not fit the "
                         "{2} bytes that are left",
                         numPoints, values, rest.size());
  rows.resize(numPoints * rowBytes);
  TextRows text(file, rest);
  char *to = rows.data();
  for (uint64_t row = 0; row < numPoints; ++row)
    for (const Field &field : fields)
      for (uint64_t i = 0; i < field.count; ++i) {
        if (Error error = text.read(field.type, field.name, row, to))
          return error;
        to += getByteWidth(field.type);
      }
  if (StringRef word = text.next(); !word.empty())
    return makeFileError(file, "expected {0} rows of text, found more: {1}",
                         numPoints, quote(word));
  return Error::success();
}

Error PcdParser::expandCompressed(std::vector<char> &rows) {
  if (rest.size() < 8)
    return makeFileError(file, "truncated in the sizes of the compressed data");
  uint64_t packedBytes = support::endian::read32le(rest.data());
  uint64_t bytes = support::endian::read32le(rest.data() + 4);
  rest = rest.drop_front(8);
  if (packedBytes > rest.size())
    return makeFileError(file,
                         "truncated: expected {0} bytes of compressed data, "
                         "found {1}",
                         packedBytes, rest.size());
  if (bytes != numPoints * rowBytes)
    return makeFileError(file,
                         "expected {0} bytes for {1} points, the compressed "
                         "data claims {2}",
                         numPoints * rowBytes, numPoints, bytes);
  // Three bytes of LZF give at most 264, so a small file cannot ask for much
  // memory.
  if (bytes / 88 <= packedBytes) {
    rows.resize(bytes);
    if (bytes == 0 ||
        lzf_decompress(rest.data(), packedBytes, rows.data(), bytes) == bytes)
      return Error::success();
  }
  return makeFileError(file,
                       "the compressed data is damaged: it does not expand to "
                       "{0} bytes",
                       bytes);
}

Expected<Scan> PcdParser::parse() {
  if (Error error = parseHeader())
    return error;
  if (Error error = makeFields())
    return error;
  if (Error error = makePointCount())
    return error;

  StringRef mode = data.front();
  makeColumns(/*isByColumn=*/mode == "binary_compressed");
  std::vector<char> rows;
  if (mode == "ascii") {
    if (Error error = readText(rows))
      return error;
  } else if (mode == "binary_compressed") {
    if (Error error = expandCompressed(rows))
      return error;
  } else if (mode != "binary") {
    return makeFileError(file,
                         "expected 'DATA ascii|binary|binary_compressed', "
                         "found {0}",
                         quote(mode));
  } else if (rest.size() < numPoints * rowBytes) {
    return makeFileError(file,
                         "truncated: expected {0} points of {1} bytes, found "
                         "{2} bytes",
                         numPoints, rowBytes, rest.size());
  }
  return gatherColumns(
      file, mode == "binary" ? rest.data() : rows.data(), numPoints, columns,
      mode == "ascii" ? endianness::native : endianness::little);
}

Expected<Scan> parsePcd(MemoryBufferRef buffer) {
  return PcdParser(buffer).parse();
}

} // namespace sparseconv::detail
