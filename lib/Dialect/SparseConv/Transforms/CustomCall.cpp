//===- CustomCall.cpp - calls that other compilers name -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomCall.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// The forms of a call
//===----------------------------------------------------------------------===//

static LogicalResult readStableHLOCall(CustomCall &call);
static LogicalResult readComposite(CustomCall &call);
static LogicalResult readTorchOperator(CustomCall &call);

namespace {
/// How one kind of operation calls: the attribute with the name, what the name
/// begins with, and where operands and attributes are.
struct CallForm {
  StringLiteral operation, name, prefix;
  LogicalResult (*read)(CustomCall &call);
};
} // namespace

static constexpr CallForm kForms[] = {
    {"stablehlo.custom_call", "call_target_name", "sparseconv.",
     readStableHLOCall},
    {"stablehlo.composite", "name", "sparseconv.", readComposite},
    {"torch.operator", "name", "torch.sparseconv.", readTorchOperator},
};

static const CallForm *findForm(Operation *op) {
  const CallForm *form = llvm::find_if(kForms, [&](const CallForm &form) {
    return op->getName().getStringRef() == form.operation;
  });
  return form == std::end(kForms) ? nullptr : form;
}

std::optional<StringRef> mlir::sparseconv::getCalledName(Operation *op) {
  const CallForm *form = findForm(op);
  if (!form)
    return std::nullopt;
  auto name = op->getAttrOfType<StringAttr>(form->name);
  StringRef rest = name ? name.getValue() : StringRef();
  if (!rest.consume_front(form->prefix))
    return std::nullopt;
  return rest;
}

/// Adds what a dictionary gives.
static LogicalResult readAttributes(CustomCall &call, StringRef name,
                                    Attribute attribute) {
  if (!attribute)
    return success();
  auto dictionary = dyn_cast<DictionaryAttr>(attribute);
  // An empty string is how StableHLO writes that there is nothing.
  if (auto string = dyn_cast<StringAttr>(attribute);
      string && string.getValue().empty())
    return success();
  if (!dictionary)
    return call.op->emitError("'") << name << "' is no dictionary";
  call.attributes.append(dictionary.begin(), dictionary.end());
  return success();
}

/// JAX appends the shapes of results as operands where sizes are symbols.
static LogicalResult dropShapeOperands(CustomCall &call) {
  Attribute attribute = call.op->getAttr("indices_of_shape_operands");
  if (!attribute)
    return success();
  auto indices = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!indices || !indices.getElementType().isInteger(64))
    return call.op->emitError("'indices_of_shape_operands' is no list of i64");
  SmallVector<Value> kept;
  for (auto [i, operand] : llvm::enumerate(call.operands))
    if (!llvm::is_contained(indices.getValues<int64_t>(), int64_t(i)))
      kept.push_back(operand);
  call.operands = std::move(kept);
  return success();
}

static LogicalResult readStableHLOCall(CustomCall &call) {
  auto effect = call.op->getAttrOfType<BoolAttr>("has_side_effect");
  if (effect && effect.getValue())
    return call.op->emitError(
        "it has side effects, which no operation of sparseconv has");
  for (StringRef name : {"backend_config", "mhlo.backend_config"})
    if (failed(readAttributes(call, name, call.op->getAttr(name))))
      return failure();
  return dropShapeOperands(call);
}

static LogicalResult readComposite(CustomCall &call) {
  return readAttributes(call, "composite_attributes",
                        call.op->getAttr("composite_attributes"));
}

/// The attribute of a number, a flag or a string that torch-mlir has as a
/// constant; null for anything else.
static Attribute getTorchScalar(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->getName().getStringRef().starts_with("torch.constant."))
    return {};
  return op->getAttr("value");
}

/// What a constant operand says: an attribute, null for `None`, or failure.
static FailureOr<Attribute> getTorchConstant(Value value) {
  Operation *op = value.getDefiningOp();
  StringRef name = op ? op->getName().getStringRef() : StringRef();
  if (name == "torch.constant.none")
    return Attribute();
  if (name == "torch.prim.ListConstruct") {
    SmallVector<Attribute> elements =
        llvm::map_to_vector(op->getOperands(), getTorchScalar);
    if (!llvm::all_of(elements, [](Attribute element) { return !!element; }))
      return failure();
    return Attribute(ArrayAttr::get(value.getContext(), elements));
  }
  if (Attribute scalar = getTorchScalar(value))
    return scalar;
  return failure();
}

/// A schema of torch has the attributes behind the tensors, in the rule's
/// order.
static LogicalResult readTorchOperator(CustomCall &call) {
  size_t tensors = call.rule->operands.size();
  if (call.operands.size() <= tensors)
    return success();
  ArrayRef<CallAttribute> attributes = call.rule->attributes;
  auto constants = ArrayRef(call.operands).drop_front(tensors);
  if (constants.size() > attributes.size())
    return success();
  for (auto [attribute, value] : llvm::zip(attributes, constants)) {
    FailureOr<Attribute> constant = getTorchConstant(value);
    if (failed(constant))
      return call.op->emitError("'")
             << attribute.name << "' is no constant, and has to be one";
    if (*constant)
      call.attributes.append(attribute.name, *constant);
  }
  call.operands.truncate(tensors);
  return success();
}

//===----------------------------------------------------------------------===//
// What a rule says
//===----------------------------------------------------------------------===//

