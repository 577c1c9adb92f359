//===- Report.cpp - errors of networks in other people's programs ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/Status.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

/// The text of number `wanted`, or nothing.
static std::string_view find(std::string_view texts, int64_t wanted) {
  for (int64_t number = 0; !texts.empty(); ++number) {
    std::string_view text = texts.substr(0, texts.find('\0'));
    if (number == wanted)
      return text;
    texts.remove_prefix(std::min(text.size() + 1, texts.size()));
  }
  return {};
}

void _mlir_ciface_sparseconv_report_error(
    const struct sparseconv_cpu_words *words,
    const struct sparseconv_cpu_bytes *names) {
  sparseconv::StatusRecord record;
  static_assert(sizeof(record) == 8 * sizeof(int64_t), "a record is 8 words");
  std::memcpy(&record, words->aligned + words->offset, sizeof(record));
  std::string_view texts(names->aligned + names->offset, names->sizes[0]);
  std::string operation(find(texts, 2 * record.opId));
  std::string_view place = find(texts, 2 * record.opId + 1);
  if (operation.empty())
    operation = "operation " + std::to_string(record.opId);
  std::fprintf(stderr, "sparseconv: error: %s\n",
               sparseconv::formatStatus(record, operation, place).c_str());
  std::exit(1);
}
