//===- Npz.cpp - archives of numpy arrays ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/Npz.h"
#include "Bytes.h"
#include "Zip.h"
#include "sparseconv/IO/File.h"
#include "sparseconv/IO/Npy.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/EndianStream.h"

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

static constexpr StringLiteral suffix(".npy");

Expected<NamedTensors> sparseconv::parseNpz(MemoryBufferRef buffer) {
  StringRef file = buffer.getBufferIdentifier();
  Expected<std::vector<ZipMember>> members = readZipDirectory(buffer);
  if (!members)
    return members.takeError();

  NamedTensors tensors;
  StringSet<> seen;
  for (const ZipMember &member : *members) {
    StringRef name = member.name;
    if (!name.consume_back(suffix))
      return makeFileError(file, "member {0} is not an .npy array",
                           quote(member.name));
    if (Error error = checkDistinct(file, seen, name))
      return error;
    Expected<std::vector<char>> bytes = extractZipMember(file, member);
    if (!bytes)
      return bytes.takeError();
    std::string where = (file + "(" + member.name + ")").str();
    Expected<HostTensor> tensor = parseNpy(
        MemoryBufferRef(StringRef(bytes->data(), bytes->size()), where));
    if (!tensor)
      return tensor.takeError();
    tensors.push_back({name.str(), std::move(*tensor)});
  }
  return tensors;
}

Expected<NamedTensors> sparseconv::readNpz(StringRef path) {
  return parseFile(path, parseNpz);
}

namespace {
/// Writes stored members and remembers what the directory needs. Every record
/// carries 64-bit sizes, which is the same code for small and large archives.
class ArchiveWriter {
public:
  explicit ArchiveWriter(raw_ostream &os)
      : os(os), out(os, endianness::little) {}

  void write(StringRef name, StringRef header, StringRef data);
  void finish();

private:
  struct Entry {
    std::string name;
    uint64_t offset, bytes;
    uint32_t crc;
  };

  /// The fields that local and central records share, up to the file name.
  void writeCommon(const Entry &entry, uint16_t extraBytes);

  raw_ostream &os;
  support::endian::Writer out;
  uint64_t offset = 0;
  std::vector<Entry> entries;
};
} // namespace

/// Version 4.5 of the format brought zip64.
static constexpr uint16_t neededVersion = 45;
/// Bit 11: names are UTF-8.
static constexpr uint16_t flags = 1 << 11;
/// 1 January 1980, the format's zero.
static constexpr uint16_t date = (1 << 5) | 1;
static constexpr uint16_t localExtraBytes = 4 + 16, centralExtraBytes = 4 + 24;

void ArchiveWriter::writeCommon(const Entry &entry, uint16_t extraBytes) {
  out.write<uint16_t>(neededVersion);
  out.write<uint16_t>(flags);
  out.write<uint16_t>(0); // stored
  out.write<uint16_t>(0); // midnight
  out.write<uint16_t>(date);
  out.write<uint32_t>(entry.crc);
  out.write<uint32_t>(UINT32_MAX);
  out.write<uint32_t>(UINT32_MAX);
  out.write<uint16_t>(entry.name.size());
  out.write<uint16_t>(extraBytes);
}

void ArchiveWriter::write(StringRef name, StringRef header, StringRef data) {
  Entry entry{(name + suffix).str(), offset, header.size() + data.size(),
              getCrc({header, data})};
  out.write<uint32_t>(zip::localMagic);
  writeCommon(entry, localExtraBytes);
  os << entry.name;
  out.write<uint16_t>(zip::zip64Field);
  out.write<uint16_t>(localExtraBytes - 4);
  out.write<uint64_t>(entry.bytes);
  out.write<uint64_t>(entry.bytes);
  os << header << data;
  offset += zip::localBytes + entry.name.size() + localExtraBytes + entry.bytes;
  entries.push_back(std::move(entry));
}

void ArchiveWriter::finish() {
  uint64_t directoryBytes = 0;
  for (const Entry &entry : entries) {
    out.write<uint32_t>(zip::centralMagic);
    out.write<uint16_t>(neededVersion);
    writeCommon(entry, centralExtraBytes);
    out.write<uint16_t>(0); // comment
    out.write<uint16_t>(0); // disk
    out.write<uint16_t>(0); // internal attributes
    out.write<uint32_t>(0); // external attributes
    out.write<uint32_t>(UINT32_MAX);
    os << entry.name;
    out.write<uint16_t>(zip::zip64Field);
    out.write<uint16_t>(centralExtraBytes - 4);
    out.write<uint64_t>(entry.bytes);
    out.write<uint64_t>(entry.bytes);
    out.write<uint64_t>(entry.offset);
    directoryBytes += zip::centralBytes + entry.name.size() + centralExtraBytes;
  }

  out.write<uint32_t>(zip::end64Magic);
  out.write<uint64_t>(zip::end64Bytes - 12);
  out.write<uint16_t>(neededVersion);
  out.write<uint16_t>(neededVersion);
  out.write<uint32_t>(0);
  out.write<uint32_t>(0);
  out.write<uint64_t>(entries.size());
  out.write<uint64_t>(entries.size());
  out.write<uint64_t>(directoryBytes);
  out.write<uint64_t>(offset);

  out.write<uint32_t>(zip::locator64Magic);
  out.write<uint32_t>(0);
  out.write<uint64_t>(offset + directoryBytes);
  out.write<uint32_t>(1);

  out.write<uint32_t>(zip::endMagic);
  out.write<uint16_t>(0);
  out.write<uint16_t>(0);
  out.write<uint16_t>(UINT16_MAX);
  out.write<uint16_t>(UINT16_MAX);
  out.write<uint32_t>(UINT32_MAX);
  out.write<uint32_t>(UINT32_MAX);
  out.write<uint16_t>(0);
}

Error sparseconv::writeNpz(StringRef path, ArrayRef<NamedTensor> tensors) {
  StringSet<> seen;
  for (const NamedTensor &entry : tensors) {
    if (Error error = checkDistinct(path, seen, entry.name))
      return error;
    if (entry.name.size() + suffix.size() > UINT16_MAX)
      return makeFileError(path, "the name {0} is too long for a zip archive",
                           quote(entry.name));
  }
  return writeFile(path, [&](raw_ostream &os) {
    ArchiveWriter writer(os);
    for (const NamedTensor &entry : tensors)
      writer.write(entry.name, getNpyHeader(entry.tensor),
                   {entry.tensor.getData(), entry.tensor.getNumBytes()});
    writer.finish();
  });
}
