//===- MergeKernels.cpp - one module of distinct kernels ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVMERGEKERNELS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;

/// Equal for kernels that differ in names and locations only.
static llvm::hash_code hashKernel(gpu::GPUFuncOp kernel) {
  llvm::hash_code hash =
      llvm::hash_value(kernel.getFunctionType().getAsOpaquePointer());
  kernel->walk([&](Operation *op) {
    if (op != kernel)
      hash = llvm::hash_combine(hash,
                                OperationEquivalence::computeHash(
                                    op, OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::ignoreHashValue,
                                    OperationEquivalence::IgnoreLocations));
  });
  return hash;
}

static bool isSameKernel(gpu::GPUFuncOp lhs, gpu::GPUFuncOp rhs) {
  return lhs.getFunctionType() == rhs.getFunctionType() &&
         lhs.getKnownBlockSize() == rhs.getKnownBlockSize() &&
         lhs.getNumWorkgroupAttributions() ==
             rhs.getNumWorkgroupAttributions() &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

/// How many thread blocks have to fit a multiprocessor at once: that decides
/// how many registers ptxas gives a thread, and without a number it may spill
/// so that more fit. One block of 512 threads alone would leave three quarters
/// of a multiprocessor's threads idle.
static int32_t getMinBlocks(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  return size && size->front() == 512 ? 2 : 1;
}

namespace {
struct MergeKernels
    : mlir::sparseconv::impl::SparseConvMergeKernelsBase<MergeKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    auto sources = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
    if (sources.empty())
      return;
    OpBuilder builder(sources.front());
    auto merged = gpu::GPUModuleOp::create(builder, module.getLoc(),
                                           "sparseconv_kernels");
    builder.setInsertionPointToEnd(merged.getBody());
    // Where each kernel went, by module and name.
    llvm::DenseMap<std::pair<StringAttr, StringAttr>, StringAttr> names;
    llvm::DenseMap<llvm::hash_code, SmallVector<gpu::GPUFuncOp>> known;
    unsigned number = 0;
    for (gpu::GPUModuleOp source : sources) {
      // Memory that kernels share by name, such as that of a launch's size.
      for (Operation &op : llvm::make_early_inc_range(source.getOps()))
        if (auto symbol = dyn_cast<SymbolOpInterface>(op);
            symbol && !isa<gpu::GPUFuncOp>(op) &&
            !SymbolTable::lookupSymbolIn(merged, symbol.getNameAttr()))
          op.moveBefore(merged.getBody(), merged.getBody()->begin());
      for (auto kernel :
           llvm::make_early_inc_range(source.getOps<gpu::GPUFuncOp>())) {
        auto key = std::pair(source.getSymNameAttr(), kernel.getNameAttr());
        // What a module computes with its grid is not in a kernel's text.
        kernel->removeAttr("known_grid_size");
        SmallVector<gpu::GPUFuncOp> &alike = known[hashKernel(kernel)];
        auto *it = llvm::find_if(
            alike, [&](auto other) { return isSameKernel(other, kernel); });
        if (it != alike.end()) {
          names[key] = it->getNameAttr();
          continue;
        }
        std::string name = (kernel.getName() + "_" + Twine(number++)).str();
        kernel->moveBefore(merged.getBody(), merged.getBody()->end());
        kernel.setName(name);
        if (!kernel->hasAttr("nvvm.minctasm"))
          kernel->setAttr("nvvm.minctasm",
                          builder.getI32IntegerAttr(getMinBlocks(kernel)));
        names[key] = kernel.getNameAttr();
        alike.push_back(kernel);
      }
    }
    module.walk([&](gpu::LaunchFuncOp launch) {
      SymbolRefAttr kernel = launch.getKernel();
      StringAttr name =
          names.lookup({kernel.getRootReference(), kernel.getLeafReference()});
      if (name)
        launch.setKernelAttr(SymbolRefAttr::get(
            merged.getSymNameAttr(), {FlatSymbolRefAttr::get(name)}));
    });
    for (gpu::GPUModuleOp source : sources)
      source->erase();
  }
};
} // namespace
