//===- SparseConvKernelConvOps.cpp - verifiers of convolution kernels -----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FeatureVerification.h"
#include "KernelVerification.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The weights have known sizes, and as many groups of channels on each side as
/// the features `ins` and `outs` have channels.
static void checkWeights(KernelVerifier &v, NamedOperand w, NamedOperand ins,
                         NamedOperand outs, bool isTransposed) {
  if (!w.type.hasStaticShape() || llvm::is_contained(w.type.getShape(), 0)) {
    v.report("'" + w.name + "' to have static sizes of at least 1") << w.type;
    return;
  }
  int64_t rank = w.type.getRank();
  int64_t groups = rank == 4 ? w.getSize(1) : 1;
  for (bool isOut : {false, true}) {
    int64_t channels = w.getSize(isOut != isTransposed ? rank - 1 : rank - 2);
    NamedOperand features = isOut ? outs : ins;
    v.checkStaticColumns(features);
    std::string reason =
        isOut ? "the output channels of '" : "the input channels of '";
    reason += w.name.str() + "'";
    if (rank == 4)
      reason += " (" + std::to_string(groups) + " groups of " +
                std::to_string(channels) + ")";
    v.checkSize(features, 1, multiplySizes(groups, channels), reason);
  }
}

/// The pair lists of `op` have as many offsets as the weights have slices, and
/// as many blocks as `outs`, the features of their out rows.
template <typename OpTy>
static void checkPairLists(KernelVerifier &v, OpTy op, NamedOperand w,
                           NamedOperand outs) {
  NamedOperand segments("segments", op.getSegments());
  int64_t rowBlock = op.getTiling().getRowBlock();
  v.checkSameRows({"out_rows", op.getOutRows()}, {"in_rows", op.getInRows()});
  v.checkSize(segments, 1, w.getSize(0) + 1,
              "one more than the slices of '" + w.name + "'");
  if (int64_t rows = outs.getSize(0); !ShapedType::isDynamic(rows))
    v.checkSize(segments, 0, llvm::divideCeil(rows, rowBlock),
                "the blocks of " + Twine(rowBlock) + " rows of '" + outs.name +
                    "'");
}

/// The operands of the epilogue fit `y`, and have a region to use them. Rows
/// may be picked by `numbers`, one for each row of `y`.
static void checkExtras(KernelVerifier &v, ValueRange extras, Region &epilogue,
                        NamedOperand y, ArrayRef<Value> numbers = {}) {
  for (auto [number, value] : llvm::enumerate(extras)) {
    std::string name = "epilogue operand " + std::to_string(number);
    NamedOperand extra(name, value);
    v.checkSize(extra, extra.type.getRank() - 1, y.getSize(1),
                "the channels of 'y'");
    std::string ofRows = "row numbers of " + name;
    if (!numbers.empty() && numbers[number])
      v.checkSameRows({ofRows, numbers[number]}, y);
    else if (extra.type.getRank() == 2)
      v.checkSameRows(extra, y);
  }
  if (epilogue.empty() && !extras.empty())
    v.report("an epilogue region for its " + Twine(extras.size()) +
             " epilogue operands")
        << "none";
}

LogicalResult GatherGemmScatterOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), w("w", getW()), y("y", getY());
  checkWeights(v, w, x, y, getTransposeWeights());
  if (v.failed())
    return failure();
  checkPairLists(v, *this, w, y);
  checkExtras(v, getExtras(), getEpilogue(), y);
  if (getAtomic()) {
    v.checkElement(y, Float32Type::get(getContext()), "as it is atomic");
    if (!getEpilogue().empty())
      v.report("no epilogue, as it is atomic") << "one";
  }
  return v.getResult();
}

LogicalResult ImplicitGemmOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), w("w", getW()), y("y", getY());
  checkWeights(v, w, x, y, getTransposeWeights());
  if (v.failed())
    return failure();
  NamedOperand table("table", getTable());
  v.checkSize(table, 1, w.getSize(0), "the slices of 'w'");
  v.checkSameRows(table, y);
  checkExtras(v, getExtras(), getEpilogue(), y);
  return v.getResult();
}

SmallVector<int64_t> PackWeightsOp::getOrder() {
  if (auto order = getPermutation())
    return SmallVector<int64_t>(*order);
  return llvm::to_vector(
      llvm::seq<int64_t>(cast<ShapedType>(getW().getType()).getRank()));
}

SmallVector<int64_t> PackWeightsOp::getOrderedShape() {
  return applyPermutation(cast<ShapedType>(getW().getType()).getShape(),
                          getOrder());
}

