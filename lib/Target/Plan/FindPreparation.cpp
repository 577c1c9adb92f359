//===- FindPreparation.cpp - what need not be done in every run -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchTraits.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFINDPREPARATION
#include "sparseconv/Target/Plan/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// The launches of one function in the order of the program, and which of them
/// prepare as far as is known.
class Preparation {
public:
  LogicalResult read(PlanFuncOp function, LaunchTraits &traits);
  /// Drops launches until all that is left holds.
  void narrow();
  void mark() const;

private:
  struct Launch {
    PlanLaunchOp op;
    SmallVector<std::pair<Value, ParamAccess>> accesses;
    bool prepares;
  };
  /// What is done with a buffer, by numbers of launches.
  struct Uses {
    SmallVector<uint32_t> writers, readers;
  };
  bool isKept(const Uses &uses) const;

  SmallVector<Launch> launches;
  llvm::MapVector<Value, Uses> buffers;
};

struct FindPreparation
    : mlir::sparseconv::impl::SparseConvFindPreparationBase<FindPreparation> {
  void runOnOperation() override;
};
} // namespace

/// Whether memory may be used ahead of a run. Of the inputs whose sizes are a
/// run's, those of integers may be bound: they are coordinates and tables. Were
/// features among them, each step would prepare.
static bool isThereAhead(Value memory, ParamAccess access) {
  Operation *op = memory.getDefiningOp();
  if (isa_and_nonnull<PlanBufferOp, PlanSlotOp, PlanStatusOp>(op))
    return true;
  if (access.writes)
    return false;
  auto type = cast<MemRefType>(memory.getType());
  return isa_and_nonnull<memref::GetGlobalOp>(op) ||
         (isa_and_nonnull<PlanInputOp>(op) &&
          (type.hasStaticShape() || type.getElementType().isInteger()));
}

LogicalResult Preparation::read(PlanFuncOp function, LaunchTraits &traits) {
  for (auto op : function.getOps<PlanLaunchOp>()) {
    FailureOr<StepTraits> step = traits.get(op);
    if (failed(step))
      return failure();
    bool prepares = true;
    SmallVector<std::pair<Value, ParamAccess>> accesses;
    uint32_t number = launches.size();
    for (const StepAccess &use : step->accesses) {
      Value memory = traits.getMemory(use.memory);
      accesses.push_back({memory, use.access});
      prepares &= isThereAhead(memory, use.access);
      // What a binding reports is read before a run writes the record anew.
      if (memory.getDefiningOp<PlanStatusOp>())
        continue;
      // Who finds things as they were left finds them so in the next run, too.
      if (use.access.writes && !use.access.restores)
        buffers[memory].writers.push_back(number);
      if (use.access.reads)
        buffers[memory].readers.push_back(number);
    }
    launches.push_back({op, std::move(accesses), prepares});
  }
  return success();
}

/// Whether memory can hold what launches that prepare write: nobody else leaves
/// anything else there, and whoever reads it comes after all of them.
bool Preparation::isKept(const Uses &uses) const {
  if (uses.writers.empty())
    return true;
  return llvm::all_of(uses.writers,
                      [&](uint32_t i) { return launches[i].prepares; }) &&
         llvm::all_of(uses.readers, [&](uint32_t i) {
           return launches[i].prepares || i > uses.writers.back();
         });
}

void Preparation::narrow() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[memory, uses] : buffers) {
      if (isKept(uses))
        continue;
      for (const SmallVector<uint32_t> *side : {&uses.writers, &uses.readers})
        for (uint32_t i : *side)
          changed |= std::exchange(launches[i].prepares, false);
    }
  }
}

void Preparation::mark() const {
  for (const Launch &launch : launches) {
    if (!launch.prepares)
      continue;
    PlanLaunchOp(launch.op).setPrepares(true);
    for (auto [memory, access] : launch.accesses)
      if (auto buffer = memory.getDefiningOp<PlanBufferOp>())
        buffer.setPrepared(true);
  }
}

void FindPreparation::runOnOperation() {
  LaunchTraits traits;
  for (auto function : getOperation().getOps<PlanFuncOp>()) {
    Preparation preparation;
    if (failed(preparation.read(function, traits)))
      return signalPassFailure();
    preparation.narrow();
    preparation.mark();
  }
}
