//===- PlaceSharedMemory.cpp - alignment of shared memory -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/PTX/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVPLACESHAREDMEMORY
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

namespace {
struct PlaceSharedMemory
    : mlir::sparseconv::impl::SparseConvPlaceSharedMemoryBase<
          PlaceSharedMemory> {
  void runOnOperation() override {
    constexpr unsigned shared = 3;
    for (auto global : getOperation().getOps<LLVM::GlobalOp>()) {
      if (global.getAddrSpace() != shared)
        continue;
      auto array = dyn_cast<LLVM::LLVMArrayType>(global.getGlobalType());
      if (array && array.getNumElements() == 0) {
        global.setLinkage(LLVM::Linkage::External);
        global.setAlignment(1024);
      } else {
        uint64_t own = global.getAlignment().value_or(1);
        global.setAlignment(std::max<uint64_t>(own, 16));
      }
    }
  }
};
} // namespace
