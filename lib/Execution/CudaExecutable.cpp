//===- CudaExecutable.cpp - a module compiled for a GPU -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/CudaExecutable.h"
#include "TimeCalls.h"
#include "sparseconv/Execution/CompileToPlan.h"
#include "sparseconv/Runtime/CudaRuntime.h"
#include "sparseconv/Support/Status.h"
#include "sparseconv/Target/Plan/Assemble.h"
#include "llvm/ADT/StringMap.h"
#include <cstdlib>
#include <cstring>

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;

/// A number that is a size.
static int64_t getNumber(const HostTensor &scalar) {
  int64_t number;
  std::memcpy(&number, scalar.getData(), sizeof(number));
  return number;
}

namespace {
template <typename T, void (*destroy)(T *)> struct Destroy {
  void operator()(T *object) const { destroy(object); }
};
using Context =
    std::unique_ptr<sparseconv_context,
                    Destroy<sparseconv_context, sparseconv_context_destroy>>;
using Program =
    std::unique_ptr<sparseconv_program,
                    Destroy<sparseconv_program, sparseconv_program_destroy>>;
using Instance =
    std::unique_ptr<sparseconv_instance,
                    Destroy<sparseconv_instance, sparseconv_instance_destroy>>;

/// What the runtime takes an input as.
struct InputForm {
  explicit InputForm(const ::sparseconv::plan::Value &value)
      : isSize(mlir::sparseconv::isSize(value)), rank(value.dims.size()) {}
  bool isSize;
  size_t rank;
};

/// Arguments as the runtime takes them; a scalar is a tensor of one element, or
/// where it is a size, of so many rows and no elements.
struct Inputs {
  Inputs(ArrayRef<HostTensor> arguments, ArrayRef<InputForm> forms) {
    for (auto [argument, form] : llvm::zip_equal(arguments, forms)) {
      shapes.push_back(llvm::to_vector(argument.getShape()));
      if (form.isSize)
        shapes.back() = {getNumber(argument), 0};
      else if (shapes.back().empty()) // a scalar, or a tensor of rank 0
        shapes.back().resize(form.rank, 1);
    }
    for (auto [argument, shape, form] :
         llvm::zip_equal(arguments, shapes, forms)) {
      sparseconv_tensor tensor = {};
      tensor.data = const_cast<char *>(argument.getData());
      tensor.type = static_cast<int32_t>(form.isSize ? ElementKind::I8
                                                     : argument.getKind());
      tensor.rank = shape.size();
      tensor.sizes = shape.data();
      tensor.bytes = form.isSize ? 0 : argument.getNumBytes();
      tensors.push_back(tensor);
    }
  }
  std::vector<SmallVector<int64_t>> shapes;
  std::vector<sparseconv_tensor> tensors;
};
} // namespace

struct CudaExecutable::Impl {
  Context context;
  Program program;
  llvm::StringMap<Signature> signatures;
  /// By function.
  llvm::StringMap<SmallVector<InputForm>> forms;
  bool poison = false, exact = false;

  /// The instance of the last call.
  Instance instance;
  std::string entry;
  SmallVector<int64_t> capacities;

  llvm::Error open(const CudaOptions &options);
  llvm::Error load(const ::sparseconv::plan::Plan &plan, StringRef file);
  llvm::Expected<const Signature *> prepare(StringRef name,
                                            ArrayRef<HostTensor> arguments);
};

CudaExecutable::CudaExecutable(std::unique_ptr<Impl> impl)
    : impl(std::move(impl)) {}
CudaExecutable::~CudaExecutable() = default;

/// An error with what the runtime says, unless `code` is SPARSECONV_OK.
static llvm::Error toError(int code) {
  if (code == SPARSECONV_OK)
    return llvm::Error::success();
  return llvm::createStringError(std::string(sparseconv_last_error()));
}

llvm::Error CudaExecutable::Impl::open(const CudaOptions &options) {
  const char *variable = std::getenv("SPARSECONV_POISON");
  exact = options.exact;
  poison = options.poison || (variable && StringRef(variable) == "1");
  sparseconv_context *opened = nullptr;
  llvm::Error error = toError(sparseconv_context_create(0, &opened));
  context.reset(opened);
  return error;
}

llvm::Error CudaExecutable::Impl::load(const ::sparseconv::plan::Plan &plan,
                                       StringRef file) {
  for (const ::sparseconv::plan::Function &function : plan.functions)
    forms[function.name] = {function.inputs.begin(), function.inputs.end()};
  sparseconv_program *loaded = nullptr;
  llvm::Error error = toError(sparseconv_program_load(
      context.get(), file.data(), file.size(), &loaded));
  program.reset(loaded);
  return error;
}

