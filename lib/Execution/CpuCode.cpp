//===- CpuCode.cpp - machine code of a network for CPUs -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuCode.h"
#include "LinkImage.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Dialect/SparseConv/Transforms/EqualRows.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace mlir::sparseconv;
namespace plan = ::sparseconv::plan;
using llvm::orc::JITTargetMachineBuilder;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

static llvm::Expected<JITTargetMachineBuilder> describeHost() {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  auto builder = JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  // As the linker of the engine, and a shared object, need it.
  builder->setRelocationModel(llvm::Reloc::PIC_);
  builder->setCodeModel(llvm::CodeModel::Small);
  return builder;
}

/// The processors that have a level and nothing beyond it.
static void setLevel(JITTargetMachineBuilder &builder, StringRef level) {
  builder.getFeatures() = llvm::SubtargetFeatures();
  builder.setCPU(llvm::StringSwitch<std::string>(level)
                     .Case("avx512", "x86-64-v4")
                     .Case("avx2", "x86-64-v3")
                     .Default("x86-64"));
}

llvm::Expected<JITTargetMachineBuilder>
mlir::sparseconv::describeMachine(const CpuOptions &options) {
  auto builder = describeHost();
  if (!builder)
    return builder.takeError();
  if (!options.level.empty()) {
    auto asked = findTarget("cpu", options.level);
    if (!asked)
      return asked.takeError();
    auto native = llvm::cantFail(findTarget("cpu", getNativeLevel()));
    if (asked->info->vectorBits > native.info->vectorBits)
      return llvm::createStringError("this processor has no vectors of " +
                                     llvm::Twine(asked->info->vectorBits) +
                                     " bits");
    setLevel(*builder, options.level);
  }
  builder->setCodeGenOptLevel(options.optimize
                                  ? llvm::CodeGenOptLevel::Aggressive
                                  : llvm::CodeGenOptLevel::None);
  return builder;
}

llvm::Expected<JITTargetMachineBuilder>
mlir::sparseconv::describeLevel(StringRef level) {
  auto builder = describeHost();
  if (!builder)
    return builder.takeError();
  setLevel(*builder, level);
  builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::Aggressive);
  return builder;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

SmallVector<plan::Value>
mlir::sparseconv::toValues(ArrayRef<Parameter> parameters) {
  return llvm::map_to_vector(parameters, [](const Parameter &parameter) {
    plan::Value value;
    value.name = parameter.name;
    value.type = static_cast<plan::ElementType>(parameter.kind);
    value.isScalar = parameter.isScalar();
    for (int64_t size : parameter.shape)
      value.dims.emplace_back().size =
          ShapedType::isDynamic(size) ? plan::kDynamic : size;
    if (value.isScalar)
      value.dims.emplace_back().size = 1;
    return value;
  });
}

/// Reads and drops a table of names and locations, which only people need.
static std::vector<plan::Op> takeTable(ModuleOp module, StringRef name) {
  std::vector<plan::Op> operations;
  for (OpPlace &place : readOpPlaces(module, name))
    operations.push_back({std::move(place.name), std::move(place.place)});
  module->removeAttr(name);
  return operations;
}

/// In front of the name of every function of a network, so that none is taken
/// for one of the runtime, the C library or the C interface.
static constexpr StringLiteral kPrefix = "network.";
static constexpr StringLiteral kInterface = "_mlir_ciface_";

static void renameFunctions(ModuleOp module) {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    auto name =
        StringAttr::get(module.getContext(), kPrefix + function.getName());
    // Fails for operations that a verified network does not have.
    (void)SymbolTable::replaceAllSymbolUses(function, name, module);
    function.setSymNameAttr(name);
  }
}