/// The offsets and groups of weights, whose last two axes are the channels.
static int64_t countSlices(ArrayRef<int64_t> shape) {
  int64_t slices = 1;
  for (int64_t size : shape.drop_back(2))
    slices = multiplySizes(slices, size);
  return slices;
}

MemRefType PackWeightsOp::getWeightsType() {
  SmallVector<int64_t> shape = getOrderedShape();
  int64_t groups = getGroups().value_or(1);
  ArrayRef<int64_t> channels = ArrayRef(shape).take_back(2);
  return MemRefType::get(
      {countSlices(shape) / groups, groups, channels[0], channels[1]},
      cast<ShapedType>(getW().getType()).getElementType());
}

bool PackWeightsOp::keepsSlices() {
  SmallVector<int64_t> order = getOrder();
  int64_t slices = order.size() - 2;
  return llvm::equal(ArrayRef(order).take_front(slices),
                     llvm::seq<int64_t>(0, slices));
}

LogicalResult PackWeightsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand w("w", getW());
  if (!w.type.hasStaticShape())
    v.report("'w' to have static sizes") << w.type;
  else if (auto order = getPermutation();
           order && (int64_t(order->size()) != w.type.getRank() ||
                     !isPermutationVector(*order)))
    v.report("'permutation' to order the axes of 'w'") << getPermutationAttr();
  else if (int64_t slices = countSlices(getOrderedShape());
           ShapedType::isDynamic(slices))
    v.report("fewer than 2^63 slices of 'w'") << w.type;
  else if (slices % getGroups().value_or(1))
    v.report("'groups' to divide the " + Twine(slices) + " slices of 'w'")
        << *getGroups();
  else if (getGroups() && !keepsSlices())
    v.report("groups, and so all slices, in their order")
        << getPermutationAttr();
  return v.getResult();
}

/// How many operands the epilogue takes, by its arguments.
static size_t countExtras(Region &epilogue) {
  if (epilogue.empty() || epilogue.front().getNumArguments() == 0)
    return 0;
  return epilogue.front().getNumArguments() - 1;
}

static bool areRowNumbers(Value operand) {
  return getElementTypeOrSelf(operand.getType()).isInteger(32);
}

Value TiledGemmOp::getBeside() {
  int64_t numValues = llvm::count_if(
      getOthers(), [](Value operand) { return !areRowNumbers(operand); });
  return numValues == int64_t(countExtras(getEpilogue())) + 1
             ? getOthers().front()
             : Value();
}

OperandRange TiledGemmOp::getEpilogueOperands() {
  return getOthers().drop_front(getBeside() ? 1 : 0);
}

SmallVector<TiledGemmOp::Extra> TiledGemmOp::getExtrasWithNumbers() {
  SmallVector<Extra> extras;
  for (Value operand : getEpilogueOperands()) {
    if (areRowNumbers(operand))
      extras.back().numbers = operand;
    else
      extras.push_back({operand, Value()});
  }
  return extras;
}

SmallVector<Value> TiledGemmOp::getExtras() {
  return llvm::map_to_vector(getExtrasWithNumbers(),
                             [](const Extra &extra) { return extra.values; });
}

bool TiledGemmOp::canReadBeside(ShapedType x, ShapedType beside) {
  constexpr int64_t kPiece = 32;
  return getGroups().value_or(1) == 1 && x.getRank() == 2 &&
         beside.getRank() == 2 &&
         x.getElementType() == beside.getElementType() &&
         x.getElementTypeBitWidth() == 16 && !x.isDynamicDim(1) &&
         !beside.isDynamicDim(1) && x.getDimSize(1) % kPiece == 0 &&
         getTiling().getTileK() % kPiece == 0;
}

/// Row numbers stand behind an operand of rows.
static bool areNumbersPlaced(OperandRange operands) {
  Value last;
  for (Value operand : operands) {
    if (areRowNumbers(operand) &&
        (!last || areRowNumbers(last) ||
         cast<ShapedType>(last.getType()).getRank() != 2))
      return false;
    last = operand;
  }
  return true;
}