static LogicalResult verifyNames(const CustomCall &call) {
  const CallRule &rule = *call.rule;
  llvm::StringSet<> seen;
  for (NamedAttribute attribute : call.attributes) {
    StringRef name = attribute.getName();
    bool isKnown = llvm::any_of(rule.attributes, [&](const CallAttribute &a) {
      return a.name == name;
    });
    if (isKnown && !seen.insert(name).second)
      return call.op->emitError("it has the attribute '") << name << "' twice";
    if (isKnown)
      continue;
    InFlightDiagnostic error = call.op->emitError("'sparseconv.")
                               << rule.name << "' has no attribute '" << name
                               << "', but ";
    llvm::interleaveComma(rule.attributes, error, [&](const CallAttribute &a) {
      error << a.name;
      if (!a.fallback.empty())
        error << " = " << a.fallback;
    });
    return error;
  }
  return success();
}

static LogicalResult verifyCount(const CustomCall &call, StringRef verb,
                                 ArrayRef<StringRef> names, size_t count) {
  if (names.size() == count)
    return success();
  InFlightDiagnostic error = call.op->emitError("'sparseconv.")
                             << call.rule->name << "' " << verb << " (";
  llvm::interleaveComma(names, error);
  return error << "), which are " << names.size() << " values and not "
               << count;
}

static LogicalResult verifyPresence(const CustomCall &call) {
  for (const CallAttribute &attribute : call.rule->attributes)
    if (attribute.fallback.empty() && !call.attributes.get(attribute.name))
      return call.op->emitError("the attribute '")
             << attribute.name << "' is missing";
  return success();
}

static LogicalResult verifyTypes(const CustomCall &call) {
  auto verify = [&](StringRef name, Type type) -> LogicalResult {
    if (RankedTensorType tensor = getCalledType(type)) {
      if (!tensor.getEncoding())
        return success();
      return call.op->emitError("'") << name << "' has an encoding: " << type;
    }
    return call.op->emitError("'")
           << name << "' is no tensor of known rank, but " << type;
  };
  for (auto [name, value] : llvm::zip(call.rule->operands, call.operands))
    if (failed(verify(name, value.getType())))
      return failure();
  for (auto [name, type] :
       llvm::zip(call.rule->results, call.op->getResultTypes()))
    if (failed(verify(name, type)))
      return failure();
  return success();
}

FailureOr<CustomCall> mlir::sparseconv::readCall(Operation *op,
                                                 const CallRule &rule) {
  if (op->getNumRegions() != 0 || op->getNumSuccessors() != 0)
    return op->emitError("a call has regions or successors, which none of ours "
                         "has");
  CustomCall call{op, &rule, llvm::to_vector(op->getOperands()), {}};
  if (failed(findForm(op)->read(call)) || failed(verifyNames(call)) ||
      failed(verifyCount(call, "takes", rule.operands, call.operands.size())) ||
      failed(verifyCount(call, "gives", rule.results, op->getNumResults())) ||
      failed(verifyPresence(call)) || failed(verifyTypes(call)))
    return failure();
  return call;
}

//===----------------------------------------------------------------------===//
// Types of torch-mlir
//===----------------------------------------------------------------------===//

/// The element type that torch-mlir names; builtin tensors have integers
/// without a sign. Null for what no tensor of ours has.
static Type getTorchElement(StringRef text, MLIRContext *context) {
  Builder builder(context);
  if (text == "f16")
    return builder.getF16Type();
  if (text == "bf16")
    return builder.getBF16Type();
  if (text == "f32")
    return builder.getF32Type();
  if (text == "f64")
    return builder.getF64Type();
  unsigned width = 0;
  if (text.consume_front("si") || text.consume_front("ui") ||
      text.consume_front("i"))
    if (!text.getAsInteger(10, width) && width >= 1 && width <= 64)
      return builder.getIntegerType(width);
  return {};
}

/// The text of a type is the one thing that is the same whether its dialect is
/// loaded or not.
RankedTensorType mlir::sparseconv::getCalledType(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor;
  std::string buffer = llvm::formatv("{0}", type);
  StringRef text = buffer;
  if (!text.consume_front("!torch.vtensor<[") || !text.consume_back(">"))
    return {};
  auto [sizes, element] = text.split("],");
  SmallVector<int64_t> shape;
  SmallVector<StringRef> parts;
  sizes.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef part : parts) {
    int64_t size = ShapedType::kDynamic;
    if (part.trim() != "?" && (part.trim().getAsInteger(10, size) || size < 0))
      return {};
    shape.push_back(size);
  }
  Type elementType = getTorchElement(element, type.getContext());
  return elementType ? RankedTensorType::get(shape, elementType)
                     : RankedTensorType();
}

/// A cast of `value` to `type` that stands in front of where `builder` builds,
/// in its block. No pass knows that two casts of one value are equal.
static Value findCast(OpBuilder &builder, Value value, StringRef name,
                      Type type) {
  Operation *next = &*builder.getInsertionPoint();
  for (Operation *user : value.getUsers())
    if (user->getName().getStringRef() == name &&
        user->getBlock() == next->getBlock() && user->isBeforeInBlock(next) &&
        user->getResult(0).getType() == type)
      return user->getResult(0);
  return {};
}

Value mlir::sparseconv::bridge(OpBuilder &builder, Value value, Type type) {
  if (value.getType() == type)
    return value;
  static constexpr StringLiteral kFrom = "torch_c.from_builtin_tensor",
                                 kTo = "torch_c.to_builtin_tensor";
  bool toBuiltin = isa<RankedTensorType>(type);
  Operation *source = value.getDefiningOp();
  if (toBuiltin && source && source->getName().getStringRef() == kFrom &&
      source->getOperand(0).getType() == type)
    return source->getOperand(0);
  StringRef name = toBuiltin ? kTo : kFrom;
  if (Value cast = findCast(builder, value, name, type))
    return cast;
  OperationState state(value.getLoc(), name, value, type);
  return builder.create(state)->getResult(0);
}
