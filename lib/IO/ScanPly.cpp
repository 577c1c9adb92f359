//===- ScanPly.cpp - PLY files --------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bytes.h"
#include "ScanColumns.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace llvm;

namespace sparseconv::detail {

namespace {
struct Property {
  std::string name;
  ScalarType type = ScalarType::F32;
  /// Type of a list's length; none for a scalar.
  std::optional<ScalarType> lengthType;
};

struct Element {
  std::string name;
  uint64_t count = 0;
  std::vector<Property> properties;

  bool hasLists() const {
    return any_of(properties,
                  [](const Property &p) { return p.lengthType.has_value(); });
  }
  /// Bytes of a row, or of its least form where there are lists.
  uint64_t getMinBytes() const {
    uint64_t bytes = 0;
    for (const Property &property : properties)
      bytes += getByteWidth(property.lengthType.value_or(property.type));
    return bytes;
  }
};

class PlyParser {
public:
  explicit PlyParser(MemoryBufferRef buffer)
      : file(buffer.getBufferIdentifier()), rest(buffer.getBuffer()) {}
  Expected<Scan> parse();

private:
  Error parseHeader();
  Error parseLine(StringRef line);
  Error parseProperty(StringRef line, ArrayRef<StringRef> words);

  Error checkRows(const Element &element, uint64_t rowBytes);
  /// Moves past an element's binary rows.
  Error skipBinary(const Element &element);
  /// Copies the scalar properties of binary rows that contain lists.
  Error packBinary(const Element &element, std::vector<char> *rows);
  Error readText(const Element &element, TextRows &text,
                 std::vector<char> *rows);
  Error checkText(const Element *next, TextRows &text);

