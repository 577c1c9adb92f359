//===- Npy.cpp - numpy arrays in files ------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is parsed here: the C++ libraries for .npy files trust its sizes,
// and end the program or throw where it is wrong.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Npy.h"
#include "Bytes.h"
#include "sparseconv/IO/File.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/bit.h"
#include <cstring>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

static constexpr StringLiteral magic("\x93NUMPY");

namespace {
/// What the header's dictionary says.
struct Header {
  ElementKind kind = ElementKind::F32;
  bool isBigEndian = false;
  bool isFortran = false;
  SmallVector<int64_t, 4> shape;
};

/// Parses the Python dictionary literal in an .npy header. Keys come in any
/// order; a Python 2 long ('3L') is a number.
class HeaderParser {
public:
  HeaderParser(StringRef file, StringRef text) : file(file), rest(text) {}
  Expected<Header> parse();

private:
  Error expected(const Twine &what) {
    return makeFileError(file, "expected {0} in the .npy header, found {1}",
                         what.str(), rest.empty() ? "its end" : quote(rest));
  }
  /// Skips blanks, then takes `token` if it comes next.
  bool consume(StringRef token) {
    rest = rest.ltrim(" \t\r\n");
    return rest.consume_front(token);
  }
  Expected<StringRef> parseString();
  Error parseType(Header &header);
  Error parseOrder(Header &header);
  Error parseShape(Header &header);

  StringRef file, rest;
};
} // namespace

Expected<StringRef> HeaderParser::parseString() {
  for (StringRef mark : {"'", "\""})
    if (consume(mark)) {
      size_t end = rest.find(mark);
      if (end == StringRef::npos)
        return expected("the end of a string");
      StringRef text = rest.take_front(end);
      rest = rest.drop_front(end + 1);
      return text;
    }
  return expected("a string");
}

Error HeaderParser::parseType(Header &header) {
  if (consume("["))
    return makeFileError(file, "structured element types are not supported");
  Expected<StringRef> parsed = parseString();
  if (!parsed)
    return parsed.takeError();
  StringRef text = *parsed;
  bool isNamed = text == "bfloat16";
  // '=' is the order of the machine that wrote the file: little-endian, as
  // every machine we know of in this use.
  header.isBigEndian = text.starts_with(">");
  StringRef letter = isNamed ? text : text.drop_front(!text.empty());
  bool hasOrder =
      isNamed || (!text.empty() && StringRef("<>|=").contains(text[0]));
  std::optional<ElementKind> kind =
      StringSwitch<std::optional<ElementKind>>(letter)
          .Case("b1", ElementKind::I1)
          .Case("i1", ElementKind::I8)
          .Case("u1", ElementKind::U8)
          .Case("i2", ElementKind::I16)
          .Case("i4", ElementKind::I32)
          .Case("i8", ElementKind::I64)
          .Case("f2", ElementKind::F16)
          .Case("f4", ElementKind::F32)
          .Case("f8", ElementKind::F64)
          .Cases({"V2", "bfloat16"}, ElementKind::BF16)
          .Default(std::nullopt);
  if (!kind || !hasOrder)
    return makeFileError(file,
                         "unsupported element type {0}; expected one of b1, "
                         "i1, u1, i2, i4, i8, f2, f4, f8, V2 (bf16)",
                         quote(text));
  header.kind = *kind;
  return Error::success();
}

Error HeaderParser::parseOrder(Header &header) {
  if (consume("True"))
    header.isFortran = true;
  else if (consume("False"))
    header.isFortran = false;
  else
    return expected("True or False");
  return Error::success();
}

Error HeaderParser::parseShape(Header &header) {
  if (!consume("("))
    return expected("'(' before the shape");
  while (!consume(")")) {
    uint64_t size;
    rest = rest.ltrim(" \t\r\n");
    StringRef digits = rest.take_while(isDigit);
    if (digits.getAsInteger(10, size) || size > INT64_MAX)
      return expected("a size below 2^63");
    rest = rest.drop_front(digits.size());
    consume("L");
    header.shape.push_back(static_cast<int64_t>(size));
    if (consume(")"))
      break;
    if (!consume(","))
      return expected("',' or ')' in the shape");
  }
  return Error::success();
}

Expected<Header> HeaderParser::parse() {
  Header header;
  bool hasType = false, hasOrder = false, hasShape = false;
  if (!consume("{"))
    return expected("'{'");
  while (!consume("}")) {
    Expected<StringRef> key = parseString();
    if (!key)
      return key.takeError();
    if (!consume(":"))
      return expected("':'");
    bool *seen = StringSwitch<bool *>(*key)
                     .Case("descr", &hasType)
                     .Case("fortran_order", &hasOrder)
                     .Case("shape", &hasShape)
                     .Default(nullptr);
    if (!seen || *seen)
      return makeFileError(file, "{0} key {1} in the .npy header",
                           seen ? "repeated" : "unknown", quote(*key));
    *seen = true;
    if (Error error = seen == &hasType    ? parseType(header)
                      : seen == &hasOrder ? parseOrder(header)
                                          : parseShape(header))
      return error;
    if (consume("}"))
      break;
    if (!consume(","))
      return expected("',' or '}'");
  }
  if (!rest.trim(" \t\r\n").empty())
    return expected("nothing after '}'");
  if (!hasType || !hasOrder || !hasShape)
    return makeFileError(file, "the .npy header has no '{0}'",
                         !hasType    ? "descr"
                         : !hasOrder ? "fortran_order"
                                     : "shape");
  return header;
}