LogicalResult TiledGemmOp::verify() {
  if (!areNumbersPlaced(getEpilogueOperands()))
    return emitOpError("expects row numbers behind the tensor that they pick "
                       "rows of");
  KernelVerifier v(*this);
  NamedOperand y("y", getY()), tiled("tiled_table", getTiledTable());
  v.checkStaticColumns({"x", getX()});
  if (Value beside = getBeside()) {
    NamedOperand x("x", getX());
    v.checkStaticColumns({"beside", beside});
    v.checkSameRows({"beside", beside}, x);
    auto type = cast<ShapedType>(beside.getType());
    if (int64_t groups = getGroups().value_or(1); groups > 1)
      v.report("one group where a tensor is beside 'x'") << groups;
    if (!canReadBeside(x.type, type))
      v.report("f16 or bf16 and multiples of 32 for the channels of 'x' and "
               "tile_k where a tensor is beside 'x'")
          << x.type << " beside " << type
          << " with tile_k = " << getTiling().getTileK();
  }
  v.checkStaticColumns(y);
  if (v.failed())
    return failure();
  int64_t groups = getGroups().value_or(1);
  for (NamedOperand features : {NamedOperand("x", getX()), y})
    if (features.getSize(1) % groups)
      v.report("'" + features.name + "' to have channels of " + Twine(groups) +
               " groups")
          << features.getSize(1);
  v.checkSize({"order", getOrder()}, 0, tiled.getSize(1),
              "the slots of 'tiled_table'");
  SmallVector<Value> numbers;
  for (const Extra &extra : getExtrasWithNumbers())
    numbers.push_back(extra.numbers);
  checkExtras(v, getExtras(), getEpilogue(), y, numbers);
  return v.getResult();
}

LogicalResult TiledGemmOp::verifyRegions() {
  return verifyEpilogue(*this, getEpilogue(), getExtras());
}

LogicalResult ImplicitGemmOp::verifyRegions() {
  return verifyEpilogue(*this, getEpilogue(), getExtras());
}

LogicalResult GatherGemmScatterOp::verifyRegions() {
  return verifyEpilogue(*this, getEpilogue(), getExtras());
}

LogicalResult WeightGradKernelOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), dy("dy", getDy()), dw("dw", getDw());
  checkWeights(v, dw, x, dy, /*isTransposed=*/false);
  if (v.failed())
    return failure();
  checkPairLists(v, *this, dw, dy);
  return v.getResult();
}

LogicalResult TiledWeightGradOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), dy("dy", getDy()), dw("dw", getDw());
  checkWeights(v, dw, x, dy, /*isTransposed=*/false);
  if (v.failed())
    return failure();
  int64_t offsets = dw.getSize(0);
  int64_t room = multiplySizes(dy.getSize(0), offsets);
  StringRef reason = "one for each row of 'dy' and slice of 'dw'";
  v.checkRoom({"in_rows", getInRows()}, room, reason);
  v.checkRoom({"out_rows", getOutRows()}, room, reason);
  v.checkSize({"counts", getCounts()}, 0, offsets, "the slices of 'dw'");
  return v.getResult();
}

//===----------------------------------------------------------------------===//
// Canonicalization
//===----------------------------------------------------------------------===//

/// Takes what casts make less static as it is. Upstream does so for all
/// operations with destinations, but by a clone, which fails where the region
/// of an epilogue is empty; so this comes first.
template <typename OpTy>
static LogicalResult foldCasts(OpTy op, PatternRewriter &rewriter) {
  auto getCast = [](Value value) {
    auto cast = value.getDefiningOp<tensor::CastOp>();
    return tensor::canFoldIntoConsumerOp(cast) ? cast : tensor::CastOp();
  };
  if (llvm::none_of(op->getOperands(), getCast))
    return failure();
  rewriter.modifyOpInPlace(op, [&] {
    for (OpOperand &operand : op->getOpOperands())
      if (tensor::CastOp cast = getCast(operand.get()))
        operand.set(cast.getSource());
  });
  rewriter.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    Type before = result.getType(),
         now = op.getTiedOpOperand(result)->get().getType();
    if (now == before)
      continue;
    rewriter.modifyOpInPlace(op, [&] { result.setType(now); });
    auto cast = tensor::CastOp::create(rewriter, op.getLoc(), before, result);
    rewriter.replaceAllUsesExcept(result, cast, cast);
  }
  return success();
}

/// Above the benefit of upstream's pattern.
static constexpr unsigned kBeforeUpstream = 2;

void GatherGemmScatterOp::getCanonicalizationPatterns(
    RewritePatternSet &patterns, MLIRContext *) {
  patterns.add(foldCasts<GatherGemmScatterOp>, kBeforeUpstream);
}

void ImplicitGemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                 MLIRContext *) {
  patterns.add(foldCasts<ImplicitGemmOp>, kBeforeUpstream);
}

void TiledGemmOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(foldCasts<TiledGemmOp>, kBeforeUpstream);
}
