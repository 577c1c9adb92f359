//===- SparseConvConvOps.cpp - convolution and its gradients --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomDirectives.h"
#include "FeatureVerification.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Weights: [K, C_in, C_out] or [K, G, C_in/G, C_out/G]
//===----------------------------------------------------------------------===//

static int64_t getGroups(RankedTensorType w) {
  return w.getRank() == 4 ? w.getDimSize(1) : 1;
}

static int64_t getInChannels(RankedTensorType w) {
  return getGroups(w) * w.getDimSize(w.getRank() - 2);
}

static int64_t getOutChannels(RankedTensorType w) {
  return getGroups(w) * w.getDimSize(w.getRank() - 1);
}

static bool isStaticAndPositive(RankedTensorType w) {
  return llvm::all_of(w.getShape(), [](int64_t size) {
    return !ShapedType::isDynamic(size) && size >= 1;
  });
}

namespace {
/// The channels on one side of weights.
struct Side {
  StringRef name;
  int64_t (*count)(RankedTensorType w);
};
} // namespace

/// The weights fit the map, and the features `x` that one side of them is
/// applied to.
static LogicalResult verifyWeights(Operation *op, RankedTensorType w,
                                   KernelMapType map, StringRef name,
                                   RankedTensorType x, Side side) {
  if (failed(verifyFeatures(op, name, x)))
    return failure();
  if (w.getEncoding() || !isStaticAndPositive(w))
    return op->emitOpError("expects 'w' to have static sizes of at least 1 and "
                           "no encoding, but found ")
           << w;
  if (w.getDimSize(0) != map.getVolume())
    return op->emitOpError("expects ")
           << map.getVolume()
           << " weight slices, one for each offset of the map, but found "
           << w.getDimSize(0);
  if (failed(verifySameElement(op, "w", w, name, x)))
    return failure();
  int64_t channels = side.count(w);
  if (x.getDimSize(1) == channels)
    return success();
  InFlightDiagnostic diag = op->emitOpError("expects '")
                            << name << "' to have the " << channels << " "
                            << side.name << " channels of 'w'";
  if (w.getRank() == 4)
    diag << " (" << getGroups(w) << " groups of " << channels / getGroups(w)
         << ")";
  return diag << ", but found " << x.getDimSize(1);
}

/// The permission to multiply in tf32 is for f32.
static LogicalResult verifyTf32(Operation *op, bool isAllowed, StringRef name,
                                RankedTensorType x) {
  if (!isAllowed || x.getElementType().isF32())
    return success();
  return op->emitOpError("expects '")
         << name << "' to be of f32 where tf32 is allowed, but found " << x;
}

/// Result of a convolution in either direction: rows of a side of the map.
static LogicalResult
inferFromWeights(std::optional<Location> loc, StringRef name, Value x, Value w,
                 function_ref<int64_t(RankedTensorType)> side,
                 SmallVectorImpl<Type> &types) {
  RankedTensorType xType = inferRankedType(loc, name, x, {2});
  RankedTensorType wType = inferRankedType(loc, "w", w, {3, 4});
  if (!xType || !wType)
    return failure();
  if (!isStaticAndPositive(wType))
    return emitOptionalError(
        loc, "expects 'w' to have static sizes of at least 1, but found ",
        wType);
  types.push_back(getFeatureType(side(wType), xType.getElementType()));
  return success();
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

ParseResult sparseconv::parseEpilogue(
    OpAsmParser &parser,
    SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
    SmallVectorImpl<Type> &types, Region &epilogue) {
  if (failed(parser.parseOptionalKeyword("epilogue")))
    return success();
  if (succeeded(parser.parseOptionalLParen()))
    if (parser.parseOperandList(extras) || parser.parseColonTypeList(types) ||
        parser.parseRParen())
      return failure();
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseRegion(epilogue))
    return failure();
  if (epilogue.empty())
    return parser.emitError(loc, "expects an epilogue that yields one f32, but "
                                 "found an empty region");
  return success();
}

void sparseconv::printEpilogue(OpAsmPrinter &printer, Operation *,
                               OperandRange extras, TypeRange types,
                               Region &epilogue) {
  if (epilogue.empty())
    return;
  printer << " epilogue";
  if (!extras.empty())
    printer << "(" << extras << " : " << types << ")";
  printer << ' ';
  printer.printRegion(epilogue);
}

/// [C_out], or [rows of the out set, C_out].
static LogicalResult verifyExtra(Operation *op, unsigned index, Type type,
                                 int64_t channels) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  Type element = tensor ? tensor.getElementType() : Type();
  if (tensor && (element.isF32() || element.isF16() || element.isBF16()) &&
      (tensor.getRank() == 1 || tensor.getRank() == 2) &&
      tensor.getShape().back() == channels && !tensor.getEncoding())
    return success();
  return op->emitOpError("expects epilogue operand ")
         << index << " to be a [" << channels << "] or [rows, " << channels
         << "] tensor of f32, f16 or bf16, but found " << type;
}

