//===- Report.cpp - errors of networks in other people's programs ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/Status.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

void _mlir_ciface_sparseconv_report_error(
    const struct sparseconv_cpu_words *words) {
  sparseconv::StatusRecord record;
  static_assert(sizeof(record) == 8 * sizeof(int64_t), "a record is 8 words");
  std::memcpy(&record, words->aligned + words->offset, sizeof(record));
  std::string operation = "operation " + std::to_string(record.opId);
  std::fprintf(stderr, "sparseconv: error: %s\n",
               sparseconv::formatStatus(record, operation).c_str());
  std::exit(1);
}
