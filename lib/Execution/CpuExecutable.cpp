//===- CpuExecutable.cpp - a module compiled for this CPU -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/CpuExecutable.h"
#include "CallFrame.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Execution/RuntimeSymbols.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include <chrono>
#include <omp.h>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;
using ::sparseconv::StatusRecord;

struct CpuExecutable::Impl {
  llvm::StringMap<Signature> signatures;
  /// Name and location of each network operation, by number.
  SmallVector<std::pair<std::string, std::string>> operations;
  /// The same of each kernel, where the module is instrumented.
  SmallVector<std::pair<std::string, std::string>> kernels;
  std::unique_ptr<ExecutionEngine> engine;
  unsigned numThreads = 0;

  llvm::Error prepare(StringRef entry, ArrayRef<HostTensor> arguments,
                      const Signature *&signature, void (*&function)(void **));
  llvm::Error toError(const StatusRecord &status) const;
};

CpuExecutable::CpuExecutable(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CpuExecutable::~CpuExecutable() = default;

//===----------------------------------------------------------------------===//
// Target
//===----------------------------------------------------------------------===//

unsigned mlir::sparseconv::getVectorBits(CpuLevel level) {
  switch (level) {
  case CpuLevel::SSE2:
    return 128;
  case CpuLevel::AVX2:
    return 256;
  case CpuLevel::AVX512:
    return 512;
  case CpuLevel::Native:
    break;
  }
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512vl") && has("avx512dq"))
    return 512;
  return has("avx2") && has("fma") ? 256 : 128;
}

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
createTargetMachine(CpuLevel level, llvm::CodeGenOptLevel optLevel) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (level != CpuLevel::Native) {
    unsigned bits = getVectorBits(level);
    if (bits > getVectorBits(CpuLevel::Native))
      return llvm::createStringError("this processor has no vectors of " +
                                     llvm::Twine(bits) + " bits");
    builder->getFeatures() = llvm::SubtargetFeatures();
    builder->setCPU(bits == 512   ? "x86-64-v4"
                    : bits == 256 ? "x86-64-v3"
                                  : "x86-64");
  }
  builder->setCodeGenOptLevel(optLevel);
  return builder->createTargetMachine();
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Reads and drops a table of names and locations, which only people need.
static void
takeTable(ModuleOp module, StringRef name,
          SmallVectorImpl<std::pair<std::string, std::string>> &operations) {
  auto table = module->getAttrOfType<ArrayAttr>(name);
  if (!table)
    return;
  for (Attribute entry : table) {
    auto pair = cast<ArrayAttr>(entry);
    std::string location;
    Location loc = cast<LocationAttr>(pair[1]);
    loc->walk([&](Location part) {
      auto file = dyn_cast<FileLineColLoc>(part);
      if (!file)
        return WalkResult::advance();
      location =
          (file.getFilename().getValue() + ":" + llvm::Twine(file.getLine()) +
           ":" + llvm::Twine(file.getColumn()))
              .str();
      return WalkResult::interrupt();
    });
    operations.emplace_back(cast<StringAttr>(pair[0]).str(), location);
  }
  module->removeAttr(name);
}

llvm::Expected<std::unique_ptr<CpuExecutable>>
CpuExecutable::compile(ModuleOp module, const CpuOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->numThreads =
      options.numThreads ? options.numThreads : omp_get_num_procs();
  auto codeGenLevel = options.optimize ? llvm::CodeGenOptLevel::Aggressive
                                       : llvm::CodeGenOptLevel::None;
  auto machine = createTargetMachine(options.level, codeGenLevel);
  if (!machine)
    return machine.takeError();

  OwningOpRef<ModuleOp> lowered(module.clone());
  for (auto function : lowered->getOps<func::FuncOp>()) {
    if (function.isExternal() || function.isPrivate())
      continue;
    // Functions on sets or maps are for callers inside the module.
    llvm::Expected<Signature> signature =
        getSignature(module, function.getName());
    if (!signature) {
      llvm::consumeError(signature.takeError());
      continue;
    }
    impl->signatures[function.getName()] = std::move(*signature);
    function->setAttr("llvm.emit_c_interface",
                      UnitAttr::get(module.getContext()));
  }

  PassManager pm(module.getContext());
  LowerToCpuOptions pipeline;
  pipeline.vectorBits = getVectorBits(options.level);
  pipeline.instrument = options.instrument;
  buildLowerToCpuPipeline(pm, pipeline);
  if (failed(pm.run(*lowered)))
    return llvm::createStringError(
        "the module could not be lowered to the CPU");
  takeTable(*lowered, "sparseconv.op_table", impl->operations);
  takeTable(*lowered, "sparseconv.kernel_table", impl->kernels);

  DialectRegistry translations;
  registerLLVMIRTranslation(translations);
  module.getContext()->appendDialectRegistry(translations);

  auto optimize = makeOptimizingTransformer(options.optimize ? 3 : 0,
                                            /*sizeLevel=*/0, machine->get());
  // The engine refers to this, and is done with it when it is created.
  auto mergeAndOptimize = [&](llvm::Module *translated) {
    // Layers of one shape have parallel regions of one text: optimise one.
    llvm::MergeFunctionsPass::runOnModule(*translated);
    return optimize(translated);
  };
  ExecutionEngineOptions engineOptions;
  engineOptions.transformer = mergeAndOptimize;
  engineOptions.jitCodeGenOptLevel = codeGenLevel;
  engineOptions.enableGDBNotificationListener = false;
  auto engine =
      ExecutionEngine::create(*lowered, engineOptions, std::move(*machine));
  if (!engine)
    return engine.takeError();
  (*engine)->registerSymbols(getRuntimeSymbols);
  impl->engine = std::move(*engine);
  return std::unique_ptr<CpuExecutable>(new CpuExecutable(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Error CpuExecutable::Impl::prepare(StringRef entry,
                                         ArrayRef<HostTensor> arguments,
                                         const Signature *&signature,
                                         void (*&function)(void **)) {
  auto it = signatures.find(entry);
  if (it == signatures.end()) {
    std::string text = ("no public function '@" + entry +
                        "' of tensors and scalars in the module")
                           .str();
    return llvm::createStringError(text);
  }
  signature = &it->second;
  if (llvm::Error error = checkArguments(*signature, arguments))
    return error;
  auto address = engine->lookupPacked(("_mlir_ciface_" + entry).str());
  if (!address)
    return address.takeError();
  function = *address;
  return llvm::Error::success();
}

llvm::Error CpuExecutable::Impl::toError(const StatusRecord &status) const {
  if (status.code == 0)
    return llvm::Error::success();
  std::string name, location;
  if (status.opId >= 0 && status.opId < static_cast<int64_t>(operations.size()))
    std::tie(name, location) = operations[status.opId];
  return llvm::createStringError(
      ::sparseconv::formatStatus(status, name, location));
}

llvm::Expected<std::vector<HostTensor>>
CpuExecutable::run(StringRef entry, ArrayRef<HostTensor> arguments) {
  const Signature *signature;
  void (*function)(void **);
  if (llvm::Error error = impl->prepare(entry, arguments, signature, function))
    return error;
  omp_set_num_threads(impl->numThreads);
  CallFrame frame(*signature, arguments);
  frame.call(function);
  if (llvm::Error error = impl->toError(frame.getStatus()))
    return error;
  return frame.takeResults();
}

llvm::Expected<std::vector<double>>
CpuExecutable::time(StringRef entry, ArrayRef<HostTensor> arguments,
                    unsigned warmups, unsigned repeats) {
  const Signature *signature;
  void (*function)(void **);
  if (llvm::Error error = impl->prepare(entry, arguments, signature, function))
    return error;
  omp_set_num_threads(impl->numThreads);
  std::vector<double> seconds;
  for (unsigned i = 0; i < warmups + repeats; ++i) {
    CallFrame frame(*signature, arguments);
    auto start = std::chrono::steady_clock::now();
    frame.call(function);
    std::chrono::duration<double> elapsed =
        std::chrono::steady_clock::now() - start;
    if (llvm::Error error = impl->toError(frame.getStatus()))
      return error;
    if (i >= warmups)
      seconds.push_back(elapsed.count());
  }
  return seconds;
}

llvm::Expected<std::vector<KernelEvent>>
CpuExecutable::profile(StringRef entry, ArrayRef<HostTensor> arguments,
                       unsigned warmups) {
  auto warm = time(entry, arguments, warmups, /*repeats=*/0);
  if (!warm)
    return warm.takeError();
  // Forget what the calls before left.
  SmallVector<sparseconv_cpu_trace_event> events(
      sparseconv_cpu_trace_take(nullptr, 0));
  sparseconv_cpu_trace_take(events.data(), events.size());
  auto results = run(entry, arguments);
  if (!results)
    return results.takeError();
  events.resize(sparseconv_cpu_trace_take(nullptr, 0));
  sparseconv_cpu_trace_take(events.data(), events.size());

  std::vector<KernelEvent> kernels;
  for (const sparseconv_cpu_trace_event &event : events) {
    const auto &[name, location] = impl->kernels[event.kernel];
    kernels.push_back({name, /*operation=*/"", location,
                       event.begin - events[0].begin,
                       event.end - events[0].begin});
  }
  return kernels;
}
