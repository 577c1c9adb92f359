//===- CpuExecutable.cpp - a network on this CPU --------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/CpuExecutable.h"
#include "CpuCode.h"
#include "Jit.h"
#include "TimeCalls.h"
#include "sparseconv/Runtime/CpuProgram.h"
#include "sparseconv/Runtime/CpuRuntime.h"
#include "sparseconv/Runtime/UseThreads.h"
#include "sparseconv/Support/VectorLevels.h"
#include "llvm/ADT/StringMap.h"
#include <cstring>

using namespace mlir;
using namespace mlir::sparseconv;
namespace cpu = ::sparseconv::cpu;
namespace plan = ::sparseconv::plan;
using ::sparseconv::HostTensor;
using ::sparseconv::StatusRecord;

namespace {
struct EntryFunction {
  Signature signature;
  /// The same as plans have it, for code that was compiled here.
  std::vector<plan::Value> arguments, outputs;
  /// The number in a plan.
  size_t number = 0;
};
} // namespace

struct CpuExecutable::Impl {
  llvm::StringMap<EntryFunction> entries;
  /// What was compiled here, or a plan.
  std::unique_ptr<Jit> jit;
  std::shared_ptr<cpu::Program> program;
  /// What numbers in status records and traces of the code stand for.
  std::vector<plan::Op> operations, kernels;
  unsigned numThreads = 0;

  llvm::Expected<const EntryFunction *>
  find(StringRef name, ArrayRef<HostTensor> arguments) const;
  llvm::Error call(StringRef name, const EntryFunction &entry,
                   const std::vector<cpu::Array> &arrays,
                   std::unique_ptr<cpu::Call> &call);
  llvm::Error toError(const StatusRecord &status) const;
};

