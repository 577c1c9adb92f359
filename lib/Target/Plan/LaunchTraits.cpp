//===- LaunchTraits.cpp - what launches do with memory --------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTraits.h"

using namespace mlir;
using namespace mlir::sparseconv;

FailureOr<StepTraits> LaunchTraits::get(PlanLaunchOp op) {
  auto kernel =
      symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(op, op.getKernel());
  if (!kernel)
    return op.emitError("what kernel ")
           << op.getKernel() << " does is not known any more";
  auto [known, isNew] = kernels.try_emplace(kernel);
  if (isNew)
    known->second = getKernelTraits(kernel);
  StepTraits result;
  result.cost = known->second.cost;
  result.multiplies = known->second.multiplies;
  result.hasPrologue = known->second.hasPrologue;
  result.prepares = op.getPrepares();
  result.counts = op.getCounts();
  for (auto [arg, access] :
       llvm::zip_equal(op.getArgs(), known->second.params)) {
    Value base = arg;
    while (auto address = base.getDefiningOp<PlanAddressOp>())
      base = address.getBuffer();
    auto [place, isNewMemory] = memory.try_emplace(base, memory.size());
    if (isNewMemory)
      values.push_back(base);
    uint32_t number = place->second;
    auto *use = llvm::find_if(result.accesses, [&](const StepAccess &other) {
      return other.memory == number;
    });
    if (use == result.accesses.end()) {
      result.accesses.push_back({number, access});
      continue;
    }
    use->access.reads |= access.reads;
    use->access.writes |= access.writes;
    use->access.restores &= access.restores;
  }
  return result;
}
