//===- ExportDynamicShared.cpp - external dynamic shared memory -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/PTX/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVEXPORTDYNAMICSHARED
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

namespace {
struct ExportDynamicShared
    : mlir::sparseconv::impl::SparseConvExportDynamicSharedBase<
          ExportDynamicShared> {
  void runOnOperation() override {
    constexpr unsigned shared = 3;
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      auto type = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (!type || type.getNumElements() != 0 ||
          global.getAddrSpace() != shared)
        continue;
      global.setLinkage(LLVM::Linkage::External);
      global.setAlignment(1024);
    }
  }
};
} // namespace