CpuExecutable::CpuExecutable(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CpuExecutable::~CpuExecutable() = default;

StringRef mlir::sparseconv::getNativeLevel() {
  return *llvm::find_if(::sparseconv::kVectorLevels,
                        ::sparseconv::hasVectorLevel);
}

//===----------------------------------------------------------------------===//
// Creation
//===----------------------------------------------------------------------===//

llvm::Expected<std::unique_ptr<CpuExecutable>>
CpuExecutable::compile(ModuleOp module, const CpuOptions &options) {
  auto impl = std::make_unique<Impl>();
  impl->numThreads = options.numThreads;
  auto machine = describeMachine(options);
  if (!machine)
    return machine.takeError();
  StringRef level =
      options.level.empty() ? getNativeLevel() : StringRef(options.level);
  llvm::Expected<CpuCode> code =
      CpuCode::compile(module, *machine, level, options);
  if (!code)
    return code.takeError();
  for (auto &[name, signature] : code->signatures) {
    auto arguments = toValues(signature.arguments);
    auto outputs = toValues(signature.results);
    impl->entries[name] = {signature,
                           {arguments.begin(), arguments.end()},
                           {outputs.begin(), outputs.end()}};
  }
  impl->operations = std::move(code->operations);
  impl->kernels = std::move(code->kernels);
  auto jit =
      Jit::load(std::move(code->objects), std::move(*machine), options.symbols);
  if (!jit)
    return jit.takeError();
  impl->jit = std::move(*jit);
  return std::unique_ptr<CpuExecutable>(new CpuExecutable(std::move(impl)));
}

llvm::Expected<std::unique_ptr<CpuExecutable>>
CpuExecutable::load(StringRef file, MLIRContext *context,
                    const CpuOptions &options) {
  if (options.instrument)
    return llvm::createStringError("the code of a plan has no marks for a "
                                   "profile");
  auto impl = std::make_unique<Impl>();
  impl->numThreads = options.numThreads;
  if (auto error = cpu::Program::load(file.str(), options.level, impl->program))
    return llvm::createStringError(error.getText());
  for (auto [number, function] :
       llvm::enumerate(impl->program->getPlan().functions))
    impl->entries[function.name] = {
        mlir::sparseconv::getSignature(function, context), {}, {}, number};
  return std::unique_ptr<CpuExecutable>(new CpuExecutable(std::move(impl)));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

llvm::Expected<const EntryFunction *>
CpuExecutable::Impl::find(StringRef name,
                          ArrayRef<HostTensor> arguments) const {
  auto it = entries.find(name);
  if (it == entries.end())
    return refuseEntry(name);
  if (llvm::Error error = checkArguments(it->second.signature, arguments))
    return error;
  return &it->second;
}

static std::vector<cpu::Array> toArrays(const Signature &signature,
                                        ArrayRef<HostTensor> arguments) {
  std::vector<cpu::Array> arrays;
  for (auto [parameter, argument] : llvm::zip(signature.arguments, arguments)) {
    arrays.push_back({argument.getData(), argument.getShape().vec()});
    if (parameter.isScalar())
      arrays.back().sizes = {1};
  }
  return arrays;
}

llvm::Error CpuExecutable::Impl::toError(const StatusRecord &status) const {
  if (status.code == 0)
    return llvm::Error::success();
  return llvm::createStringError(plan::describe(status, operations));
}

llvm::Error CpuExecutable::Impl::call(StringRef name,
                                      const EntryFunction &entry,
                                      const std::vector<cpu::Array> &arrays,
                                      std::unique_ptr<cpu::Call> &call) {
  cpu::UseThreads threads(numThreads);
  if (program) {
    auto error = program->run(entry.number, arrays, call);
    return error ? llvm::createStringError(error.getText())
                 : llvm::Error::success();
  }
  auto function = jit->lookup((llvm::Twine(plan::kPackedPrefix) + name).str());
  if (!function)
    return function.takeError();
  call = std::make_unique<cpu::Call>(entry.arguments, entry.outputs, arrays);
  if (uint64_t missing = call->run(*function))
    return llvm::createStringError(cpu::describeMissing(missing));
  return toError(call->getStatus());
}

/// Copies results out.
static llvm::Expected<std::vector<HostTensor>>
takeResults(const Signature &signature, const cpu::Call &call) {
  std::vector<HostTensor> results;
  for (auto [number, result] : llvm::enumerate(signature.results)) {
    cpu::Array array = call.getOutput(number);
    ArrayRef<int64_t> shape =
        result.isScalar() ? ArrayRef<int64_t>() : ArrayRef(array.sizes);
    llvm::Expected<HostTensor> tensor = HostTensor::create(result.kind, shape);
    if (!tensor)
      return tensor.takeError();
    if (tensor->getNumBytes())
      std::memcpy(tensor->getData(), array.data, tensor->getNumBytes());
    results.push_back(std::move(*tensor));
  }
  return results;
}

void CpuExecutable::setNumThreads(unsigned number) {
  impl->numThreads = number;
}

llvm::Expected<std::vector<HostTensor>>
CpuExecutable::run(StringRef name, ArrayRef<HostTensor> arguments) {
  auto entry = impl->find(name, arguments);
  if (!entry)
    return entry.takeError();
  std::unique_ptr<cpu::Call> call;
  if (llvm::Error error = impl->call(
          name, **entry, toArrays((*entry)->signature, arguments), call))
    return error;
  return takeResults((*entry)->signature, *call);
}

llvm::Expected<std::vector<double>>
CpuExecutable::time(StringRef name, ArrayRef<HostTensor> arguments,
                    const Timing &timing) {
  auto entry = impl->find(name, arguments);
  if (!entry)
    return entry.takeError();
  std::vector<cpu::Array> arrays = toArrays((*entry)->signature, arguments);
  return timeCalls(timing, [&] {
    std::unique_ptr<cpu::Call> call;
    return impl->call(name, **entry, arrays, call);
  });
}

llvm::Expected<std::vector<KernelEvent>>
CpuExecutable::profile(StringRef entry, ArrayRef<HostTensor> arguments,
                       unsigned warmups) {
  auto warm = time(entry, arguments, {warmups, /*repeats=*/0});
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
    const plan::Op &kernel = impl->kernels[event.kernel];
    kernels.push_back({kernel.name, /*operation=*/"", kernel.location,
                       event.begin - events[0].begin,
                       event.end - events[0].begin});
  }
  return kernels;
}
