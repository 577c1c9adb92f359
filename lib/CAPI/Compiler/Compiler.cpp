//===- Compiler.cpp - the compiler as a C library -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv-c/Compiler.h"
#include "ChildProcess.h"
#include "sparseconv/Runtime/Plan.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <iterator>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

using namespace sparseconv;
using capi::ChildResult;
using End = ChildResult::End;

struct sparseconv_compilation {
  std::string message, diagnostics, artifact, ptx;
};

const char *sparseconv_compiler_code_name(int code) {
  static const char *const names[] = {
      "SPARSECONV_COMPILER_OK",
      "SPARSECONV_COMPILER_INVALID_ARGUMENT",
      "SPARSECONV_COMPILER_REJECTED",
      "SPARSECONV_COMPILER_CRASHED",
      "SPARSECONV_COMPILER_TIME_LIMIT",
      "SPARSECONV_COMPILER_NOT_FOUND",
      "SPARSECONV_COMPILER_SYSTEM_ERROR",
      "SPARSECONV_COMPILER_OUT_OF_MEMORY",
      "SPARSECONV_COMPILER_CANCELLED",
  };
  return code >= 0 && code < int(std::size(names)) ? names[code]
                                                   : "unknown code";
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// The folder of this library.
static std::string getLibraryFolder() {
  Dl_info info = {};
  if (!dladdr(reinterpret_cast<void *>(&getLibraryFolder), &info) ||
      !info.dli_fname)
    return ".";
  char *real = realpath(info.dli_fname, nullptr);
  std::string path = real ? real : info.dli_fname;
  std::free(real);
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

static std::vector<std::string> getFolders(const char *given) {
  if (given && *given)
    return {given};
  const char *named = std::getenv("SPARSECONV_TOOLS");
  if (named && *named)
    return {named};
  std::string library = getLibraryFolder();
  return {library, library + "/../bin", library + "/../../bin"};
}

/// The path of a program, or an empty one with where it was looked for.
static std::string findProgram(const char *folder, const std::string &name,
                               std::string &problem) {
  std::string places;
  for (const std::string &place : getFolders(folder)) {
    std::string path = place + "/" + name;
    struct stat info;
    if (::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
        ::access(path.c_str(), X_OK) == 0)
      return path;
    places += (places.empty() ? "" : ", ") + place;
  }
  problem = "there is no program '" + name + "' in " + places +
            "; name its folder in SPARSECONV_TOOLS";
  return {};
}

int sparseconv_compiler_find_program(const char *folder, const char *name,
                                     char *path, uint64_t size) {
  if (!name || !path || !size)
    return SPARSECONV_COMPILER_INVALID_ARGUMENT;
  path[0] = 0;
  try {
    std::string problem;
    std::string found = findProgram(folder, name, problem);
    const std::string &text = found.empty() ? problem : found;
    size_t length = std::min<size_t>(text.size(), size - 1);
    std::memcpy(path, text.data(), length);
    path[length] = 0;
    return found.empty() ? SPARSECONV_COMPILER_NOT_FOUND
                         : SPARSECONV_COMPILER_OK;
  } catch (...) {
    return SPARSECONV_COMPILER_OUT_OF_MEMORY;
  }
}

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

static int finish(sparseconv_compilation &compilation, int code,
                  std::string message) {
  compilation.message = std::move(message);
  return code;
}

/// The first line that has `text`, or an empty one.
static std::string findLine(const std::string &diagnostics, const char *text) {
  size_t begin = diagnostics.find(text);
  if (begin == std::string::npos)
    return {};
  begin = diagnostics.rfind('\n', begin);
  begin = begin == std::string::npos ? 0 : begin + 1;
  return diagnostics.substr(begin, diagnostics.find('\n', begin) - begin);
}

static int readPlan(sparseconv_compilation &compilation) {
  std::string error;
  std::optional<plan::Plan> plan = plan::parse(compilation.artifact, error);
  if (!plan) {
    compilation.artifact.clear();
    return finish(compilation, SPARSECONV_COMPILER_CRASHED,
                  "the compiler's output is not a plan: " + error);
  }
  for (const plan::Module &module : plan->modules)
    for (const plan::Image &image : module.images)
      if (image.kind == plan::Image::Kind::Ptx)
        compilation.ptx += image.bytes;
  return SPARSECONV_COMPILER_OK;
}

static int compile(std::string_view text,
                   const sparseconv_compile_options &options,
                   sparseconv_compilation &compilation) {
  auto reject = [&](const std::string &message) {
    return finish(compilation, SPARSECONV_COMPILER_INVALID_ARGUMENT, message);
  };
  if (!(options.time_limit >= 0))
    return reject("the time limit is a number of seconds, 0 for none");
  std::string problem;
  std::string program =
      findProgram(options.tools, "sparseconv-translate", problem);
  if (program.empty())
    return finish(compilation, SPARSECONV_COMPILER_NOT_FOUND, problem);

  std::vector<std::string> arguments = {
      "--network-to-plan",
      "--input-name=" + std::string(options.name ? options.name : "<string>")};
  auto pass = [&](const char *option, const char *value) {
    if (value)
      arguments.push_back(std::string(option) + value);
  };
  pass("--target=", options.target);
  pass("--chip=", options.chip);
  pass("--entry=", options.entry);
  pass("--tuning-database=", options.tuning_database);
  if (options.trust_tables)
    arguments.push_back("--trust-tables");
  ChildResult result = capi::runChild(program, arguments, text,
                                      {options.time_limit, options.cancel});
  compilation.diagnostics = std::move(result.diagnostics);
  switch (result.end) {
  case End::Failed:
    return finish(compilation, SPARSECONV_COMPILER_SYSTEM_ERROR,
                  result.problem);
  case End::Cancelled:
    return finish(compilation, SPARSECONV_COMPILER_CANCELLED,
                  "the compilation was cancelled");
  case End::TimeLimit: {
    char limit[64];
    std::snprintf(limit, sizeof(limit), "%g", options.time_limit);
    return finish(compilation, SPARSECONV_COMPILER_TIME_LIMIT,
                  std::string("the compiler did not end within ") + limit +
                      " seconds");
  }
  case End::Signalled: {
    std::string reason = findLine(compilation.diagnostics, "LLVM ERROR: ");
    return finish(compilation, SPARSECONV_COMPILER_CRASHED,
                  "the compiler was ended by signal " +
                      std::to_string(result.status) + " (" +
                      strsignal(result.status) + ")" +
                      (reason.empty() ? "" : ": " + reason));
  }
  case End::Exited:
    break;
  }
  if (result.status == 1) {
    std::string reason = findLine(compilation.diagnostics, "error: ");
    return finish(compilation, SPARSECONV_COMPILER_REJECTED,
                  reason.empty() ? "the compiler rejects the input" : reason);
  }
  if (result.status != 0)
    return finish(compilation, SPARSECONV_COMPILER_CRASHED,
                  "the compiler ended with status " +
                      std::to_string(result.status));
  compilation.artifact = std::move(result.output);
  return readPlan(compilation);
}

int sparseconv_compile(const char *text, uint64_t size,
                       const sparseconv_compile_options *options,
                       sparseconv_compilation **compilation) {
  if (!compilation)
    return SPARSECONV_COMPILER_INVALID_ARGUMENT;
  auto *result = new (std::nothrow) sparseconv_compilation;
  *compilation = result;
  if (!result)
    return SPARSECONV_COMPILER_OUT_OF_MEMORY;
  // All that is thrown here is that there is no memory.
  try {
    if (!text && size)
      return finish(*result, SPARSECONV_COMPILER_INVALID_ARGUMENT,
                    "text is NULL");
    sparseconv_compile_options defaults = {};
    return compile({text ? text : "", size}, options ? *options : defaults,
                   *result);
  } catch (...) {
    *result = {};
    result->message = "out of memory"; // which is short enough to need none
    return SPARSECONV_COMPILER_OUT_OF_MEMORY;
  }
}

void sparseconv_compilation_destroy(sparseconv_compilation *compilation) {
  delete compilation;
}

/// One of the texts of a compilation, or an empty one where that is NULL.
static const char *getText(const sparseconv_compilation *compilation,
                           std::string sparseconv_compilation::*member,
                           uint64_t *size = nullptr) {
  if (size)
    *size = compilation ? (compilation->*member).size() : 0;
  return compilation ? (compilation->*member).c_str() : "";
}

const char *
sparseconv_compilation_message(const sparseconv_compilation *compilation) {
  return getText(compilation, &sparseconv_compilation::message);
}

const char *
sparseconv_compilation_diagnostics(const sparseconv_compilation *compilation) {
  return getText(compilation, &sparseconv_compilation::diagnostics);
}

const void *
sparseconv_compilation_artifact(const sparseconv_compilation *compilation,
                                uint64_t *size) {
  return getText(compilation, &sparseconv_compilation::artifact, size);
}

const char *
sparseconv_compilation_ptx(const sparseconv_compilation *compilation,
                           uint64_t *size) {
  return getText(compilation, &sparseconv_compilation::ptx, size);
}
