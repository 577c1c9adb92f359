//===- SetTarget.cpp - says what a module is compiled for -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSETTARGET
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct SetTarget : mlir::sparseconv::impl::SparseConvSetTargetBase<SetTarget> {
  using SparseConvSetTargetBase::SparseConvSetTargetBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    llvm::Expected<Target> asked = parseTarget(target);
    if (!asked) {
      module.emitError(llvm::toString(asked.takeError()));
      return signalPassFailure();
    }
    constexpr StringLiteral name = SparseConvDialect::kTargetAttrName;
    auto written = module->getAttrOfType<TargetAttr>(name);
    bool namesChip = StringRef(target).contains(':');
    if (written && (written.getBackend() != asked->backend->name ||
                    (namesChip && written.getChip() != asked->chip))) {
      module.emitError("is for ") << written.getTarget().str() << " (" << name
                                  << "), but '" << target << "' is asked for";
      return signalPassFailure();
    }
    if (!written) {
      written =
          TargetAttr::get(&getContext(), asked->backend->name, asked->chip);
      module->setAttr(name, written);
    }
    Target chosen = written.getTarget();
    if (chosen.isRelative())
      module.emitRemark("there is no table of the chip '")
          << chosen.chip << "': what is decided for " << chosen.info->chip
          << " is taken";
  }
};
} // namespace
