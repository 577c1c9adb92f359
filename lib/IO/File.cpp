//===- File.cpp - whole files ---------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/IO/File.h"
#include "Bytes.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include <filesystem>

using namespace llvm;
using namespace sparseconv;
using namespace sparseconv::detail;

Expected<std::unique_ptr<MemoryBuffer>>
sparseconv::readFile(llvm::StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer =
      MemoryBuffer::getFile(path, /*IsText=*/false,
                            /*RequiresNullTerminator=*/false,
                            /*IsVolatile=*/true);
  if (!buffer)
    return makeFileError(path, "cannot be read: {0}",
                         buffer.getError().message());
  return std::move(*buffer);
}

/// Runs `write` on an open file. The stream aborts the program when it dies
/// with an unseen error, so the error is taken from it here.
static Error writeTo(int descriptor, bool shouldClose, StringRef path,
                     function_ref<Error(raw_ostream &)> write) {
  raw_fd_ostream stream(descriptor, shouldClose);
  Error written = write(stream);
  if (shouldClose)
    stream.close();
  else
    stream.flush();
  std::error_code error = stream.error();
  stream.clear_error();
  if (written)
    return written;
  if (error)
    return makeFileError(path, "cannot be written: {0}", error.message());
  return Error::success();
}

Error sparseconv::writeFile(StringRef path,
                            function_ref<Error(raw_ostream &)> write) {
  if (path == "-")
    return makeFileError(path, "cannot be written: it names no file; the "
                               "standard output is /dev/stdout");
  sys::fs::file_status status;
  std::error_code missing = sys::fs::status(path, status);
  if (!missing && sys::fs::is_directory(status))
    return makeFileError(path, "cannot be written: is a directory");

  if (!missing && !sys::fs::is_regular_file(status)) {
    int descriptor;
    if (std::error_code error = sys::fs::openFileForWrite(
            path, descriptor, sys::fs::CD_OpenExisting))
      return makeFileError(path, "cannot be written: {0}", error.message());
    return writeTo(descriptor, /*shouldClose=*/true, path, write);
  }

  // A symbolic link stays one: its target is what gets replaced.
  SmallString<128> target(path);
  if (!missing) {
    if (std::error_code error = sys::fs::real_path(path, target))
      return makeFileError(path, "cannot be written: {0}", error.message());
  } else if (sys::fs::is_symlink_file(path)) {
    std::error_code error;
    auto linked = std::filesystem::read_symlink(path.str(), error);
    if (error)
      return makeFileError(path, "cannot be written: {0}", error.message());
    target = sys::path::parent_path(path);
    sys::path::append(target, linked.string());
    if (linked.is_absolute())
      target = linked.string();
  }

  Expected<sys::fs::TempFile> temporary =
      sys::fs::TempFile::create(target + ".%%%%%%.tmp");
  if (!temporary) {
    std::string reason = toString(temporary.takeError());
    return makeFileError(path, "cannot be written: {0}", reason);
  }
  if (Error error = writeTo(temporary->FD, /*shouldClose=*/false, path, write))
    return joinErrors(std::move(error), temporary->discard());
  // What a file hides from others stays hidden.
  if (!missing)
    (void)sys::fs::setPermissions(temporary->TmpName, status.permissions());
  if (Error error = temporary->keep(target)) {
    std::string reason = toString(std::move(error));
    return makeFileError(path, "cannot be written: {0}", reason);
  }
  return Error::success();
}
