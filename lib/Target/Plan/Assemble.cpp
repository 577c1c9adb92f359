//===- Assemble.cpp - machine code for plans ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/Assemble.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"

using namespace llvm;
namespace plan = ::sparseconv::plan;

Expected<std::string> mlir::sparseconv::findAssembler(StringRef name) {
  ErrorOr<std::string> found = sys::findProgramByName(name);
  if (!found)
    found = sys::findProgramByName(name, {"/usr/local/cuda/bin"});
  if (!found)
    return createStringError(found.getError(),
                             "no program '" + name + "' to assemble PTX with");
  return *found;
}

/// A temporary file that is removed with the object.
static Expected<std::string> createFile(StringRef suffix,
                                        std::unique_ptr<FileRemover> &remover) {
  SmallString<128> path;
  if (std::error_code error =
          sys::fs::createTemporaryFile("sparseconv", suffix, path))
    return createStringError(error, "no temporary file: " + error.message());
  remover = std::make_unique<FileRemover>(path);
  return std::string(path);
}

static Error write(StringRef path, StringRef text) {
  std::error_code error;
  raw_fd_ostream os(path, error);
  os << text;
  os.close();
  if (!error)
    error = os.error();
  return error ? createStringError(error, path + ": " + error.message())
               : Error::success();
}

static Expected<std::string> read(StringRef path) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> file = MemoryBuffer::getFile(path);
  if (!file)
    return createStringError(file.getError(),
                             path + ": " + file.getError().message());
  return (*file)->getBuffer().str();
}

static Expected<std::string> assemble(StringRef program, StringRef chip,
                                      StringRef ptx) {
  std::unique_ptr<FileRemover> removers[3];
  std::string paths[3];
  StringRef suffixes[] = {"ptx", "cubin", "log"};
  for (int i = 0; i < 3; ++i) {
    Expected<std::string> path = createFile(suffixes[i], removers[i]);
    if (!path)
      return path.takeError();
    paths[i] = *path;
  }
  if (Error error = write(paths[0], ptx))
    return error;
  std::string architecture = ("-arch=" + chip).str(), message;
  StringRef arguments[] = {program, architecture, "-o", paths[1], paths[0]};
  std::optional<StringRef> redirects[] = {StringRef(), paths[2], paths[2]};
  int status =
      sys::ExecuteAndWait(program, arguments, /*Env=*/std::nullopt, redirects,
                          /*SecondsToWait=*/0, /*MemoryLimit=*/0, &message);
  if (status != 0) {
    Expected<std::string> log = read(paths[2]);
    if (log)
      message += *log;
    else
      consumeError(log.takeError());
    StringRef reason = StringRef(message).rtrim();
    return createStringError(
        program + " for " + chip + ": " +
        (reason.empty() ? "ended with status " + std::to_string(status)
                        : reason.str()));
  }
  Expected<std::string> code = read(paths[1]);
  if (code && code->empty())
    return createStringError(program + " for " + chip +
                             ": has written no code");
  return code;
}

Error mlir::sparseconv::addMachineCode(plan::Plan &plan, StringRef ptxas,
                                       StringRef chip) {
  Expected<std::string> program = findAssembler(ptxas);
  if (!program)
    return program.takeError();
  for (plan::Module &module : plan.modules) {
    std::vector<plan::Image> assembled;
    for (const plan::Image &image : module.images) {
      if (image.kind != plan::Image::Kind::Ptx)
        continue;
      std::string madeFor = chip.empty() ? image.chip : chip.str();
      Expected<std::string> code = assemble(
          *program, madeFor, StringRef(image.bytes.data(), image.bytes.size()));
      if (!code)
        return code.takeError();
      assembled.push_back(
          {plan::Image::Kind::Cubin, madeFor, plan.keep(std::move(*code))});
    }
    module.images.insert(module.images.begin(), assembled.begin(),
                         assembled.end());
  }
  return Error::success();
}
