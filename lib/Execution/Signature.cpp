//===- Signature.cpp - what an entry function takes -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Execution/Signature.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Support/Shorten.h"
#include "sparseconv/Support/Status.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::ElementKind;
using ::sparseconv::HostTensor;
using ::sparseconv::joinShort;
using ::sparseconv::printShort;

std::optional<ElementKind> mlir::sparseconv::getElementKind(Type type) {
  if (type.isIndex())
    return ElementKind::I64;
  if (type.isInteger(8))
    return type.isUnsignedInteger() ? ElementKind::U8 : ElementKind::I8;
  if (!type.isIntOrFloat())
    return std::nullopt;
  std::string name;
  llvm::raw_string_ostream(name) << type;
  return ::sparseconv::parseElementKind(name);
}

static llvm::Expected<Parameter> getParameter(std::string name, Type type) {
  Parameter parameter{std::move(name), type, ElementKind::F32, {}, {}};
  Type element = type;
  if (auto tensor = dyn_cast<RankedTensorType>(type)) {
    element = tensor.getElementType();
    parameter.shape = llvm::to_vector(tensor.getShape());
  }
  std::optional<ElementKind> kind = getElementKind(element);
  if (!kind)
    return llvm::createStringError(
        "'" + parameter.name + "' has type " + printShort(type) +
        "; an entry function takes and returns ranked tensors and scalars of "
        "i1, i8, i16, i32, i64, index, f16, bf16, f32 and f64");
  parameter.kind = *kind;
  return parameter;
}

llvm::Expected<Signature> mlir::sparseconv::getSignature(ModuleOp module,
                                                         StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  if (!function || function.isExternal()) {
    std::string text = ("no function '@" + entry + "' with a body").str();
    SmallVector<StringRef> names;
    for (auto candidate : module.getOps<func::FuncOp>())
      if (!candidate.isExternal())
        names.push_back(candidate.getName());
    text += names.empty() ? "; the module has none"
                          : "; there are: @" + joinShort(names, ", @");
    return llvm::createStringError(text);
  }

  Signature signature;
  auto add = [](SmallVectorImpl<Parameter> &parameters, std::string name,
                Type type) -> llvm::Error {
    llvm::Expected<Parameter> parameter = getParameter(std::move(name), type);
    if (!parameter)
      return parameter.takeError();
    parameters.push_back(std::move(*parameter));
    return llvm::Error::success();
  };
  for (auto [number, type] : llvm::enumerate(function.getArgumentTypes())) {
    if (llvm::Error error =
            add(signature.arguments, getArgumentName(function, number), type))
      return error;
    signature.arguments.back().equalRows = getEqualRows(function, number);
  }
  for (auto [number, type] : llvm::enumerate(function.getResultTypes()))
    if (llvm::Error error =
            add(signature.results, getResultName(function, number), type))
      return error;
  return signature;
}

llvm::MapVector<StringRef, Signature>
mlir::sparseconv::getEntries(ModuleOp module) {
  llvm::MapVector<StringRef, Signature> entries;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isExternal())
      continue;
    llvm::Expected<Signature> signature =
        getSignature(module, function.getName());
    if (signature)
      entries[function.getName()] = std::move(*signature);
    else
      llvm::consumeError(signature.takeError());
  }
  return entries;
}

llvm::Error mlir::sparseconv::refuseEntry(StringRef name) {
  return llvm::createStringError("no public function '@" + name +
                                 "' of tensors and scalars in the module");
}

bool mlir::sparseconv::isSize(const ::sparseconv::plan::Value &input) {
  return input.type == ::sparseconv::plan::ElementType::I8 &&
         input.dims.size() == 2 && input.dims[1].size == 0;
}

