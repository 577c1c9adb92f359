//===- Entry.cpp - host tensors in, a run, host tensors out ---------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "sparseconv/Support/Memory.h"
#include "sparseconv/Support/Shorten.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

static llvm::Error makeArgumentError(unsigned number, const HostTensor &tensor,
                                     Type type) {
  return llvm::createStringError("argument " + Twine(number) + ": expected " +
                                 ::sparseconv::printShort(type) + ", found " +
                                 tensor.getTypeString());
}

static llvm::Expected<ReferenceValue> importArgument(unsigned number,
                                                     const HostTensor &tensor,
                                                     Type type, bool exact) {
  auto tensorType = dyn_cast<RankedTensorType>(type);
  std::optional<ElementKind> kind = getElementKind(type);
  if (!kind || (!tensorType && !type.isIntOrIndexOrFloat())) {
    return llvm::createStringError(
        "argument " + Twine(number) +
        ": an entry function takes tensors and scalars, found " +
        ::sparseconv::printShort(type));
  }
  bool isFloat = ::sparseconv::isFloat(*kind);
  bool kindFits = tensor.getKind() == *kind ||
                  (exact && isFloat && tensor.getKind() == ElementKind::F64);
  ArrayRef<int64_t> shape;
  if (tensorType)
    shape = tensorType.getShape();
  if (!kindFits || shape.size() != tensor.getShape().size())
    return makeArgumentError(number, tensor, type);
  for (auto [expected, found] : llvm::zip(shape, tensor.getShape()))
    if (!ShapedType::isDynamic(expected) && expected != found)
      return makeArgumentError(number, tensor, type);
  if (!shape.empty() && tensor.getDim(0) > ::sparseconv::kMaxRows)
    return llvm::createStringError(
        "argument " + Twine(number) + " has " + Twine(tensor.getDim(0)) +
        " rows, more than the limit of " + Twine(::sparseconv::kMaxRows));
  if (!tensorType) {
    if (isFloat)
      return ReferenceValue(tensor.getDouble(0));
    return ReferenceValue(tensor.getKind() == ElementKind::I64
                              ? tensor.as<int64_t>()[0]
                              : static_cast<int64_t>(tensor.getDouble(0)));
  }
  if (llvm::Error error =
          ::sparseconv::checkMemory(tensor.getNumElements() * sizeof(double)))
    return llvm::createStringError("argument " + Twine(number) + ": " +
                                   llvm::toString(std::move(error)));
  DenseValue dense;
  dense.kind = *kind;
  dense.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  Elements elements(tensor.getNumElements());
  for (int64_t i = 0, e = elements.size(); i < e; ++i)
    elements[i] = tensor.getDouble(i);
  dense.data = std::make_shared<const Elements>(std::move(elements));
  return ReferenceValue(std::move(dense));
}

static llvm::Expected<HostTensor> exportElements(unsigned number,
                                                 ElementKind kind,
                                                 ArrayRef<int64_t> shape,
                                                 ArrayRef<double> elements) {
  auto tensor = HostTensor::create(kind, shape);
  if (!tensor)
    return llvm::createStringError("result " + Twine(number) + ": " +
                                   llvm::toString(tensor.takeError()));
  for (int64_t i = 0, e = elements.size(); i < e; ++i)
    tensor->setDouble(i, elements[i]);
  return tensor;
}

static llvm::Expected<BoundedResult> exportResult(unsigned number,
                                                  const ReferenceValue &value,
                                                  Type type, const Run &run) {
  BoundedResult result;
  std::optional<ElementKind> kind = getElementKind(type);
  if (!kind || std::holds_alternative<CoordinateSetRef>(value) ||
      std::holds_alternative<KernelMapRef>(value))
    return llvm::createStringError(
        "result " + Twine(number) +
        ": an entry function returns tensors and scalars");
  if (run.options.exact && ::sparseconv::isFloat(*kind))
    kind = ElementKind::F64;
  if (auto *dense = std::get_if<DenseValue>(&value)) {
    if (dense->bound) {
      kind = ElementKind::F64;
      auto bound = exportElements(number, *kind, dense->shape, *dense->bound);
      if (!bound)
        return bound.takeError();
      result.bound = std::move(*bound);
    }
    auto exported =
        exportElements(number, *kind, dense->shape,
                       dense->bound ? *dense->unrounded : *dense->data);
    if (!exported)
      return exported.takeError();
    result.value = std::move(*exported);
    result.roundedTo = dense->roundedTo;
    return result;
  }
  result.value = HostTensor(*kind, {});
  if (auto *number = std::get_if<double>(&value))
    result.value.setDouble(0, *number);
  else if (*kind == ElementKind::I64)
    result.value.as<int64_t>()[0] = std::get<int64_t>(value);
  else
    result.value.setDouble(0, static_cast<double>(std::get<int64_t>(value)));
  return result;
}

static llvm::Expected<std::vector<BoundedResult>>
runEntry(ModuleOp module, StringRef entry, ArrayRef<HostTensor> args,
         const ReferenceOptions &options, bool wantBounds) {
  Run run;
  run.module = module;
  run.options = options;
  run.wantBounds = wantBounds;
  registerControlFlow(run.table);
  registerTensors(run.table);
  registerCoords(run.table);
  registerMaps(run.table);
  registerConv(run.table);
  registerPool(run.table);
  registerGlobalPool(run.table);
  registerRows(run.table);
  registerPoints(run.table);

  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function)
    return llvm::createStringError("no function '" + entry + "' in the module");
  if (function.getNumArguments() != args.size())
    return llvm::createStringError("function '" + entry + "' takes " +
                                   Twine(function.getNumArguments()) +
                                   " arguments, found " + Twine(args.size()));
  SmallVector<ReferenceValue> values;
  for (auto [number, arg] : llvm::enumerate(args)) {
    auto value = importArgument(
        number, arg, function.getArgumentTypes()[number], options.exact);
    if (!value)
      return value.takeError();
    values.push_back(std::move(*value));
  }
  auto outputs = callFunction(run, function, entry, std::move(values));
  if (!outputs)
    return outputs.takeError();
  std::vector<BoundedResult> results;
  for (auto [number, output] : llvm::enumerate(*outputs)) {
    auto result =
        exportResult(number, output, function.getResultTypes()[number], run);
    if (!result)
      return result.takeError();
    results.push_back(std::move(*result));
  }
  return results;
}

llvm::Expected<std::vector<HostTensor>>
mlir::sparseconv::runReference(ModuleOp module, StringRef entry,
                               ArrayRef<HostTensor> args,
                               const ReferenceOptions &options) {
  auto results = runEntry(module, entry, args, options, /*wantBounds=*/false);
  if (!results)
    return results.takeError();
  std::vector<HostTensor> tensors;
  for (BoundedResult &result : *results)
    tensors.push_back(std::move(result.value));
  return tensors;
}

llvm::Expected<std::vector<BoundedResult>>
mlir::sparseconv::runReferenceWithBounds(ModuleOp module, StringRef entry,
                                         ArrayRef<HostTensor> args,
                                         const ReferenceOptions &options) {
  return runEntry(module, entry, args, options, /*wantBounds=*/true);
}