/// Copies elements that are stored first axis fastest into row-major order.
static void transposeFortran(const HostTensor &source, HostTensor &result) {
  ArrayRef<int64_t> shape = result.getShape();
  unsigned width = getByteWidth(result.getKind());
  SmallVector<int64_t> strides(shape.size());
  int64_t count = 1;
  for (auto [stride, size] : zip(strides, shape)) {
    stride = count;
    count *= size;
  }
  SmallVector<int64_t> index(shape.size());
  int64_t from = 0;
  for (int64_t to = 0; to < count; ++to) {
    std::memcpy(result.getData() + to * width, source.getData() + from * width,
                width);
    for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
      from += strides[axis];
      if (++index[axis] < shape[axis])
        break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
}

/// Splits the buffer into header text and data.
static Expected<StringRef> splitHeader(StringRef file, StringRef &data) {
  if (data.empty())
    return makeFileError(file, "expected an .npy file, found an empty one");
  if (!data.consume_front(magic))
    return makeFileError(file, "not an .npy file (wrong magic bytes)");
  if (data.size() < 2)
    return makeFileError(file, "truncated before the .npy format version");
  unsigned version = static_cast<uint8_t>(data[0]);
  if (version < 1 || version > 3)
    return makeFileError(file, "expected .npy version 1, 2 or 3, found {0}",
                         version);
  data = data.drop_front(2);
  size_t lengthBytes = version == 1 ? 2 : 4;
  if (data.size() < lengthBytes)
    return makeFileError(file, "truncated in the length of the .npy header");
  uint64_t length = version == 1 ? support::endian::read16le(data.data())
                                 : support::endian::read32le(data.data());
  data = data.drop_front(lengthBytes);
  if (data.size() < length)
    return makeFileError(file,
                         "expected an .npy header of {0} bytes, found {1}",
                         length, data.size());
  StringRef header = data.take_front(length);
  data = data.drop_front(length);
  return header;
}

Expected<HostTensor> sparseconv::parseNpy(MemoryBufferRef buffer) {
  StringRef file = buffer.getBufferIdentifier();
  StringRef data = buffer.getBuffer();
  Expected<StringRef> text = splitHeader(file, data);
  if (!text)
    return text.takeError();
  Expected<Header> header = HeaderParser(file, *text).parse();
  if (!header)
    return header.takeError();

  std::optional<uint64_t> bytes = getTensorBytes(header->kind, header->shape);
  if (!bytes)
    return makeFileError(file, "the shape {0} has more bytes than 2^63",
                         getShapeString(header->shape));
  if (data.size() != *bytes)
    return makeFileError(
        file, "expected {0} bytes of data for {1} elements of {2}, found {3}",
        *bytes, getShapeString(header->shape), getName(header->kind),
        data.size());

  Expected<HostTensor> tensor = makeTensor(file, header->kind, header->shape);
  if (!tensor)
    return tensor;
  if (!data.empty())
    std::memcpy(tensor->getData(), data.data(), data.size());
  if (header->isBigEndian)
    swapBytes({tensor->getData(), tensor->getNumBytes()},
              getByteWidth(header->kind));
  normaliseBools(*tensor);
  if (!header->isFortran || tensor->getRank() < 2)
    return tensor;
  Expected<HostTensor> result = makeTensor(file, header->kind, header->shape);
  if (result)
    transposeFortran(*tensor, *result);
  return result;
}

Expected<HostTensor> sparseconv::readNpy(StringRef path) {
  return parseFile(path, parseNpy);
}

static StringRef getDescriptor(ElementKind kind) {
  switch (kind) {
  case ElementKind::I1:
    return "|b1";
  case ElementKind::I8:
    return "|i1";
  case ElementKind::U8:
    return "|u1";
  case ElementKind::I16:
    return "<i2";
  case ElementKind::I32:
    return "<i4";
  case ElementKind::I64:
    return "<i8";
  case ElementKind::F16:
    return "<f2";
  case ElementKind::BF16:
    return "<V2";
  case ElementKind::F32:
    return "<f4";
  case ElementKind::F64:
    return "<f8";
  }
  llvm_unreachable("unknown element kind");
}

std::string sparseconv::getNpyHeader(const HostTensor &tensor) {
  std::string text;
  raw_string_ostream os(text);
  os << "{'descr': '" << getDescriptor(tensor.getKind())
     << "', 'fortran_order': False, 'shape': (";
  interleave(tensor.getShape(), os, ", ");
  os << (tensor.getRank() == 1 ? ",), }" : "), }");

  // The data begins at a multiple of 64 bytes; a newline ends the header.
  bool isLong = text.size() + 64 > UINT16_MAX;
  size_t before = magic.size() + 2 + (isLong ? 4 : 2);
  text.append(alignTo(before + text.size() + 1, 64) - before - text.size() - 1,
              ' ');
  text += '\n';

  std::string result = magic.str();
  result += isLong ? '\2' : '\1';
  result += '\0';
  char length[4];
  support::endian::write32le(length, text.size());
  result.append(length, isLong ? 4 : 2);
  return result + text;
}

Error sparseconv::writeNpy(StringRef path, const HostTensor &tensor) {
  return writeFile(path, [&](raw_ostream &os) {
    os << getNpyHeader(tensor);
    os.write(tensor.getData(), tensor.getNumBytes());
    return Error::success();
  });
}
