//===- CpuExecutable.cpp - a module compiled for this CPU -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/CpuExecutable.h"
#include "CallFrame.h"
#include "Jit.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Pipelines/LowerToCpu.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Support/TargetInfo.h"
#include "sparseconv/Target/LLVMIR/LLVMIRTranslation.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <chrono>
#include <omp.h>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::HostTensor;
using ::sparseconv::StatusRecord;

struct CpuExecutable::Impl {
  llvm::StringMap<Signature> signatures;
  /// Name and location of each network operation, by number.
  SmallVector<OpPlace> operations;
  /// The same of each kernel, where the module is instrumented.
  SmallVector<OpPlace> kernels;
  std::unique_ptr<Jit> jit;
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

StringRef mlir::sparseconv::getNativeLevel() {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto has = [&](StringRef name) { return features.lookup(name); };
  if (has("avx512f") && has("avx512vl") && has("avx512dq"))
    return "avx512";
  return has("avx2") && has("fma") ? "avx2" : "sse2";
}

static llvm::Expected<llvm::orc::JITTargetMachineBuilder>
describeMachine(const CpuOptions &options) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
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
    builder->getFeatures() = llvm::SubtargetFeatures();
    builder->setCPU(llvm::StringSwitch<std::string>(options.level)
                        .Case("avx512", "x86-64-v4")
                        .Case("avx2", "x86-64-v3")
                        .Default("x86-64"));
  }
  builder->setCodeGenOptLevel(options.optimize
                                  ? llvm::CodeGenOptLevel::Aggressive
                                  : llvm::CodeGenOptLevel::None);
  return builder;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Reads and drops a table of names and locations, which only people need.
static SmallVector<OpPlace> takeTable(ModuleOp module, StringRef name) {
  SmallVector<OpPlace> places = readOpPlaces(module, name);
  module->removeAttr(name);
  return places;
}

/// In front of the name of every function of a network, so that none is taken
/// for one of the runtime, the C library or the C interface.
static constexpr StringLiteral kPrefix = "network.";

static void renameFunctions(ModuleOp module) {
  for (auto function : llvm::to_vector(module.getOps<func::FuncOp>())) {
    auto name =
        StringAttr::get(module.getContext(), kPrefix + function.getName());
    // Fails for operations that a verified network does not have.
    (void)SymbolTable::replaceAllSymbolUses(function, name, module);
    function.setSymNameAttr(name);
  }
}

llvm::Expected<std::unique_ptr<CpuExecutable>>
CpuExecutable::compile(ModuleOp module, const CpuOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->numThreads =
      options.numThreads ? options.numThreads : omp_get_num_procs();
  auto machine = describeMachine(options);
  if (!machine)
    return machine.takeError();

  OwningOpRef<ModuleOp> lowered(module.clone());
  PassManager checks(module.getContext());
  checks.addPass(createSparseConvVerifyNetwork({options.allowKernels}));
  if (failed(checks.run(*lowered)))
    return llvm::createStringError("the module is not a network");
  for (auto function : lowered->getOps<func::FuncOp>()) {
    if (function.isPrivate())
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
  renameFunctions(*lowered);

  PassManager pm(module.getContext());
#ifdef NDEBUG
  pm.enableVerifier(false);
#endif
  LowerToCpuOptions pipeline;
  StringRef level =
      options.level.empty() ? getNativeLevel() : StringRef(options.level);
  pipeline.target = ("cpu:" + level).str();
  pipeline.instrument = options.instrument;
  pipeline.selection.set(options.selection);
  buildLowerToCpuPipeline(pm, pipeline);
  if (failed(pm.run(*lowered)))
    return llvm::createStringError(
        "the module could not be lowered to the CPU");
  impl->operations = takeTable(*lowered, kOpTableAttr);
  impl->kernels = takeTable(*lowered, "sparseconv.kernel_table");

  DialectRegistry translations;
  registerLLVMIRTranslation(translations);
  module.getContext()->appendDialectRegistry(translations);
  auto jit = Jit::compile(*lowered, std::move(*machine));
  if (!jit)
    return jit.takeError();
  impl->jit = std::move(*jit);
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
  auto address = jit->lookup((kPrefix + entry).str());
  if (!address)
    return address.takeError();
  function = *address;
  return llvm::Error::success();
}

llvm::Error CpuExecutable::Impl::toError(const StatusRecord &status) const {
  if (status.code == 0)
    return llvm::Error::success();
  OpPlace op;
  if (status.opId >= 0 && status.opId < static_cast<int64_t>(operations.size()))
    op = operations[status.opId];
  return llvm::createStringError(
      ::sparseconv::formatStatus(status, op.name, op.place));
}

llvm::Expected<std::vector<HostTensor>>
CpuExecutable::run(StringRef entry, ArrayRef<HostTensor> arguments) {
  const Signature *signature;
  void (*function)(void **);
  if (llvm::Error error = impl->prepare(entry, arguments, signature, function))
    return error;
  omp_set_num_threads(impl->numThreads);
  CallFrame frame(*signature, arguments);
  if (llvm::Error error = frame.call(function))
    return error;
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
    if (llvm::Error error = frame.call(function))
      return error;
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
