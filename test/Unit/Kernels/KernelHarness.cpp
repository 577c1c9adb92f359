//===- KernelHarness.cpp - runs kernel operations in unit tests -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelHarness.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv::test;

void *ArrayBase::describe() {
  auto pointer =
      static_cast<int64_t>(reinterpret_cast<uintptr_t>(getPointer()));
  descriptor.assign({pointer, pointer, 0});
  descriptor.append(shape.begin(), shape.end());
  int64_t stride = size();
  for (int64_t extent : shape) {
    stride = extent ? stride / extent : 0;
    descriptor.push_back(stride);
  }
  return descriptor.data();
}

::sparseconv::StatusRecord StatusArray::get() const {
  ::sparseconv::StatusRecord record;
  std::copy(begin(), end(), &record.code);
  return record;
}

/// The lowering after our conversion. The passes to the LLVM dialect are the
/// upstream ones, in the order that each needs of the next.
static constexpr llvm::StringLiteral kToLLVM =
    "canonicalize,cse,convert-scf-to-cf,memref-expand,expand-strided-metadata,"
    "lower-affine,arith-expand,convert-math-to-llvm,convert-vector-to-llvm,"
    "finalize-memref-to-llvm{use-generic-functions=true},"
    "convert-arith-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,"
    "convert-openmp-to-llvm,reconcile-unrealized-casts";

static std::string getPipeline(Threads threads) {
  std::string text = "convert-sparseconv-kernels-to-loops,";
  if (threads == Threads::OpenMP)
    text += "convert-scf-to-openmp,";
  return text + kToLLVM.str();
}

static MLIRContext *getContext() {
  static MLIRContext *context = [] {
    mlir::sparseconv::registerPasses();
    DialectRegistry registry;
    mlir::sparseconv::registerDialects(registry);
    mlir::sparseconv::registerLLVMIRTranslation(registry);
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    sparseconv_cpu_pool_set_poison(true);
    return new MLIRContext(registry);
  }();
  return context;
}

struct Kernel::Impl {
  std::unique_ptr<ExecutionEngine> engine;
};

static llvm::Expected<std::unique_ptr<ExecutionEngine>>
compile(StringRef ir, Threads threads) {
  MLIRContext *context = getContext();
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(ir, context);
  if (!module)
    return llvm::createStringError("the module does not parse");
  for (auto function : module->getOps<func::FuncOp>())
    function->setAttr("llvm.emit_c_interface", UnitAttr::get(context));
  PassManager pm(context, ModuleOp::getOperationName());
  if (failed(parsePassPipeline(getPipeline(threads), pm)))
    return llvm::createStringError("the pipeline does not parse");
  if (failed(pm.run(*module)))
    return llvm::createStringError("the module could not be lowered");

  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  auto optimize = makeOptimizingTransformer(/*optLevel=*/2, /*sizeLevel=*/0,
                                            machine->get());
  ExecutionEngineOptions options;
  options.transformer = optimize;
  options.enableGDBNotificationListener = false;
  return ExecutionEngine::create(*module, options, std::move(*machine));
}

Kernel::Kernel(StringRef ir, Threads threads) : impl(new Impl) {
  auto engine = compile(ir, threads);
  if (!engine) {
    ADD_FAILURE() << llvm::toString(engine.takeError()) << ":\n" << ir.str();
    return;
  }
  impl->engine = std::move(*engine);
  impl->engine->registerSymbols(mlir::sparseconv::getRuntimeSymbols);
}
Kernel::Kernel(Kernel &&) = default;
Kernel::~Kernel() = default;

void Kernel::call(StringRef function, SmallVectorImpl<void *> &args) {
  if (!impl->engine)
    return;
  std::string name = ("_mlir_ciface_" + function).str();
  if (llvm::Error error = impl->engine->invokePacked(name, args))
    ADD_FAILURE() << llvm::toString(std::move(error));
}
