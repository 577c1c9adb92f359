//===- Zip.cpp - members of zip archives ----------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "Bytes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include <algorithm>
#include <zlib.h>

using namespace llvm;
using namespace llvm::support::endian;

namespace sparseconv::detail {

namespace {
/// Where the central directory is, from the end record.
struct Directory {
  uint64_t count = 0, bytes = 0, offset = 0;
};
} // namespace

uint32_t getCrc(ArrayRef<StringRef> parts) {
  uint32_t crc = 0;
  // An empty part has no address, which zlib takes as a request to start over.
  for (StringRef part : parts)
    if (!part.empty())
      crc = llvm::crc32(crc, arrayRefFromStringRef(part));
  return crc;
}

/// True when [offset, offset + bytes) lies inside `size` bytes.
static bool isInside(uint64_t offset, uint64_t bytes, uint64_t size) {
  return offset <= size && bytes <= size - offset;
}

/// Replaces what a 32-bit end record cannot say by its 64-bit counterpart.
static Error readZip64End(StringRef file, StringRef data, uint64_t endOffset,
                          Directory &directory) {
  if (endOffset < zip::locator64Bytes)
    return makeFileError(file, "truncated zip64 archive (no locator)");
  const char *locator = data.data() + endOffset - zip::locator64Bytes;
  if (read32le(locator) != zip::locator64Magic)
    return makeFileError(file, "expected a zip64 locator before the zip end "
                               "record");
  uint64_t offset = read64le(locator + 8);
  if (!isInside(offset, zip::end64Bytes, endOffset - zip::locator64Bytes) ||
      read32le(data.data() + offset) != zip::end64Magic)
    return makeFileError(file, "expected a zip64 end record at byte {0}",
                         offset);
  const char *end = data.data() + offset;
  directory.count = read64le(end + 32);
  directory.bytes = read64le(end + 40);
  directory.offset = read64le(end + 48);
  return Error::success();
}

static Expected<Directory> findDirectory(StringRef file, StringRef data) {
  if (data.empty())
    return makeFileError(file, "expected a zip archive, found an empty file");
  if (data.size() < zip::endBytes)
    return makeFileError(file, "not a zip archive (too short)");
  // A comment of at most 65535 bytes may follow the record.
  uint64_t last = data.size() - zip::endBytes;
  uint64_t first = last - std::min<uint64_t>(last, UINT16_MAX);
  std::optional<uint64_t> found;
  for (uint64_t at = last + 1; at-- > first && !found;)
    if (read32le(data.data() + at) == zip::endMagic &&
        at + zip::endBytes + read16le(data.data() + at + 20) == data.size())
      found = at;
  if (!found)
    return makeFileError(file, "not a zip archive, or a truncated one (no end "
                               "record)");

  const char *end = data.data() + *found;
  if (read16le(end + 4) != read16le(end + 6))
    return makeFileError(file, "zip archives in several parts are not "
                               "supported");
  Directory directory{read16le(end + 10), read32le(end + 12),
                      read32le(end + 16)};
  if (directory.count == UINT16_MAX || directory.bytes == UINT32_MAX ||
      directory.offset == UINT32_MAX)
    if (Error error = readZip64End(file, data, *found, directory))
      return error;
  if (!isInside(directory.offset, directory.bytes, *found))
    return makeFileError(
        file, "the zip directory ({0} bytes at byte {1}) passes the end",
        directory.bytes, directory.offset);
  if (directory.count > directory.bytes / zip::centralBytes)
    return makeFileError(file,
                         "the zip directory of {0} bytes cannot hold {1} "
                         "members",
                         directory.bytes, directory.count);
  return directory;
}

/// Fills the fields that say "see the zip64 extra field".
static Error readZip64Sizes(StringRef file, StringRef extra,
                            ZipMember &member) {
  SmallVector<uint64_t *, 3> wide;
  for (uint64_t *field : {&member.bytes, &member.packedBytes, &member.offset})
    if (*field == UINT32_MAX)
      wide.push_back(field);
  if (wide.empty())
    return Error::success();
  while (extra.size() >= 4) {
    uint16_t tag = read16le(extra.data()), size = read16le(extra.data() + 2);
    extra = extra.drop_front(4);
    if (size > extra.size())
      break;
    if (tag == zip::zip64Field && size >= wide.size() * 8) {
      for (auto [index, field] : enumerate(wide))
        *field = read64le(extra.data() + index * 8);
      return Error::success();
    }
    extra = extra.drop_front(size);
  }
  return makeFileError(file, "member {0} has no zip64 sizes",
                       quote(member.name));
}

/// Finds the data behind the member's local record.
static Error locateData(StringRef file, StringRef data, ZipMember &member) {
  if (!isInside(member.offset, zip::localBytes, data.size()) ||
      read32le(data.data() + member.offset) != zip::localMagic)
    return makeFileError(file, "no record of member {0} at byte {1}",
                         quote(member.name), member.offset);
  const char *local = data.data() + member.offset;
  uint64_t begin = member.offset + zip::localBytes + read16le(local + 26) +
                   read16le(local + 28);
  if (!isInside(begin, member.packedBytes, data.size()))
    return makeFileError(file,
                         "truncated: member {0} has {1} bytes at byte {2}, "
                         "the archive has {3}",
                         quote(member.name), member.packedBytes, begin,
                         data.size());
  member.packed = data.substr(begin, member.packedBytes);
  return Error::success();
}

static Error checkNoOverlap(StringRef file, const char *archive,
                            ArrayRef<ZipMember> members) {
  SmallVector<const ZipMember *> sorted(make_pointer_range(members));
  llvm::sort(sorted, [](const ZipMember *a, const ZipMember *b) {
    return a->offset < b->offset;
  });
  for (size_t i = 1; i < sorted.size(); ++i)
    if (sorted[i - 1]->packed.end() > archive + sorted[i]->offset)
      return makeFileError(file, "members {0} and {1} overlap",
                           quote(sorted[i - 1]->name), quote(sorted[i]->name));
  return Error::success();
}

Expected<std::vector<ZipMember>> readZipDirectory(MemoryBufferRef archive) {
  StringRef file = archive.getBufferIdentifier(), data = archive.getBuffer();
  Expected<Directory> directory = findDirectory(file, data);
  if (!directory)
    return directory.takeError();
  StringRef records = data.substr(directory->offset, directory->bytes);
  StringRef contents = data.take_front(directory->offset);

  std::vector<ZipMember> members;
  for (uint64_t index = 0; index < directory->count; ++index) {
    if (records.size() < zip::centralBytes ||
        read32le(records.data()) != zip::centralMagic)
      return makeFileError(file, "the zip directory ends at member {0} of {1}",
                           index, directory->count);
    const char *record = records.data();
    uint64_t nameBytes = read16le(record + 28),
             extraBytes = read16le(record + 30),
             recordBytes = zip::centralBytes + nameBytes + extraBytes +
                           read16le(record + 32);
    if (records.size() < recordBytes)
      return makeFileError(file, "the zip directory ends in member {0} of {1}",
                           index, directory->count);
    ZipMember member;
    member.name = records.substr(zip::centralBytes, nameBytes);
    member.method = read16le(record + 10);
    member.crc = read32le(record + 16);
    member.packedBytes = read32le(record + 20);
    member.bytes = read32le(record + 24);
    member.offset = read32le(record + 42);
    if (read16le(record + 8) & 1)
      return makeFileError(file, "member {0} is encrypted", quote(member.name));
    if (Error error = readZip64Sizes(
            file, records.substr(zip::centralBytes + nameBytes, extraBytes),
            member))
      return error;
    if (Error error = locateData(file, contents, member))
      return error;
    members.push_back(member);
    records = records.drop_front(recordBytes);
  }
  if (Error error = checkNoOverlap(file, data.data(), members))
    return error;
  return members;
}

static Expected<std::vector<char>> inflateMember(StringRef file,
                                                 const ZipMember &member) {
  z_stream stream = {};
  // Negative window bits: raw deflate data, without zlib's own frame.
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
    return makeFileError(file, "zlib cannot start: out of memory");
  llvm::scope_exit cleanUp([&] { inflateEnd(&stream); });

  constexpr uint64_t step = 1 << 30;
  StringRef input = member.packed;
  std::vector<char> output;
  uint64_t filled = 0;
  int status = Z_OK;
  while (status == Z_OK) {
    if (filled == output.size() && filled < member.bytes)
      output.resize(std::min<uint64_t>(
          member.bytes,
          std::max<uint64_t>({4096, 2 * filled, 4 * member.packedBytes})));
    // Data longer than claimed leaves no room and ends in Z_BUF_ERROR.
    uint64_t room = std::min<uint64_t>(output.size() - filled, step);
    uint64_t taken = std::min<uint64_t>(input.size(), step);
    char none;
    stream.next_in =
        reinterpret_cast<Bytef *>(const_cast<char *>(input.data()));
    stream.avail_in = static_cast<uInt>(taken);
    stream.next_out =
        reinterpret_cast<Bytef *>(room ? output.data() + filled : &none);
    stream.avail_out = static_cast<uInt>(room);
    status = inflate(&stream, Z_NO_FLUSH);
    input = input.drop_front(taken - stream.avail_in);
    filled += room - stream.avail_out;
  }
  if (status != Z_STREAM_END)
    return makeFileError(file,
                         "member {0} is not deflate data of {1} bytes ({2} "
                         "bytes came out)",
                         quote(member.name), member.bytes, filled);
  output.resize(filled);
  return output;
}

Expected<std::vector<char>> extractZipMember(StringRef file,
                                             const ZipMember &member) {
  std::vector<char> bytes;
  if (member.method == 0) {
    bytes.assign(member.packed.begin(), member.packed.end());
  } else if (member.method == Z_DEFLATED) {
    Expected<std::vector<char>> inflated = inflateMember(file, member);
    if (!inflated)
      return inflated.takeError();
    bytes = std::move(*inflated);
  } else {
    return makeFileError(file,
                         "member {0} uses compression method {1}; expected 0 "
                         "(stored) or 8 (deflate)",
                         quote(member.name), member.method);
  }
  if (bytes.size() != member.bytes)
    return makeFileError(file, "expected {0} bytes in member {1}, found {2}",
                         member.bytes, quote(member.name), bytes.size());
  uint32_t crc = getCrc(StringRef(bytes.data(), bytes.size()));
  if (crc != member.crc)
    return makeFileError(file,
                         "member {0} is damaged: its CRC-32 is {1:x8}, "
                         "expected {2:x8}",
                         quote(member.name), crc, member.crc);
  return bytes;
}

} // namespace sparseconv::detail