  StringRef file, rest;
  bool isText = false, hasFormat = false;
  endianness order = endianness::little;
  std::vector<Element> elements;
};
} // namespace

static std::optional<ScalarType> parseScalarType(StringRef name) {
  return StringSwitch<std::optional<ScalarType>>(name)
      .Cases({"char", "int8"}, ScalarType::I8)
      .Cases({"uchar", "uint8"}, ScalarType::U8)
      .Cases({"short", "int16"}, ScalarType::I16)
      .Cases({"ushort", "uint16"}, ScalarType::U16)
      .Cases({"int", "int32"}, ScalarType::I32)
      .Cases({"uint", "uint32"}, ScalarType::U32)
      .Cases({"float", "float32"}, ScalarType::F32)
      .Cases({"double", "float64"}, ScalarType::F64)
      .Default(std::nullopt);
}

Error PlyParser::parseProperty(StringRef line, ArrayRef<StringRef> words) {
  bool isList = words.size() == 5 && words[1] == "list";
  if (elements.empty() || (words.size() != 3 && !isList))
    return makeFileError(file,
                         "expected 'property TYPE NAME' or 'property list "
                         "TYPE TYPE NAME' after an element, found {0}",
                         quote(line));
  Property property;
  property.name = words.back().str();
  std::optional<ScalarType> type = parseScalarType(words[words.size() - 2]);
  if (isList)
    property.lengthType = parseScalarType(words[2]);
  bool hasBadLength = isList && (!property.lengthType ||
                                 *property.lengthType == ScalarType::F32 ||
                                 *property.lengthType == ScalarType::F64);
  if (!type || hasBadLength)
    return makeFileError(file, "unknown type in the PLY header: {0}",
                         quote(line));
  property.type = *type;
  elements.back().properties.push_back(std::move(property));
  return Error::success();
}

Error PlyParser::parseLine(StringRef line) {
  SmallVector<StringRef, 8> words;
  SplitString(line, words);
  if (words.empty() || words[0] == "comment" || words[0] == "obj_info")
    return Error::success();
  if (words[0] == "property")
    return parseProperty(line, words);
  if (words[0] == "element") {
    Element element;
    if (words.size() != 3 || words[2].getAsInteger(10, element.count) ||
        element.count > INT64_MAX)
      return makeFileError(file, "expected 'element NAME COUNT', found {0}",
                           quote(line));
    element.name = words[1].str();
    elements.push_back(std::move(element));
    return Error::success();
  }
  if (words[0] != "format")
    return makeFileError(file, "unknown line in the PLY header: {0}",
                         quote(line));
  isText = words.size() == 3 && words[1] == "ascii";
  bool isBig = words.size() == 3 && words[1] == "binary_big_endian";
  bool isLittle = words.size() == 3 && words[1] == "binary_little_endian";
  if ((!isText && !isBig && !isLittle) || words[2] != "1.0")
    return makeFileError(file,
                         "expected 'format ascii|binary_little_endian|"
                         "binary_big_endian 1.0', found {0}",
                         quote(line));
  order = isBig ? endianness::big : endianness::little;
  hasFormat = true;
  return Error::success();
}

Error PlyParser::parseHeader() {
  if (rest.empty())
    return makeFileError(file, "expected a PLY file, found an empty one");
  std::optional<StringRef> line = takeLine(rest);
  if (!line || *line != "ply")
    return makeFileError(file, "not a PLY file (the first line is not 'ply')");
  while ((line = takeLine(rest))) {
    if (line->trim() == "end_header")
      return hasFormat ? Error::success()
                       : makeFileError(file, "the PLY header has no 'format'");
    if (Error error = parseLine(*line))
      return error;
  }
  return makeFileError(file, "truncated: the PLY header has no 'end_header'");
}

/// Rows of `rowBytes` bytes each must be able to lie in the rest of the file.
Error PlyParser::checkRows(const Element &element, uint64_t rowBytes) {
  std::optional<uint64_t> bytes = checkedMulUnsigned(element.count, rowBytes);
  if (bytes && *bytes <= rest.size())
    return Error::success();
  return makeFileError(file,
                       "truncated: element {0} has {1} rows of at least {2} "
                       "bytes, {3} bytes are left",
                       quote(element.name), element.count, rowBytes,
                       rest.size());
}

Error PlyParser::skipBinary(const Element &element) {
  if (element.hasLists())
    return packBinary(element, nullptr);
  if (Error error = checkRows(element, element.getMinBytes()))
    return error;
  rest = rest.drop_front(element.count * element.getMinBytes());
  return Error::success();
}

/// A list's length; negative ones become too large for any file.
static uint64_t readLength(const char *from, ScalarType type,
                           endianness order) {
  switch (getByteWidth(type)) {
  case 1:
    return type == ScalarType::I8 ? static_cast<int8_t>(*from)
                                  : static_cast<uint8_t>(*from);
  case 2: {
    uint16_t length = support::endian::read<uint16_t>(from, order);
    return type == ScalarType::I16 ? static_cast<int16_t>(length) : length;
  }
  default: {
    uint32_t length = support::endian::read<uint32_t>(from, order);
    return type == ScalarType::I32 ? static_cast<int32_t>(length)
                                   : static_cast<int64_t>(length);
  }
  }
}

Error PlyParser::packBinary(const Element &element, std::vector<char> *rows) {
  if (Error error = checkRows(element, element.getMinBytes()))
    return error;
  for (uint64_t row = 0; row < element.count; ++row)
    for (const Property &property : element.properties) {
      uint64_t width = getByteWidth(property.type), bytes = width;
      if (property.lengthType) {
        uint64_t lengthBytes = getByteWidth(*property.lengthType);
        uint64_t length =
            rest.size() < lengthBytes
                ? UINT64_MAX
                : readLength(rest.data(), *property.lengthType, order);
        bytes =
            length > rest.size() ? UINT64_MAX : lengthBytes + length * width;
      }
      if (bytes > rest.size())
        return makeFileError(file,
                             "truncated in row {0} of element {1}, property "
                             "{2}",
                             row, quote(element.name), quote(property.name));
      if (rows && !property.lengthType)
        rows->insert(rows->end(), rest.begin(), rest.begin() + bytes);
      rest = rest.drop_front(bytes);
    }
  return Error::success();
}

Error PlyParser::readText(const Element &element, TextRows &text,
                          std::vector<char> *rows) {
  // Each value takes a digit and a blank, but for the last of the file.
  if (element.properties.empty())
    return Error::success();
  if (element.count > text.remaining() / element.properties.size())
    return makeFileError(file,
                         "truncated: element {0} has {1} rows, {2} bytes "
                         "are left",
                         quote(element.name), element.count, text.remaining());
  char value[8];
  for (uint64_t row = 0; row < element.count; ++row)
    for (const Property &property : element.properties) {
      if (!property.lengthType) {
        if (Error error = text.read(property.type, property.name, row, value))
          return error;
        if (rows)
          rows->insert(rows->end(), value, value + getByteWidth(property.type));
        continue;
      }
      if (Error error = text.read(ScalarType::U32, property.name, row, value))
        return error;
      for (uint32_t i = support::endian::read32<endianness::native>(value);
           i > 0; --i)
        if (text.next().empty())
          return makeFileError(file,
                               "truncated in row {0} of element {1}, property "
                               "{2}",
                               row, quote(element.name), quote(property.name));
    }
  return Error::success();
}

/// Text behind the vertices: more elements, and nothing else. Rows with more
/// values than the header says would move into one another.
Error PlyParser::checkText(const Element *next, TextRows &text) {
  for (; next != elements.data() + elements.size(); ++next)
    if (Error error = readText(*next, text, nullptr))
      return error;
  if (StringRef word = text.next(); !word.empty())
    return makeFileError(
        file, "has more values than its header says, such as {0}", quote(word));
  return Error::success();
}

Expected<Scan> PlyParser::parse() {
  if (Error error = parseHeader())
    return error;
  const Element *vertices = find_if(elements, [](const Element &e) {
                              return e.name == "vertex";
                            }).base();
  if (vertices == elements.data() + elements.size())
    return makeFileError(file, "the PLY file has no element 'vertex'");

  TextRows text(file, rest);
  for (const Element *e = elements.data(); e != vertices; ++e)
    if (Error error = isText ? readText(*e, text, nullptr) : skipBinary(*e))
      return error;

  std::vector<Column> columns;
  uint64_t rowBytes = 0;
  for (const Property &property : vertices->properties)
    if (!property.lengthType) {
      columns.push_back({property.name, property.type, rowBytes});
      rowBytes += getByteWidth(property.type);
    }
  for (Column &column : columns)
    column.step = rowBytes;

  std::vector<char> packed;
  const char *data = rest.data();
  if (isText) {
    if (Error error = readText(*vertices, text, &packed))
      return error;
    if (Error error = checkText(vertices + 1, text))
      return error;
    order = endianness::native;
    data = packed.data();
  } else if (vertices->hasLists()) {
    if (Error error = packBinary(*vertices, &packed))
      return error;
    data = packed.data();
  } else if (Error error = checkRows(*vertices, rowBytes)) {
    return error;
  } else {
    data = rest.data();
  }
  return gatherColumns(file, data, vertices->count, columns, order);
}

Expected<Scan> parsePly(MemoryBufferRef buffer) {
  return PlyParser(buffer).parse();
}

} // namespace sparseconv::detail
