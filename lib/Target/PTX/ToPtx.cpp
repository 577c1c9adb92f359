//===- ToPtx.cpp - from GPU modules to PTX --------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/PTX/ToPtx.h"
#include "OverlapLaunches.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "sparseconv/Support/EarlyLaunch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;

/// An atomic operation on a buffer says nothing of other memory, and of no
/// memory beyond the device; its conversion to LLVM asks for more. One that
/// changes nothing (`ori` of 0) is a load.
static void relaxAtomics(llvm::Module &ir) {
  auto device = ir.getContext().getOrInsertSyncScopeID("device");
  constexpr auto relaxed = llvm::AtomicOrdering::Monotonic;
  for (llvm::Function &function : ir)
    for (llvm::Instruction &instruction :
         llvm::make_early_inc_range(llvm::instructions(function))) {
      if (auto *exchange =
              llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
        exchange->setSuccessOrdering(relaxed);
        exchange->setFailureOrdering(relaxed);
        exchange->setSyncScopeID(device);
        continue;
      }
      auto *atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
      if (!atomic || atomic->getSyncScopeID() != llvm::SyncScope::System)
        continue;
      atomic->setOrdering(relaxed);
      atomic->setSyncScopeID(device);
      auto *number = llvm::dyn_cast<llvm::ConstantInt>(atomic->getValOperand());
      if (atomic->getOperation() != llvm::AtomicRMWInst::Or || !number ||
          !number->isZero())
        continue;
      auto *load =
          new llvm::LoadInst(atomic->getType(), atomic->getPointerOperand(), "",
                             /*isVolatile=*/false, atomic->getAlign(), relaxed,
                             device, atomic->getIterator());
      atomic->replaceAllUsesWith(load);
      atomic->eraseFromParent();
    }
}

namespace {

/// Stops at the assembly text.
class PtxSerializer : public NVVM::SerializeGPUModuleBase {
public:
  using SerializeGPUModuleBase::SerializeGPUModuleBase;

  std::optional<SmallVector<std::unique_ptr<llvm::Module>>>
  loadBitcodeFiles(llvm::Module &) override {
    return SmallVector<std::unique_ptr<llvm::Module>>();
  }

  void handleModulePreLink(llvm::Module &ir) override {
    relaxAtomics(ir);
    if (startsEarly)
      mlir::sparseconv::overlapLaunches(ir);
    else
      mlir::sparseconv::dropOverlaps(ir);
  }

  FailureOr<llvm::TargetMachine *> getMachine() {
    return getOrCreateTargetMachine();
  }

  FailureOr<SmallVector<char, 0>> moduleToObject(llvm::Module &ir) override {
    FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
    if (failed(machine))
      return getOperation().emitError("no backend for ") << triple;
    FailureOr<SmallString<0>> text = translateModuleToISA(
        ir, **machine, [&] { return getOperation().emitError(); });
    if (failed(text))
      return failure();
    return SmallVector<char, 0>(text->begin(), text->end());
  }

  /// Whether kernels may start before those end that come before them.
  bool startsEarly = false;
};

} // namespace

/// Shared-memory addresses have 32 bits. The backend knows this only by a
/// command-line option.
static void useShortSharedPointers() {
  static std::once_flag once;
  std::call_once(once, [] {
    auto &options = llvm::cl::getRegisteredOptions();
    auto it = options.find("nvptx-short-ptr");
    if (it != options.end())
      it->second->addOccurrence(0, "nvptx-short-ptr", "true");
  });
}

void mlir::sparseconv::registerPtxTarget(DialectRegistry &registry) {
  arith::registerConvertArithToLLVMInterface(registry);
  cf::registerConvertControlFlowToLLVMInterface(registry);
  registerConvertMathToLLVMInterface(registry);
  registerConvertMemRefToLLVMInterface(registry);
  registerConvertNVVMToLLVMInterface(registry);
  vector::registerConvertVectorToLLVMInterface(registry);
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// The version of PTX to write: of what all drivers since CUDA 12.7 take, as
/// long as the chip is older than that version.
static StringRef getPtxFeature(StringRef chip) {
  unsigned number;
  bool isOld = chip.consume_front("sm_") && !chip.consumeInteger(10, number) &&
               number <= 90;
  return isOld ? "+ptx86" : "";
}

FailureOr<std::string> mlir::sparseconv::translateToPtx(gpu::GPUModuleOp module,
                                                        StringRef chip,
                                                        unsigned optLevel) {
  PtxSerializer::init();
  useShortSharedPointers();
  auto target = NVVM::NVVMTargetAttr::get(module.getContext(), optLevel,
                                          "nvptx64-nvidia-cuda", chip,
                                          getPtxFeature(chip));
  PtxSerializer serializer(*module.getOperation(), target);
  serializer.startsEarly = ::sparseconv::startsEarly(std::string_view(chip));
  // Loads and stores get their alignment from the module's data layout; what it
  // says of pointers is the backend's own business.
  FailureOr<llvm::TargetMachine *> machine = serializer.getMachine();
  if (failed(machine))
    return module.emitError("no backend for ") << chip;
  assert((*machine)->getMCSubtargetInfo()->isCPUStringValid(chip) &&
         "the table of targets has a chip that LLVM does not know");
  std::string layout = (*machine)->createDataLayout().getStringRepresentation();
  SmallVector<StringRef> parts;
  StringRef(layout).split(parts, '-');
  llvm::erase_if(parts, [](StringRef part) { return part.starts_with("p"); });
  module->setAttr(LLVM::LLVMDialect::getDataLayoutAttrName(),
                  StringAttr::get(module.getContext(), llvm::join(parts, "-")));
  std::optional<SmallVector<char, 0>> text = serializer.run();
  if (!text)
    return failure();
  while (!text->empty() && text->back() == '\0')
    text->pop_back();
  return std::string(text->begin(), text->end());
}
