//===- Image.cpp - machine code of a plan in this process -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Image.h"
#include "sparseconv/Runtime/CpuSymbols.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::cpu;
using runtime::Error;

static Error fail(const char *what) {
  if (errno == EACCES || errno == EPERM)
    return Error(SPARSECONV_NO_DEVICE,
                 std::string("this process may not run code that it has loaded "
                             "as data: ") +
                     what + ": " + std::strerror(errno));
  return Error(SPARSECONV_OUT_OF_MEMORY,
               std::string("no memory for the code of the plan: ") + what +
                   ": " + std::strerror(errno));
}

Error Image::load(const plan::Image &code, std::unique_ptr<Image> &image) {
  if (sysconf(_SC_PAGESIZE) > long(plan::kPageBytes))
    return Error(SPARSECONV_WRONG_CHIP,
                 "the code of the plan is for pages of 4096 bytes");
  size_t size = code.bytes.size();
  void *memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    return fail("mmap");
  image.reset(new Image(static_cast<char *>(memory), size));
  std::memcpy(image->memory, code.bytes.data(), size);
  auto base = reinterpret_cast<uintptr_t>(image->memory);
  for (uint64_t place : code.relocations) {
    uint64_t word;
    std::memcpy(&word, image->memory + place, sizeof(word));
    word += base;
    std::memcpy(image->memory + place, &word, sizeof(word));
  }
  if (Error error = image->fillImports(code))
    return error;
  return image->protect(code);
}

Image::~Image() { munmap(memory, size); }

Error Image::fillImports(const plan::Image &code) {
  char *place = memory + *code.find(plan::kImportTable);
  for (const std::string &name : code.imports) {
    void *address = nullptr;
    for (const Symbol &symbol : getSymbols())
      if (name == symbol.name)
        address = symbol.address;
    if (!address)
      return Error(SPARSECONV_INVALID_PLAN,
                   "the code of the plan calls '" + name +
                       "', which this runtime does not have");
    std::memcpy(place, &address, sizeof(address));
    place += sizeof(address);
  }
  return Error::success();
}

Error Image::protect(const plan::Image &code) {
  for (const plan::Image::Segment &segment : code.segments) {
    static constexpr int access[] = {PROT_READ, PROT_READ | PROT_WRITE,
                                     PROT_READ | PROT_EXEC};
    if (mprotect(memory + segment.offset, segment.size,
                 access[static_cast<unsigned>(segment.access)]) != 0)
      return fail("mprotect");
  }
  return Error::success();
}