llvm::Expected<std::unique_ptr<CudaExecutable>>
CudaExecutable::compile(ModuleOp module, const CudaOptions &options) {
  auto impl = std::make_unique<Impl>();
  if (llvm::Error error = impl->open(options))
    return error;
  std::string chip = options.chip;
  if (chip.empty())
    chip = sparseconv_context_chip(impl->context.get());

  for (auto &[name, signature] : getEntries(module))
    impl->signatures[name] = std::move(signature);
  auto plan = compileToPlan(
      module, "cuda:" + chip,
      {/*entry=*/{}, options.streams, options.allowKernels, options.selection});
  if (failed(plan))
    return llvm::createStringError(
        "the module could not be compiled for the GPU");
  // The plan keeps its PTX, for the driver. The device may be another chip than
  // the one that is compiled for.
  if (!options.ptxas.empty())
    llvm::consumeError(addMachineCode(
        *plan, options.ptxas, sparseconv_context_chip(impl->context.get())));
  if (llvm::Error error =
          impl->load(*plan, ::sparseconv::plan::serialise(*plan)))
    return error;
  return std::unique_ptr<CudaExecutable>(new CudaExecutable(std::move(impl)));
}

llvm::Expected<std::unique_ptr<CudaExecutable>>
CudaExecutable::load(const ::sparseconv::plan::Plan &plan, StringRef file,
                     MLIRContext *context, const CudaOptions &options) {
  auto impl = std::make_unique<Impl>();
  if (llvm::Error error = impl->open(options))
    return error;
  for (const ::sparseconv::plan::Function &function : plan.functions)
    impl->signatures[function.name] =
        mlir::sparseconv::getSignature(function, context);
  if (llvm::Error error = impl->load(plan, file))
    return error;
  return std::unique_ptr<CudaExecutable>(new CudaExecutable(std::move(impl)));
}

llvm::Expected<const Signature *>
CudaExecutable::Impl::prepare(StringRef name, ArrayRef<HostTensor> arguments) {
  auto it = signatures.find(name);
  if (it == signatures.end())
    return refuseEntry(name);
  const Signature &signature = it->second;
  if (llvm::Error error = checkArguments(signature, arguments))
    return error;
  SmallVector<int64_t> needed;
  auto need = [&](int64_t exact) {
    needed.push_back(poison ? exact + exact / 3 + 5 : exact);
  };
  for (auto [parameter, argument, form] :
       llvm::zip_equal(signature.arguments, arguments, forms[name])) {
    if (form.isSize) {
      int64_t number = getNumber(argument);
      if (number < 0 || number > ::sparseconv::kMaxRows)
        return llvm::createStringError(
            "argument '%s' is a size and has to be 0 .. %lld, but is %lld",
            parameter.name.c_str(),
            static_cast<long long>(::sparseconv::kMaxRows),
            static_cast<long long>(number));
      need(number);
    }
    for (auto [axis, size] : llvm::enumerate(parameter.shape))
      if (ShapedType::isDynamic(size))
        need(argument.getDim(axis));
  }
  if (!instance || entry != name || capacities != needed) {
    instance.reset();
    sparseconv_instance *created = nullptr;
    uint32_t flags =
        (poison ? SPARSECONV_POISON : 0) | (exact ? SPARSECONV_EXACT : 0);
    if (llvm::Error error = toError(sparseconv_instance_create(
            program.get(), name.str().c_str(), needed.data(), needed.size(),
            flags, &created)))
      return error;
    instance.reset(created);
    entry = name.str();
    capacities = needed;
  }
  return &signature;
}

llvm::Expected<std::vector<HostTensor>>
CudaExecutable::run(StringRef entry, ArrayRef<HostTensor> arguments) {
  auto signature = impl->prepare(entry, arguments);
  if (!signature)
    return signature.takeError();
  sparseconv_instance *instance = impl->instance.get();
  Inputs inputs(arguments, impl->forms[entry]);
  if (llvm::Error error = toError(sparseconv_instance_run_host(
          instance, inputs.tensors.data(), inputs.tensors.size())))
    return error;
  std::vector<HostTensor> results;
  for (auto [number, parameter] : llvm::enumerate((*signature)->results)) {
    SmallVector<int64_t> shape(std::max<size_t>(1, parameter.shape.size()));
    uint64_t bytes = 0;
    void *data = nullptr;
    if (llvm::Error error = toError(sparseconv_instance_output(
            instance, number, shape.data(), &bytes, &data)))
      return error;
    shape.resize(parameter.shape.size());
    HostTensor result(parameter.kind, shape);
    if (llvm::Error error = toError(sparseconv_instance_read_output(
            instance, number, result.getData(), result.getNumBytes())))
      return error;
    results.push_back(std::move(result));
  }
  return results;
}