/// Defines `packed.network.NAME(ptr)`, which loads the arguments of
/// `_mlir_ciface_network.NAME`
/// from an array of pointers to them, and stores the result behind the last.
static void addPackedFunction(llvm::Function &target) {
  llvm::IRBuilder<> b(target.getContext());
  auto *type = llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy()}, false);
  auto *packed = llvm::Function::Create(
      type, llvm::Function::ExternalLinkage,
      llvm::Twine(plan::kPackedPrefix) +
          target.getName().drop_front(kInterface.size() + kPrefix.size()),
      target.getParent());
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "", packed));
  auto getPointer = [&](unsigned number) {
    llvm::Value *slot =
        b.CreateConstGEP1_64(b.getPtrTy(), packed->getArg(0), number);
    return b.CreateLoad(b.getPtrTy(), slot);
  };
  SmallVector<llvm::Value *> arguments;
  for (auto [number, argument] : llvm::enumerate(target.args()))
    arguments.push_back(b.CreateLoad(argument.getType(), getPointer(number)));
  llvm::Value *result = b.CreateCall(&target, arguments);
  if (!result->getType()->isVoidTy())
    b.CreateStore(result, getPointer(target.arg_size()));
  b.CreateRetVoid();
}

/// Leaves the packed functions as the only ones that others see: what they do
/// not need is not compiled.
static void addPackedFunctions(llvm::Module &module) {
  SmallVector<llvm::Function *> defined;
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      defined.push_back(&function);
  for (llvm::Function *function : defined) {
    function->setLinkage(llvm::Function::InternalLinkage);
    if (function->getName().starts_with(kInterface))
      addPackedFunction(*function);
  }
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

void mlir::sparseconv::loadCpuDialects(MLIRContext &context) {
  DialectRegistry registry;
  registerLLVMIRTranslation(registry);
  PassManager pm(&context);
  pm.addPass(createSparseConvVerifyNetwork());
  buildLowerToCpuPipeline(pm, LowerToCpuOptions());
  pm.getDependentDialects(registry);
  context.appendDialectRegistry(registry);
  for (StringRef name : registry.getDialectNames())
    context.getOrLoadDialect(name);
}

/// Runs the pipeline that `options` ask for.
static LogicalResult lower(ModuleOp module, StringRef level,
                           const CpuOptions &options) {
  PassManager pm(module.getContext());
  std::string target = ("cpu:" + level).str();
  if (options.buildPipeline) {
    options.buildPipeline(pm, target);
    return pm.run(module);
  }
#ifdef NDEBUG
  pm.enableVerifier(false); // our own passes are tested with it
#endif
  LowerToCpuOptions pipeline;
  pipeline.target = target;
  pipeline.instrument = options.instrument;
  pipeline.selection.set(options.selection);
  buildLowerToCpuPipeline(pm, pipeline);
  return pm.run(module);
}

llvm::Expected<CpuCode> CpuCode::compile(ModuleOp module,
                                         const JITTargetMachineBuilder &machine,
                                         StringRef level,
                                         const CpuOptions &options, Form form) {
  CpuCode code;
  loadCpuDialects(*module.getContext());
  OwningOpRef<ModuleOp> lowered(module.clone());
  PassManager checks(module.getContext());
  checks.addPass(createSparseConvVerifyNetwork({options.allowKernels}));
  if (failed(checks.run(*lowered)))
    return llvm::createStringError("the module is not a network");
  if (options.trustTables)
    trustTables(*lowered);
  for (auto function : lowered->getOps<func::FuncOp>())
    findEqualRows(function);
  code.signatures = getEntries(*lowered);
  for (auto &[name, signature] : code.signatures)
    lowered->lookupSymbol(name)->setAttr(
        LLVM::LLVMDialect::getEmitCWrapperAttrName(),
        UnitAttr::get(module.getContext()));
  renameFunctions(*lowered);

  if (failed(lower(*lowered, level, options)))
    return llvm::createStringError(
        "the module could not be lowered to the CPU");
  code.operations = takeTable(*lowered, kOpTableAttr);
  code.kernels = takeTable(*lowered, kKernelTableAttr);

  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> translated =
      translateModuleToLLVMIR(*lowered, context);
  if (!translated)
    return llvm::createStringError("the module has no form in LLVM IR");
  addPackedFunctions(*translated);
  bool isComplete = form == Form::Complete;
  if (isComplete)
    addImports(*translated);
  auto objects = compileToObjects(*translated, machine, *module.getContext(),
                                  isComplete ? 1 : kMostParts);
  if (!objects)
    return objects.takeError();
  code.objects = std::move(*objects);
  return code;
}
