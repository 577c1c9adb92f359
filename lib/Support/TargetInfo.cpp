//===- TargetInfo.cpp - finds targets by name -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Support/TargetInfo.h"
#include "Targets/Backends.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// In the order in which messages name them.
static constexpr const TargetBackend *backends[] = {&cpuBackend, &cudaBackend};

Target Target::getDefault() {
  return llvm::cantFail(findTarget(cpuBackend.name));
}

/// "; there are: a, b".
template <typename Range, typename Name>
static std::string listKnown(const Range &known, Name name) {
  return "; there are: " + llvm::join(llvm::map_range(known, name), ", ");
}

llvm::Expected<Target>
mlir::sparseconv::findTarget(StringRef name, std::optional<StringRef> chip) {
  const auto *backend = llvm::find_if(
      backends, [&](const TargetBackend *one) { return one->name == name; });
  if (backend == std::end(backends))
    return llvm::createStringError(
        "unknown target '" + name + "'" +
        listKnown(backends,
                  [](const TargetBackend *one) { return one->name; }));
  Target target = {*backend, chip.value_or((*backend)->defaultChip).str(),
                   /*info=*/nullptr};
  StringRef row = target.chip;
  for (auto [relative, base] : target.backend->relatives)
    if (relative == target.chip)
      row = base;
  for (const TargetInfo &info : target.backend->chips)
    if (info.chip == row)
      target.info = &info;
  if (!target.info)
    return llvm::createStringError(
        "unknown chip '" + target.chip + "' of the target '" + name + "'" +
        listKnown(target.backend->chips,
                  [](const TargetInfo &info) { return info.chip; }));
  return target;
}

llvm::Expected<Target> mlir::sparseconv::parseTarget(StringRef text) {
  auto [backend, chip] = text.split(':');
  if (backend == text)
    return findTarget(backend);
  return findTarget(backend, chip);
}