/// Binds the arguments of static shape where they lie since the last run, in
/// the instance's buffers, and takes their data from `inputs`.
static llvm::Error bindArguments(sparseconv_instance *instance,
                                 const Signature &signature, Inputs &inputs) {
  std::vector<sparseconv_tensor> bound = inputs.tensors;
  for (auto [number, parameter] : llvm::enumerate(signature.arguments)) {
    sparseconv_tensor &tensor = bound[number];
    tensor.data = nullptr;
    if (isa<IndexType>(parameter.type) ||
        llvm::any_of(parameter.shape, ShapedType::isDynamic))
      continue;
    if (llvm::Error error = toError(sparseconv_instance_input_buffer(
            instance, number, &tensor.data, &tensor.bytes)))
      return error;
    inputs.tensors[number].data = nullptr;
  }
  return toError(sparseconv_instance_bind(instance, /*stream=*/nullptr,
                                          bound.data(), bound.size()));
}

/// Takes the data of the last run, in the instance's buffers.
static llvm::Error takeBuffers(sparseconv_instance *instance, Inputs &inputs) {
  for (auto [number, tensor] : llvm::enumerate(inputs.tensors))
    if (llvm::Error error = toError(sparseconv_instance_input_buffer(
            instance, number, &tensor.data, &tensor.bytes)))
      return error;
  return llvm::Error::success();
}

/// Lets each run bring all arguments again.
static llvm::Error unbindArguments(sparseconv_instance *instance) {
  return toError(
      sparseconv_instance_bind(instance, /*stream=*/nullptr, nullptr, 0));
}

llvm::Expected<std::vector<double>>
CudaExecutable::time(StringRef entry, ArrayRef<HostTensor> arguments,
                     const Timing &timing) {
  // Brings the arguments into the instance's buffers, where the graph runs.
  auto results = run(entry, arguments);
  if (!results)
    return results.takeError();
  sparseconv_instance *instance = impl->instance.get();
  Inputs inputs(arguments, impl->forms[entry]);
  if (llvm::Error error =
          bindArguments(instance, impl->signatures[entry], inputs))
    return error;
  if (impl->exact) {
    if (llvm::Error error = takeBuffers(instance, inputs))
      return error;
  } else {
    if (llvm::Error error = toError(
            sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0)))
      return error;
    for (sparseconv_tensor &tensor : inputs.tensors)
      tensor.data = nullptr;
  }
  auto start = [&] {
    const sparseconv_tensor *tensors = inputs.tensors.data();
    int64_t count = inputs.tensors.size();
    if (impl->exact)
      return sparseconv_instance_run(instance, /*stream=*/nullptr, tensors,
                                     count, nullptr, 0);
    return sparseconv_instance_replay(instance, /*stream=*/nullptr, tensors,
                                      count);
  };
  auto seconds = timeCalls(timing, [&] {
    if (llvm::Error error = toError(start()))
      return error;
    return toError(sparseconv_instance_results(instance, /*wait=*/1));
  });
  if (!seconds)
    return seconds;
  if (llvm::Error error = unbindArguments(instance))
    return error;
  return seconds;
}

llvm::Expected<std::vector<KernelEvent>>
CudaExecutable::profile(StringRef entry, ArrayRef<HostTensor> arguments,
                        unsigned warmups) {
  // The first brings what is bound.
  for (unsigned i = 0; i < std::max(warmups, 1u); ++i)
    if (auto results = run(entry, arguments); !results)
      return results.takeError();
  sparseconv_instance *instance = impl->instance.get();
  sparseconv_instance_info info;
  if (llvm::Error error =
          toError(sparseconv_instance_describe(instance, &info)))
    return error;
  Inputs inputs(arguments, impl->forms[entry]);
  if (llvm::Error error =
          bindArguments(instance, impl->signatures[entry], inputs))
    return error;
  std::vector<double> times(info.num_steps + 1);
  if (llvm::Error error = toError(
          sparseconv_instance_profile(instance, inputs.tensors.data(),
                                      inputs.tensors.size(), times.data())))
    return error;
  if (llvm::Error error = unbindArguments(instance))
    return error;
  std::vector<KernelEvent> kernels;
  for (int64_t i = 0; i < info.num_steps; ++i) {
    sparseconv_step_info step;
    if (llvm::Error error =
            toError(sparseconv_instance_step(instance, i, &step)))
      return error;
    kernels.push_back(
        {step.name, step.operation, step.location, times[i], times[i + 1]});
  }
  return kernels;
}
