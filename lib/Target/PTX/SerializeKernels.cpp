//===- SerializeKernels.cpp - kernels as PTX ------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM takes most of the time of a compilation, and works on one module at a
// time. So each kernel is translated in a module of its own, side by side with
// others, and their texts are joined.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Threading.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Target/PTX/Passes.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "llvm/ADT/StringSet.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSERIALIZEKERNELS
#include "sparseconv/Target/PTX/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Modules of one kernel
//===----------------------------------------------------------------------===//

/// A module with one kernel, and with the buffers and functions that it names.
static OwningOpRef<gpu::GPUModuleOp> takeKernel(gpu::GPUModuleOp module,
                                                const SymbolTable &symbols,
                                                LLVM::LLVMFuncOp kernel) {
  SetVector<Operation *> taken;
  taken.insert(kernel);
  for (size_t i = 0; i < taken.size(); ++i)
    if (auto uses = SymbolTable::getSymbolUses(taken[i]))
      for (const SymbolTable::SymbolUse &use : *uses)
        if (Operation *named =
                symbols.lookup(use.getSymbolRef().getRootReference()))
          taken.insert(named);
  OwningOpRef<gpu::GPUModuleOp> part(
      cast<gpu::GPUModuleOp>(module->cloneWithoutRegions()));
  part->getBodyRegion().emplaceBlock();
  OpBuilder b = OpBuilder::atBlockBegin(part->getBody());
  for (Operation &op : *module.getBody())
    if (taken.contains(&op))
      b.clone(op);
  return part;
}

namespace {
/// The texts of several modules as one.
class PtxText {
public:
  void add(StringRef text);
  std::string take() { return header + declarations + "\n" + bodies; }

private:
  std::string header, declarations, bodies;
  llvm::StringSet<> declared;
};
} // namespace

void PtxText::add(StringRef text) {
  // What is declared ends in a semicolon, and comes before the first kernel.
  StringRef rest = text, line;
  std::string declaration;
  while (!rest.empty() && !rest.starts_with(".visible .entry")) {
    std::tie(line, rest) = rest.split('\n');
    bool isHeader = line.starts_with(".version") ||
                    line.starts_with(".target") ||
                    line.starts_with(".address_size");
    if (isHeader && bodies.empty())
      header += (line + "\n").str();
    if (isHeader || line.empty() || line.ltrim().starts_with("//"))
      continue;
    declaration += (line + "\n").str();
    if (!line.rtrim().ends_with(";"))
      continue;
    if (declared.insert(declaration).second)
      declarations += declaration;
    declaration.clear();
  }
  bodies += rest;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// The PTX of a module for a chip.
static FailureOr<std::string> translate(gpu::GPUModuleOp module,
                                        StringRef chip) {
  SymbolTable symbols(module);
  SmallVector<OwningOpRef<gpu::GPUModuleOp>> parts;
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      parts.push_back(takeKernel(module, symbols, function));
  if (parts.size() < 2)
    return translateToPtx(module, chip);
  SmallVector<std::string> texts(parts.size());
  LogicalResult result = failableParallelForEachN(
      module.getContext(), 0, parts.size(), [&](size_t i) {
        FailureOr<std::string> text = translateToPtx(*parts[i], chip);
        if (succeeded(text))
          texts[i] = std::move(*text);
        return LogicalResult(text);
      });
  if (failed(result))
    return failure();
  PtxText joined;
  for (StringRef text : texts)
    joined.add(text);
  return joined.take();
}

// Upstream's gpu-module-to-binary lacks three things that translateToPtx adds:
// the data layout of the target, atomics that are relaxed and of device scope,
// and mathematics without libdevice.
static LogicalResult serialize(gpu::GPUModuleOp module,
                               ArrayRef<std::string> chips) {
  OpBuilder b(module);
  SmallVector<Attribute> objects;
  for (const std::string &chip : chips) {
    FailureOr<std::string> text = translate(module, chip);
    if (failed(text))
      return failure();
    auto target = NVVM::NVVMTargetAttr::get(b.getContext(), /*optLevel=*/3,
                                            "nvptx64-nvidia-cuda", chip);
    objects.push_back(gpu::ObjectAttr::get(
        b.getContext(), target, gpu::CompilationTarget::Assembly,
        b.getStringAttr(*text), /*properties=*/nullptr, /*kernels=*/nullptr));
  }
  gpu::BinaryOp::create(b, module.getLoc(), module.getName(),
                        /*offloadingHandler=*/nullptr, b.getArrayAttr(objects));
  module.erase();
  return success();
}

namespace {
struct SerializeKernels
    : mlir::sparseconv::impl::SparseConvSerializeKernelsBase<SerializeKernels> {
  using SparseConvSerializeKernelsBase::SparseConvSerializeKernelsBase;

  void runOnOperation() override {
    auto modules = llvm::to_vector(getOperation().getOps<gpu::GPUModuleOp>());
    if (modules.empty())
      return;
    SmallVector<std::string> names(chips.begin(), chips.end());
    if (names.empty()) {
      Target target = getTarget(getOperation());
      if (!target.info->isGpu) {
        modules.front().emitError("is for no chip: the target of the module "
                                  "around it is ")
            << target.str();
        return signalPassFailure();
      }
      names.push_back(target.chip);
    }
    for (StringRef name : names) {
      llvm::Expected<Target> target = findTarget("cuda", name);
      if (!target) {
        modules.front().emitError(llvm::toString(target.takeError()));
        return signalPassFailure();
      }
    }
    for (gpu::GPUModuleOp module : modules)
      if (failed(serialize(module, names)))
        return signalPassFailure();
  }
};
} // namespace
