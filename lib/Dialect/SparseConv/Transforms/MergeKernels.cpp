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
  auto getAttributes = [](gpu::GPUFuncOp kernel) {
    NamedAttrList attributes(kernel->getAttrDictionary());
    attributes.erase(SymbolTable::getSymbolAttrName());
    return attributes.getDictionary(kernel.getContext());
  };
  return getAttributes(lhs) == getAttributes(rhs) &&
         OperationEquivalence::isRegionEquivalentTo(
             &lhs.getBody(), &rhs.getBody(),
             OperationEquivalence::IgnoreLocations);
}

/// How many thread blocks have to fit a multiprocessor at once: that decides
/// how many registers ptxas gives a thread, and without a number it may spill
/// so that more fit. One block of 512 threads alone would leave three quarters
/// of a multiprocessor's threads idle. Blocks of 128 threads are those of
/// searches and tiles, whose rare paths should not take the registers with
/// which more blocks fit.
static int32_t getMinBlocks(gpu::GPUFuncOp kernel) {
  std::optional<ArrayRef<int32_t>> size = kernel.getKnownBlockSize();
  switch (size ? size->front() : 0) {
  case 512:
    return 2;
  case 128:
    return 6;
  default:
    return 1;
  }
}

namespace {
/// The kernels of all modules in one.
class KernelMerger {
public:
  explicit KernelMerger(gpu::GPUModuleOp module)
      : module(module), merged(module) {}

  /// Moves memory that kernels share by name, such as that of a launch's size.
  /// Two modules may mean the same by a name, or not.
  LogicalResult moveGlobals(gpu::GPUModuleOp source);
  /// Moves kernels that are not there yet.
  void moveKernels(gpu::GPUModuleOp source);
  /// Where the kernel of a launch went; null for one of another module.
  StringAttr find(SymbolRefAttr kernel) const {
    return names.lookup({kernel.getRootReference(), kernel.getLeafReference()});
  }

private:
  gpu::GPUModuleOp module;
  SymbolTable merged;
  /// Where each kernel went, by module and name.
  llvm::DenseMap<std::pair<StringAttr, StringAttr>, StringAttr> names;
  llvm::DenseMap<llvm::hash_code, SmallVector<gpu::GPUFuncOp>> known;
  unsigned number = 0;
};

struct MergeKernels
    : mlir::sparseconv::impl::SparseConvMergeKernelsBase<MergeKernels> {
  void runOnOperation() override;
};
} // namespace

LogicalResult KernelMerger::moveGlobals(gpu::GPUModuleOp source) {
  SymbolTable symbols(source);
  for (Operation &op : llvm::make_early_inc_range(source.getOps())) {
    auto symbol = dyn_cast<SymbolOpInterface>(op);
    if (!symbol || isa<gpu::GPUFuncOp>(op))
      continue;
    Operation *known = merged.lookup(symbol.getNameAttr());
    if (known && OperationEquivalence::isEquivalentTo(
                     known, &op, OperationEquivalence::IgnoreLocations))
      continue;
    if (known && failed(symbols.renameToUnique(&op, {&merged})))
      return op.emitOpError("cannot be renamed, as another module must not "
                            "share it");
    symbols.remove(&op);
    op.remove();
    merged.insert(&op, module.getBody()->begin());
  }
  return success();
}

/// A name that PTX takes and LLVM has no meaning for, of what a function of the
/// network may be called: other characters become `_`.
static std::string makeEntryName(StringRef name, unsigned number) {
  std::string text;
  if (name.empty() || llvm::isDigit(name.front()) || name.contains('.'))
    text = "kernel_";
  for (char c : name)
    text += llvm::isAlnum(c) || c == '$' ? c : '_';
  return text + "_" + std::to_string(number);
}

void KernelMerger::moveKernels(gpu::GPUModuleOp source) {
  for (auto kernel :
       llvm::make_early_inc_range(source.getOps<gpu::GPUFuncOp>())) {
    auto key = std::pair(source.getSymNameAttr(), kernel.getNameAttr());
    // What a module computes with its grid is not in a kernel's text.
    kernel.removeKnownGridSizeAttr();
    if (!kernel->hasAttr("nvvm.minctasm"))
      kernel->setAttr("nvvm.minctasm",
                      Builder(kernel).getI32IntegerAttr(getMinBlocks(kernel)));
    SmallVector<gpu::GPUFuncOp> &alike = known[hashKernel(kernel)];
    auto *it = llvm::find_if(
        alike, [&](auto other) { return isSameKernel(other, kernel); });
    if (it != alike.end()) {
      names[key] = it->getNameAttr();
      continue;
    }
    kernel->remove();
    kernel.setName(makeEntryName(kernel.getName(), number++));
    names[key] = merged.insert(kernel);
    alike.push_back(kernel);
  }
}

void MergeKernels::runOnOperation() {
  ModuleOp module = getOperation();
  auto sources = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (sources.empty())
    return;
  OpBuilder builder(sources.front());
  SymbolTable symbols(module);
  auto merged =
      gpu::GPUModuleOp::create(builder, module.getLoc(), "sparseconv_kernels");
  symbols.insert(merged); // under another name where there is one of this
  KernelMerger merger(merged);
  for (gpu::GPUModuleOp source : sources) {
    if (failed(merger.moveGlobals(source)))
      return signalPassFailure();
    merger.moveKernels(source);
  }
  module.walk([&](gpu::LaunchFuncOp launch) {
    if (StringAttr name = merger.find(launch.getKernel()))
      launch.setKernelAttr(SymbolRefAttr::get(merged.getSymNameAttr(),
                                              {FlatSymbolRefAttr::get(name)}));
  });
  for (gpu::GPUModuleOp source : sources)
    source->erase();
}
