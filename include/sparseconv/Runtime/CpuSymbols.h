//===- CpuSymbols.h - what compiled CPU code may call -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_RUNTIME_CPUSYMBOLS_H
#define SPARSECONV_RUNTIME_CPUSYMBOLS_H

#include <vector>

namespace sparseconv::cpu {

struct Symbol {
  const char *name;
  void *address;
};

/// The functions that compiled code may call, by name: those of the runtime,
/// of LLVM's OpenMP runtime as far as parallel loops need them, and the C
/// library's mathematics and copies. It sees no other.
const std::vector<Symbol> &getSymbols();

} // namespace sparseconv::cpu

#endif // SPARSECONV_RUNTIME_CPUSYMBOLS_H
