//===- Safetensors.cpp - safetensors files --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Safetensors.h"
#include "Bytes.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/Support/Json.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <cstring>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

static constexpr StringLiteral metadataKey("__metadata__");

namespace {
struct TypeName {
  ElementKind kind;
  StringLiteral name;
};

struct Entry {
  std::string name;
  ElementKind kind = ElementKind::F32;
  SmallVector<int64_t, 4> shape;
  uint64_t begin = 0, end = 0;
};
} // namespace

static constexpr TypeName typeNames[] = {
    {ElementKind::I1, "BOOL"}, {ElementKind::U8, "U8"},
    {ElementKind::I8, "I8"},   {ElementKind::I16, "I16"},
    {ElementKind::I32, "I32"}, {ElementKind::I64, "I64"},
    {ElementKind::F16, "F16"}, {ElementKind::BF16, "BF16"},
    {ElementKind::F32, "F32"}, {ElementKind::F64, "F64"},
};

/// A list of integers that are not negative.
static std::optional<SmallVector<int64_t, 4>>
getSizes(const json::Array *array) {
  SmallVector<int64_t, 4> sizes;
  if (!array)
    return std::nullopt;
  for (const json::Value &value : *array) {
    std::optional<int64_t> size = value.getAsInteger();
    if (!size || *size < 0)
      return std::nullopt;
    sizes.push_back(*size);
  }
  return sizes;
}

static Expected<Entry> parseEntry(StringRef file, StringRef name,
                                  const json::Value &value,
                                  uint64_t dataBytes) {
  auto fail = [&](const Twine &what) {
    return makeFileError(file, "tensor {0}: expected {1}", quote(name),
                         what.str());
  };
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("an object with dtype, shape and data_offsets");
  Entry entry;
  entry.name = name.str();

  std::optional<StringRef> typeName = object->getString("dtype");
  const TypeName *type = find_if(typeNames, [&](const TypeName &candidate) {
    return typeName && candidate.name == *typeName;
  });
  if (type == std::end(typeNames))
    return fail("a dtype of BOOL, U8, I8, I16, I32, I64, F16, BF16, F32, F64; "
                "found " +
                (typeName ? quote(*typeName) : std::string("none")));
  entry.kind = type->kind;

  auto shape = getSizes(object->getArray("shape"));
  if (!shape)
    return fail("'shape' to be a list of sizes");
  entry.shape = *shape;
  auto offsets = getSizes(object->getArray("data_offsets"));
  if (!offsets || offsets->size() != 2 || (*offsets)[0] > (*offsets)[1])
    return fail("'data_offsets' to be [begin, end]");
  entry.begin = (*offsets)[0];
  entry.end = (*offsets)[1];
  if (entry.end > dataBytes)
    return fail(formatv("its data to end by byte {0} of the data, found {1} "
                        "(truncated file?)",
                        dataBytes, entry.end)
                    .str());
  std::optional<uint64_t> bytes = getTensorBytes(entry.kind, entry.shape);
  if (!bytes || *bytes != entry.end - entry.begin)
    return fail(
        formatv("{0} bytes for {1} elements of {2}, found {3}",
                bytes ? std::to_string(*bytes) : std::string("over 2^63"),
                getShapeString(entry.shape), getName(entry.kind),
                entry.end - entry.begin)
            .str());
  return entry;
}

/// The header's entries in the order of their data, which they cover.
static Expected<std::vector<Entry>> parseHeader(StringRef file, StringRef text,
                                                uint64_t dataBytes) {
  Expected<json::Value> json = parseJson(text);
  if (!json)
    return makeFileError(file, "the safetensors header is not JSON: {0}",
                         toString(json.takeError()));
  const json::Object *object = json->getAsObject();
  if (!object)
    return makeFileError(file, "the safetensors header is not a JSON object");

  std::vector<Entry> entries;
  for (const auto &[key, value] : *object) {
    if (StringRef(key) == metadataKey)
      continue;
    Expected<Entry> entry = parseEntry(file, key, value, dataBytes);
    if (!entry)
      return entry.takeError();
    entries.push_back(std::move(*entry));
  }
  llvm::sort(entries, [](const Entry &a, const Entry &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  uint64_t covered = 0;
  for (const Entry &entry : entries) {
    if (entry.begin != covered)
      return makeFileError(
          file, "tensor {0}: expected its data to begin at byte {1}, found {2}",
          quote(entry.name), covered, entry.begin);
    covered = entry.end;
  }
  if (covered != dataBytes)
    return makeFileError(file, "expected {0} bytes of data, found {1}", covered,
                         dataBytes);
  return entries;
}

Expected<NamedTensors> sparseconv::parseSafetensors(MemoryBufferRef buffer) {
  StringRef file = buffer.getBufferIdentifier(), data = buffer.getBuffer();
  if (data.empty())
    return makeFileError(file,
                         "expected a safetensors file, found an empty one");
  if (data.size() < 8)
    return makeFileError(file, "truncated in the safetensors header length");
  uint64_t length = support::endian::read64le(data.data());
  data = data.drop_front(8);
  if (length > data.size())
    return makeFileError(file,
                         "expected a safetensors header of {0} bytes, found "
                         "{1}",
                         length, data.size());
  StringRef header = data.take_front(length);
  data = data.drop_front(length);
  Expected<std::vector<Entry>> entries = parseHeader(file, header, data.size());
  if (!entries)
    return entries.takeError();

  NamedTensors tensors;
  for (Entry &entry : *entries) {
    HostTensor tensor(entry.kind, entry.shape);
    if (entry.end != entry.begin)
      std::memcpy(tensor.getData(), data.data() + entry.begin,
                  entry.end - entry.begin);
    normaliseBools(tensor);
    tensors.push_back({std::move(entry.name), std::move(tensor)});
  }
  return tensors;
}

Expected<NamedTensors> sparseconv::readSafetensors(StringRef path) {
  return parseFile(path, parseSafetensors);
}

Error sparseconv::writeSafetensors(StringRef path,
                                   ArrayRef<NamedTensor> tensors) {
  // Names first: the header's writer has to be closed once it is opened.
  StringSet<> seen;
  for (const NamedTensor &entry : tensors) {
    StringRef name = entry.name;
    if (Error error = checkDistinct(path, seen, name))
      return error;
    if (name == metadataKey || !json::isUTF8(name))
      return makeFileError(path, "{0} cannot name a tensor", quote(name));
  }

  std::string header;
  raw_string_ostream headerStream(header);
  json::OStream json(headerStream);
  uint64_t offset = 0;
  json.objectBegin();
  for (const NamedTensor &entry : tensors) {
    const HostTensor &tensor = entry.tensor;
    const TypeName *type = find_if(typeNames, [&](const TypeName &candidate) {
      return candidate.kind == tensor.getKind();
    });
    json.attributeObject(entry.name, [&] {
      json.attribute("dtype", type->name);
      json.attributeArray("shape", [&] {
        for (int64_t size : tensor.getShape())
          json.value(size);
      });
      json.attributeArray("data_offsets", [&] {
        json.value(static_cast<int64_t>(offset));
        offset += tensor.getNumBytes();
        json.value(static_cast<int64_t>(offset));
      });
    });
  }
  json.objectEnd();
  json.flush();
  header.append(alignTo(header.size(), 8) - header.size(), ' ');

  return writeFile(path, [&](raw_ostream &os) {
    char length[8];
    support::endian::write64le(length, header.size());
    os.write(length, sizeof(length));
    os << header;
    for (const NamedTensor &entry : tensors)
      os.write(entry.tensor.getData(), entry.tensor.getNumBytes());
    return Error::success();
  });
}