LogicalResult sparseconv::verifyEpilogue(Operation *op, Region &epilogue,
                                         ValueRange extras) {
  if (epilogue.empty())
    return success();
  Block &body = epilogue.front();
  if (body.getNumArguments() != extras.size() + 1)
    return op->emitOpError("expects an epilogue with ")
           << extras.size() + 1
           << " arguments, the f32 accumulator and one for each epilogue "
              "operand, but found "
           << body.getNumArguments();
  Type accumulator = body.getArgument(0).getType();
  if (!accumulator.isF32())
    return op->emitOpError("expects the first argument of the epilogue, the "
                           "accumulator, to be f32, but found ")
           << accumulator;
  for (auto [index, extra, argument] :
       llvm::enumerate(extras, body.getArguments().drop_front())) {
    Type element = cast<ShapedType>(extra.getType()).getElementType();
    if (argument.getType() != element)
      return op->emitOpError("expects argument ")
             << index + 1 << " of the epilogue to be " << element
             << ", the element type of epilogue operand " << index
             << ", but found " << argument.getType();
  }
  auto yield = body.empty() ? YieldOp() : dyn_cast<YieldOp>(body.back());
  if (!yield)
    return op->emitOpError("expects an epilogue that yields one f32, but found "
                           "one that ends otherwise");
  if (yield.getValues().size() != 1)
    return yield.emitOpError("expects to yield one f32, but found ")
           << yield.getValues().size() << " values";
  for (Operation &inner : body.without_terminator())
    if (!isEpilogueOperation(inner)) {
      InFlightDiagnostic diag =
          isDivision(inner)
              ? inner.emitOpError(
                    "divides by what may be zero, which cannot be in "
                    "an epilogue")
              : inner.emitOpError("is no scalar arith or math operation, and "
                                  "no other can be in an epilogue");
      diag.attachNote(op->getLoc())
          << "the convolution of the epilogue is here";
      return diag;
    }
  return success();
}

bool sparseconv::isDivision(Operation &op) {
  APInt divisor;
  return isa<arith::CeilDivSIOp, arith::CeilDivUIOp, arith::DivSIOp,
             arith::DivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
             arith::RemUIOp>(op) &&
         op.getResult(0).getType().isIntOrIndex() &&
         !(matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) &&
           !divisor.isZero() && !divisor.isAllOnes());
}

bool sparseconv::isEpilogueOperation(Operation &op) {
  Dialect *dialect = op.getDialect();
  if (!dialect ||
      (dialect->getNamespace() != "arith" && dialect->getNamespace() != "math"))
    return false;
  if (!isa<arith::ConstantOp>(op) &&
      !OpTrait::hasElementwiseMappableTraits(&op))
    return false;
  if (isDivision(op))
    return false;
  return llvm::all_of(op.getResultTypes(),
                      [](Type type) { return type.isIntOrIndexOrFloat(); });
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

void ConvOp::build(OpBuilder &builder, OperationState &state, Value x, Value w,
                   Value map) {
  build(builder, state, x, w, map, /*extras=*/ValueRange(),
        /*dataflow=*/DataflowAttr(), /*tiling=*/Attribute(),
        /*row_order=*/RowOrderAttr(), /*allow_tf32=*/false,
        /*allow_nondeterministic=*/false);
}

int64_t ConvOp::getGroups() { return ::getGroups(getW().getType()); }
int64_t ConvOp::getInChannels() { return ::getInChannels(getW().getType()); }
int64_t ConvOp::getOutChannels() { return ::getOutChannels(getW().getType()); }

LogicalResult ConvOp::inferReturnTypes(MLIRContext *,
                                       std::optional<Location> loc,
                                       Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  return inferFromWeights(loc, "x", adaptor.getX(), adaptor.getW(),
                          ::getOutChannels, types);
}

LogicalResult ConvOp::verify() {
  RankedTensorType x = getX().getType(), w = getW().getType();
  if (failed(verifyWeights(*this, w, getMap().getType(), "x", x,
                           {"input", ::getInChannels})) ||
      failed(verifyTf32(*this, getAllowTf32(), "x", x)))
    return failure();
  for (auto [index, type] : llvm::enumerate(getExtras().getTypes()))
    if (failed(verifyExtra(*this, index, type, getOutChannels())))
      return failure();
  if (!hasEpilogue() && !getExtras().empty())
    return emitOpError("expects an epilogue region for its ")
           << getExtras().size() << " epilogue operands, but found none";
  return verifyResultType(*this, "y", getY().getType(),
                          getFeatureType(getOutChannels(), x.getElementType()));
}

LogicalResult ConvOp::verifyRegions() {
  return verifyEpilogue(*this, getEpilogue(), getExtras());
}

LogicalResult ConvOp::reifyResultShapes(OpBuilder &builder,
                                        ReifiedRankedShapedTypeDims &shapes) {
  return reifyMapFeatures(builder, *this, MapSide::Out, getMap(), shapes);
}

void ConvOp::getAsmBlockArgumentNames(Region &region,
                                      OpAsmSetValueNameFn setName) {
  if (region.empty())
    return;
  for (BlockArgument argument : region.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number == 0) {
      setName(argument, "acc");
      continue;
    }
    if (number > getExtras().size())
      return;
    auto extra = dyn_cast<RankedTensorType>(getExtras()[number - 1].getType());
    setName(argument, extra && extra.getRank() == 1 ? "channel" : "row");
  }
}

