//===- Zip.cpp - zip archives ---------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Zip.h"
#include "Bytes.h"
#include "sparseconv/Support/Memory.h"
#include "llvm/Support/raw_ostream.h"
#include <archive.h>
#include <archive_entry.h>
#include <locale.h>

using namespace llvm;

namespace sparseconv::detail {

namespace {
/// libarchive converts names to the locale's encoding. While an object of this
/// lives, that is UTF-8 for this thread.
class Utf8Names {
public:
  Utf8Names()
      : locale(newlocale(LC_CTYPE_MASK, "C.UTF-8", locale_t())),
        before(locale ? uselocale(locale) : locale_t()) {}
  ~Utf8Names() {
    if (!locale)
      return;
    uselocale(before);
    freelocale(locale);
  }
  Utf8Names(const Utf8Names &) = delete;
  Utf8Names &operator=(const Utf8Names &) = delete;

private:
  locale_t locale, before;
};
} // namespace

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// The largest ratio of deflate. An archive that inflates to more has members
/// that share their data.
static constexpr uint64_t maxRatio = 1032;

/// Inflates the member at which `reader` stands. `left` is what the members
/// may still inflate to.
static Error readMember(StringRef file, StringRef name, struct archive *reader,
                        uint64_t &left, std::string &bytes) {
  bytes.clear();
  int status;
  const void *block;
  size_t blockBytes;
  int64_t offset;
  while ((status = archive_read_data_block(reader, &block, &blockBytes,
                                           &offset)) == ARCHIVE_OK) {
    if (blockBytes > left)
      return makeFileError(
          file, "its members inflate to more than {0} times the archive",
          maxRatio);
    left -= blockBytes;
    // A string that has no room ends the process.
    size_t needed = bytes.size() + blockBytes;
    if (needed > bytes.capacity())
      if (Error error = checkMemory(2 * static_cast<int64_t>(needed)))
        return makeFileError(file, "member {0}: {1}", quote(name),
                             toString(std::move(error)));
    bytes.append(static_cast<const char *>(block), blockBytes);
  }
  if (status != ARCHIVE_EOF)
    return makeFileError(file, "member {0} cannot be read: {1}", quote(name),
                         archive_error_string(reader));
  return Error::success();
}

Error readZip(MemoryBufferRef buffer,
              function_ref<Error(StringRef name, StringRef bytes)> visit) {
  StringRef file = buffer.getBufferIdentifier(), data = buffer.getBuffer();
  if (data.empty())
    return makeFileError(file, "expected a zip archive, found an empty file");
  // libarchive does not take the end record alone, an archive of no members.
  if (data.size() == 22 && data.starts_with("PK\5\6"))
    return Error::success();
  std::unique_ptr<struct archive, int (*)(struct archive *)> reader(
      archive_read_new(), archive_read_free);
  if (!reader)
    return makeFileError(file, "no memory to read a zip archive");
  Utf8Names names;
  // The seekable reader goes by the directory, the other by what lies between
  // the members.
  archive_read_support_format_zip_seekable(reader.get());
  if (archive_read_open_memory(reader.get(), data.data(), data.size()) !=
      ARCHIVE_OK)
    return makeFileError(file, "not a zip archive, or a truncated one");

  uint64_t left = maxRatio * data.size();
  std::string bytes;
  struct archive_entry *entry;
  int status;
  while ((status = archive_read_next_header(reader.get(), &entry)) ==
         ARCHIVE_OK) {
    const char *utf8 = archive_entry_pathname_utf8(entry);
    if (!utf8)
      return makeFileError(file, "the name of a member is not UTF-8");
    std::string name = utf8;
    if (archive_entry_is_encrypted(entry))
      return makeFileError(file, "member {0} is encrypted", quote(name));
    if (Error error = readMember(file, name, reader.get(), left, bytes))
      return error;
    if (Error error = visit(name, bytes))
      return error;
  }
  if (status != ARCHIVE_EOF)
    return makeFileError(file, "damaged zip archive: {0}",
                         archive_error_string(reader.get()));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// A failed write is an error of the stream, which its owner looks at.
static la_ssize_t writeToStream(struct archive *, void *stream,
                                const void *bytes, size_t size) {
  static_cast<raw_ostream *>(stream)->write(static_cast<const char *>(bytes),
                                            size);
  return static_cast<la_ssize_t>(size);
}

void ZipWriter::Delete::operator()(archive *handle) const {
  archive_write_free(handle);
}

ZipWriter::ZipWriter(StringRef path, raw_ostream &os)
    : path(path), handle(archive_write_new()) {
  archive_write_set_format_zip(handle.get());
  archive_write_zip_set_compression_store(handle.get());
  archive_write_set_bytes_in_last_block(handle.get(), 1); // no padding
  archive_write_open2(handle.get(), &os, nullptr, writeToStream, nullptr,
                      nullptr);
}

Error ZipWriter::check(int status) {
  if (status == ARCHIVE_OK)
    return Error::success();
  return makeFileError(path, "cannot be written: {0}",
                       archive_error_string(handle.get()));
}

Error ZipWriter::write(StringRef name, ArrayRef<StringRef> parts) {
  Utf8Names names;
  std::unique_ptr<archive_entry, void (*)(archive_entry *)> entry(
      archive_entry_new(), archive_entry_free);
  uint64_t bytes = 0;
  for (StringRef part : parts)
    bytes += part.size();
  archive_entry_set_pathname_utf8(entry.get(), name.str().c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), 0644);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(bytes));
  // 1 January 1980, the format's zero.
  archive_entry_set_mtime(entry.get(), 315532800, 0);
  if (Error error = check(archive_write_header(handle.get(), entry.get())))
    return error;
  for (StringRef part : parts)
    if (archive_write_data(handle.get(), part.data(), part.size()) < 0)
      return check(ARCHIVE_FATAL);
  return check(archive_write_finish_entry(handle.get()));
}

Error ZipWriter::finish() { return check(archive_write_close(handle.get())); }

} // namespace sparseconv::detail
