//===- Api.cpp - the C interface ------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Api.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::runtime;
using std::to_string;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
/// The text of a thread's last failure.
struct LastError {
  std::string text;
  /// Takes the place of `text` where there was no memory for one.
  const char *fixed = nullptr;
};
} // namespace

static LastError &getLastError() {
  static thread_local LastError last;
  return last;
}

int runtime::report(Error error) {
  if (!error)
    return SPARSECONV_OK;
  int code = error.getCode();
  getLastError() = {std::move(error).takeText(), nullptr};
  return code;
}

int runtime::reportOutOfMemory() noexcept {
  getLastError().fixed = "the host has no memory for what the call needs";
  return SPARSECONV_OUT_OF_MEMORY;
}

const char *sparseconv_last_error(void) {
  const LastError &last = getLastError();
  return last.fixed ? last.fixed : last.text.c_str();
}

const char *sparseconv_code_name(int code) {
  static const char *const names[] = {
      "SPARSECONV_OK",
      "SPARSECONV_INVALID_ARGUMENT",
      "SPARSECONV_NO_DRIVER",
      "SPARSECONV_NO_DEVICE",
      "SPARSECONV_DRIVER_TOO_OLD",
      "SPARSECONV_INVALID_PLAN",
      "SPARSECONV_WRONG_CHIP",
      "SPARSECONV_OUT_OF_MEMORY",
      "SPARSECONV_OVER_CAPACITY",
      "SPARSECONV_NOT_READY",
      "SPARSECONV_CUDA_ERROR",
      "SPARSECONV_PROGRAM_ERROR",
      "SPARSECONV_FILE_ERROR",
      "SPARSECONV_REPEAT",
  };
  return code >= 0 && code < int(std::size(names)) ? names[code]
                                                   : "unknown code";
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

int sparseconv_device_count(int *count) {
  return guard([&]() -> Error {
    if (!count)
      return isNull("count");
    return cuda::countDevices(*count);
  });
}

int sparseconv_context_create(int device, sparseconv_context **context) {
  return guard([&]() -> Error {
    if (!context)
      return isNull("context");
    auto result = std::make_unique<sparseconv_context>();
    if (Error error = cuda::createDevice(device, result->impl))
      return error;
    *context = result.release();
    return Error::success();
  });
}

int sparseconv_context_create_cpu(const char *level, int numThreads,
                                  sparseconv_context **context) {
  return guard([&]() -> Error {
    if (!context)
      return isNull("context");
    auto result = std::make_unique<sparseconv_context>();
    if (Error error = openCpu(level ? level : "", numThreads, result->impl))
      return error;
    *context = result.release();
    return Error::success();
  });
}

void sparseconv_context_destroy(sparseconv_context *context) { delete context; }

const char *sparseconv_context_chip(const sparseconv_context *context) {
  return guardGetter<const char *>(nullptr, [&](const char *&chip) -> Error {
    if (!context)
      return isNull("context");
    chip = context->impl->getChip().c_str();
    return Error::success();
  });
}

const char *sparseconv_context_device_name(const sparseconv_context *context) {
  return guardGetter<const char *>(nullptr, [&](const char *&name) -> Error {
    if (!context)
      return isNull("context");
    name = context->impl->getName().c_str();
    return Error::success();
  });
}

int sparseconv_context_trim(sparseconv_context *context) {
  return within(context, [](Device &device) { return device.trim(); });
}

int sparseconv_context_synchronise(sparseconv_context *context) {
  return within(context, [](Device &device) { return device.synchronise(); });
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

static Error tooLarge(uint64_t size) {
  return Error(SPARSECONV_OUT_OF_MEMORY,
               "the host has no memory for a plan of " + to_string(size) +
                   " bytes");
}

Error runtime::copyFile(const void *bytes, uint64_t size, std::string &file) {
  try {
    file.assign(static_cast<const char *>(bytes), size);
  } catch (...) {
    return tooLarge(size);
  }
  return Error::success();
}

/// The bytes of memory that the machine has. More can often be allocated, but
/// to fill it ends the process.
static uint64_t getPhysicalBytes() {
  long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && size > 0 ? uint64_t(pages) * uint64_t(size) : UINT64_MAX;
}

/// Reads a file as far as the plan in it says that it goes, and a byte more
/// where there is one. Files may be without end.
static Error readFile(const char *path, std::string &bytes) {
  auto fail = [&] {
    return Error(SPARSECONV_FILE_ERROR,
                 std::string(path) +
                     ": the file cannot be read: " + std::strerror(errno));
  };
  struct Close {
    void operator()(std::FILE *file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file(std::fopen(path, "rb"));
  if (!file)
    return fail();
  struct stat status;
  bool isWhole =
      fstat(fileno(file.get()), &status) == 0 && S_ISREG(status.st_mode);
  char part[1 << 14];
  uint64_t wanted = sizeof(part);
  while (bytes.size() < wanted) {
    size_t size = std::fread(
        part, 1, std::min<uint64_t>(sizeof(part), wanted - bytes.size()),
        file.get());
    if (size == 0)
      break;
    bytes.append(part, size);
    if (auto stated = plan::getStatedBytes(bytes)) {
      if (isWhole && uint64_t(status.st_size) < *stated)
        return Error(SPARSECONV_INVALID_PLAN,
                     "the plan is " + std::to_string(*stated) +
                         " bytes long, but the file has " +
                         std::to_string(status.st_size))
            .within(path);
      if (*stated >= getPhysicalBytes())
        return tooLarge(*stated).within(path);
      wanted = *stated + 1;
    }
  }
  return std::ferror(file.get()) ? fail() : Error::success();
}

static Error load(sparseconv_context *context, std::string bytes,
                  sparseconv_program **program) {
  auto result = std::make_unique<sparseconv_program>();
  if (Error error = context->impl->load(std::move(bytes), result->impl))
    return error;
  *program = result.release();
  return Error::success();
}

int sparseconv_program_load(sparseconv_context *context, const void *bytes,
                            uint64_t size, sparseconv_program **program) {
  return guard([&]() -> Error {
    if (!context || !program || (!bytes && size))
      return isNull("context, bytes or program");
    std::string file;
    if (Error error = copyFile(bytes, size, file))
      return error;
    return load(context, std::move(file), program);
  });
}

int sparseconv_program_load_file(sparseconv_context *context, const char *path,
                                 sparseconv_program **program) {
  return guard([&]() -> Error {
    if (!context || !path || !program)
      return isNull("context, path or program");
    std::string bytes;
    if (Error error = readFile(path, bytes))
      return error;
    Error error = load(context, std::move(bytes), program);
    return error ? std::move(error).within(path) : std::move(error);
  });
}

void sparseconv_program_destroy(sparseconv_program *program) { delete program; }

int sparseconv_program_bind_constant(sparseconv_program *program,
                                     const char *name, const void *bytes,
                                     uint64_t size) {
  return guard([&]() -> Error {
    if (!program || !name || (!bytes && size))
      return isNull("program, name or bytes");
    return program->impl->bindConstant(
        name, {static_cast<const char *>(bytes), size});
  });
}

int64_t sparseconv_program_num_functions(const sparseconv_program *program) {
  return Owner(program).countFunctions();
}

const char *sparseconv_program_function_name(const sparseconv_program *program,
                                             int64_t index) {
  return Owner(program).getName(index);
}

int sparseconv_program_num_values(const sparseconv_program *program,
                                  const char *function, int64_t *numInputs,
                                  int64_t *numOutputs) {
  return Owner(program).countValues(function, numInputs, numOutputs);
}

int sparseconv_program_input(const sparseconv_program *program,
                             const char *function, int64_t index,
                             sparseconv_value_info *info) {
  return Owner(program).describeValue(function, index, /*isInput=*/true, info);
}

int sparseconv_program_output(const sparseconv_program *program,
                              const char *function, int64_t index,
                              sparseconv_value_info *info) {
  return Owner(program).describeValue(function, index, /*isInput=*/false, info);
}