Signature
mlir::sparseconv::getSignature(const ::sparseconv::plan::Function &function,
                               MLIRContext *context) {
  auto getParameter = [&](const ::sparseconv::plan::Value &value) {
    Parameter parameter;
    parameter.name = value.name;
    Builder b(context);
    if (isSize(value)) {
      parameter.type = b.getIndexType();
      parameter.kind = ElementKind::I64;
      return parameter;
    }
    if (!value.isScalar)
      for (const ::sparseconv::plan::Dim &dim : value.dims)
        parameter.shape.push_back(dim.size == ::sparseconv::plan::kDynamic
                                      ? ShapedType::kDynamic
                                      : dim.size);
    parameter.kind = static_cast<ElementKind>(value.type);
    Type element = parseType(getName(parameter.kind), context);
    parameter.type =
        value.isScalar
            ? element
            : cast<Type>(RankedTensorType::get(parameter.shape, element));
    return parameter;
  };
  Signature signature{llvm::map_to_vector(function.inputs, getParameter),
                      llvm::map_to_vector(function.outputs, getParameter)};
  for (auto [input, other] : function.findEqualRows())
    signature.arguments[input].equalRows = other;
  return signature;
}

llvm::Error mlir::sparseconv::checkArgument(const Parameter &parameter,
                                            const HostTensor &value) {
  bool fits = value.getKind() == parameter.kind &&
              value.getShape().size() == parameter.shape.size();
  if (fits)
    for (auto [expected, found] : llvm::zip(parameter.shape, value.getShape()))
      fits &= ShapedType::isDynamic(expected) || expected == found;
  if (fits && !value.getShape().empty() &&
      value.getDim(0) > ::sparseconv::kMaxRows)
    return llvm::createStringError(
        "'" + parameter.name + "' has " + llvm::Twine(value.getDim(0)) +
        " rows, more than the limit of " + llvm::Twine(::sparseconv::kMaxRows));
  if (fits)
    return llvm::Error::success();
  return llvm::createStringError("'" + parameter.name + "' expects " +
                                 printShort(parameter.type) + ", but found " +
                                 value.getTypeString());
}

llvm::Error mlir::sparseconv::checkArguments(const Signature &signature,
                                             ArrayRef<HostTensor> arguments) {
  if (arguments.size() != signature.arguments.size())
    return llvm::createStringError(
        "the function takes " + llvm::Twine(signature.arguments.size()) +
        " arguments, but found " + llvm::Twine(arguments.size()));
  for (auto [parameter, value] : llvm::zip(signature.arguments, arguments))
    if (llvm::Error error = checkArgument(parameter, value))
      return error;
  for (auto [parameter, value] : llvm::zip(signature.arguments, arguments)) {
    if (!parameter.equalRows)
      continue;
    const Parameter &other = signature.arguments[*parameter.equalRows];
    int64_t rows = value.getDim(0);
    int64_t otherRows = arguments[*parameter.equalRows].getDim(0);
    if (rows != otherRows)
      return llvm::createStringError(::sparseconv::plan::describeUnequalRows(
          parameter.name, rows, other.name, otherRows));
  }
  return llvm::Error::success();
}

llvm::Error mlir::sparseconv::addRowCounts(llvm::Error error,
                                           const Signature &signature,
                                           ArrayRef<HostTensor> arguments) {
  std::vector<std::string> counts;
  bool differ = false;
  std::optional<int64_t> first;
  for (auto [parameter, value] : llvm::zip(signature.arguments, arguments)) {
    if (parameter.shape.empty() || !ShapedType::isDynamic(parameter.shape[0]) ||
        value.getShape().empty())
      continue;
    int64_t rows = value.getDim(0);
    counts.push_back("'" + parameter.name + "' has " + std::to_string(rows) +
                     (counts.empty() ? " rows" : ""));
    differ |= rows != first.value_or(rows);
    first = rows;
  }
  if (!differ)
    return error;
  StringRef separator = counts.size() == 2 ? ", but " : ", ";
  return llvm::createStringError(llvm::toString(std::move(error)) +
                                 "\nnote: " + joinShort(counts, separator));
}