//===----------------------------------------------------------------------===//
// YieldOp
//===----------------------------------------------------------------------===//

/// The implicit terminator of an epilogue that is being built; the verifier
/// asks for its value.
void YieldOp::build(OpBuilder &, OperationState &) {}

//===----------------------------------------------------------------------===//
// InputGradOp
//===----------------------------------------------------------------------===//

LogicalResult InputGradOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  return inferFromWeights(loc, "dy", adaptor.getDy(), adaptor.getW(),
                          ::getInChannels, types);
}

LogicalResult InputGradOp::verify() {
  RankedTensorType dy = getDy().getType(), w = getW().getType();
  if (failed(verifyWeights(*this, w, getMap().getType(), "dy", dy,
                           {"output", ::getOutChannels})) ||
      failed(verifyTf32(*this, getAllowTf32(), "dy", dy)))
    return failure();
  return verifyResultType(
      *this, "dx", getDx().getType(),
      getFeatureType(::getInChannels(w), dy.getElementType()));
}

LogicalResult
InputGradOp::reifyResultShapes(OpBuilder &builder,
                               ReifiedRankedShapedTypeDims &shapes) {
  return reifyMapFeatures(builder, *this, MapSide::In, getMap(), shapes);
}

//===----------------------------------------------------------------------===//
// WeightGradOp
//===----------------------------------------------------------------------===//

/// Rank 3 without `groups`, rank 4 with them.
static RankedTensorType getWeightType(int64_t volume, RankedTensorType x,
                                      RankedTensorType dy,
                                      std::optional<int64_t> groups) {
  int64_t in = x.getDimSize(1), out = dy.getDimSize(1);
  if (!groups)
    return RankedTensorType::get({volume, in, out}, x.getElementType());
  return RankedTensorType::get({volume, *groups, in / *groups, out / *groups},
                               x.getElementType());
}

LogicalResult WeightGradOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType x = inferRankedType(loc, "x", adaptor.getX(), {2});
  RankedTensorType dy = inferRankedType(loc, "dy", adaptor.getDy(), {2});
  if (!x || !dy)
    return failure();
  if (x.isDynamicDim(1) || dy.isDynamicDim(1))
    return emitOptionalError(
        loc, "expects 'x' and 'dy' to have static channels, but found ", x,
        " and ", dy);
  std::optional<int64_t> groups = adaptor.getGroups();
  if (groups && *groups < 1)
    return emitOptionalError(loc, "expects at least 1 group, but found ",
                             *groups);
  auto map = cast<KernelMapType>(adaptor.getMap().getType());
  types.push_back(getWeightType(map.getVolume(), x, dy, groups));
  return success();
}

LogicalResult WeightGradOp::verify() {
  RankedTensorType x = getX().getType(), dy = getDy().getType();
  if (failed(verifyFeatures(*this, "x", x)) ||
      failed(verifyFeatures(*this, "dy", dy)) ||
      failed(verifySameElement(*this, "dy", dy, "x", x)) ||
      failed(verifyTf32(*this, getAllowTf32(), "x", x)))
    return failure();
  std::optional<int64_t> groups = getGroups();
  if (groups && *groups < 1)
    return emitOpError("expects at least 1 group, but found ") << *groups;
  if (groups &&
      (x.getDimSize(1) % *groups != 0 || dy.getDimSize(1) % *groups != 0))
    return emitOpError("expects the channels of 'x' and 'dy' to be multiples "
                       "of the ")
           << *groups << " groups, but found " << x.getDimSize(1) << " and "
           << dy.getDimSize(1);
  return verifyResultType(
      *this, "dw", getDw().getType(),
      getWeightType(getMap().getType().getVolume(), x, dy, groups));
}

LogicalResult
WeightGradOp::reifyResultShapes(OpBuilder &builder,
                                ReifiedRankedShapedTypeDims &shapes) {
  shapes.emplace_back();
  for (int64_t size : getDw().getType().getShape())
    shapes.back().push_back(builder.getIndexAttr(size));
  return success();
}
