//===- FuseEpilogues.cpp - elementwise operations into convolutions -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %y = conv %x, %w, %map
//   %r = linalg.generic(%y, %s, %b) { ^bb0(%a, %row, %channel): ... }
//
// becomes
//
//   %r = conv %x, %w, %map epilogue(%s, %b) { ^bb0(%sum, %row, %channel): ... }
//
// A linalg operation checks at run time that its operands have as many rows; an
// epilogue would report the same mistake in other words. Only what agrees for
// sure fuses, so that each target reports what the network says.
//
//===----------------------------------------------------------------------===//

#include "RowCounts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/Transforms/Transforms.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSEEPILOGUES
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// What fuses
//===----------------------------------------------------------------------===//

namespace {
/// What an argument of an elementwise body is in an epilogue: the sum, a
/// constant, or the element of a row or channel operand.
struct Input {
  BlockArgument argument;
  TypedAttr constant;
  Value tensor;

  bool isSum() const { return !constant && !tensor; }
};

/// An elementwise operation that becomes a part of a convolution's epilogue.
struct Fusion {
  linalg::LinalgOp consumer;
  ConvOp conv;
  SmallVector<Input> inputs;
};
} // namespace

/// Whether each element of the result is the only input's, as it is for a
/// broadcast or a fill.
static bool isCopy(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumDpsInputs() != 1 ||
      op.getNumDpsInits() != 1 || op.getNumParallelLoops() != op.getNumLoops())
    return false;
  Block &body = *op.getBlock();
  return body.getTerminator()->getOperand(0) == body.getArgument(0) &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity();
}

/// What copies are made of, and how it is read where the copy is with `map`.
static std::pair<Value, AffineMap> lookThroughCopies(Value value,
                                                     AffineMap map) {
  while (auto copy = value.getDefiningOp<linalg::LinalgOp>()) {
    if (!isCopy(copy))
      break;
    OpOperand *input = copy.getDpsInputOperand(0);
    map = copy.getMatchingIndexingMap(input).compose(map);
    value = input->get();
  }
  return {value, map};
}

/// The number that every element of `value` is, if that is a constant.
static TypedAttr getConstant(Value value) {
  Attribute attr;
  if (!matchPattern(value, m_Constant(&attr)))
    return {};
  if (auto splat = dyn_cast<SplatElementsAttr>(attr))
    attr = splat.getSplatValue<Attribute>();
  return isa<IntegerAttr, FloatAttr>(attr) ? cast<TypedAttr>(attr)
                                           : TypedAttr();
}

/// Whether `tensor`, read with `map`, can be an operand of an epilogue.
static bool isEpilogueOperand(Value tensor, AffineMap map, int64_t channels) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type || map.getNumResults() == 0 || !map.isMinorIdentity() ||
      type.getShape().back() != channels || type.getEncoding())
    return false;
  Type element = type.getElementType();
  return element.isF32() || element.isF16() || element.isBF16();
}

/// Adds what an epilogue reads where the body of `fusion` reads `operand`.
static LogicalResult addInput(Fusion &fusion, OpOperand &operand) {
  linalg::LinalgOp op = fusion.consumer;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  // Its shape counts, even where nothing reads its elements.
  if (map.isFunctionOfDim(0) &&
      !(countRows(operand.get()) ==
        countRows(fusion.conv.getMap(), MapSide::Out)))
    return failure();
  if (!op.payloadUsesValueFromOperand(&operand))
    return success();
  Input input{op.getMatchingBlockArgument(&operand), {}, {}};
  if (operand.get() != fusion.conv.getY()) {
    auto [value, read] = lookThroughCopies(operand.get(), map);
    if (!read.isFunctionOfDim(0))
      input.constant = getConstant(value);
    if (!input.constant) {
      if (!isEpilogueOperand(value, read, fusion.conv.getOutChannels()))
        return failure();
      input.tensor = value;
    }
  } else if (!map.isIdentity()) {
    return failure();
  }
  fusion.inputs.push_back(input);
  return success();
}

/// Whether `op` computes on scalars that an epilogue holds. f64 would take
/// twice the registers of a sum.
static bool fitsEpilogue(Operation &op) {
  auto isWide = [](Type type) { return type.isF64(); };
  if (llvm::any_of(op.getOperandTypes(), isWide) ||
      llvm::any_of(op.getResultTypes(), isWide))
    return false;
  for (Value operand : op.getOperands())
    if (operand.getParentBlock() != op.getBlock() && !getConstant(operand))
      return false;
  return op.hasTrait<OpTrait::IsTerminator>() || isEpilogueOperation(op);
}

/// Whether `op` gives each element of features from those at the same place.
static bool isElementwise(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && op.getNumLoops() == 2 &&
         op.getNumParallelLoops() == 2 && op.getNumDpsInits() == 1 &&
         op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() &&
         llvm::all_of(*op.getBlock(), fitsEpilogue);
}

//===----------------------------------------------------------------------===//
// Where it fuses
//===----------------------------------------------------------------------===//

/// Whether `value` is there where `conv` stands; it is where a later operation
/// of its block stands.
static bool isBefore(Value value, ConvOp conv) {
  Operation *def = value.getDefiningOp();
  return !def || def->getBlock() != conv->getBlock() ||
         def->isBeforeInBlock(conv);
}

/// A convolution stays where it is if it can. Where it moves it must not report
/// a mistake, for of two operations that do, the first one counts.
static bool canBePlaced(Fusion &fusion) {
  ConvOp conv = fusion.conv;
  return llvm::all_of(fusion.inputs,
                      [&](const Input &input) {
                        return !input.tensor || isBefore(input.tensor, conv);
                      }) ||
         countRows(conv.getX()) == countRows(conv.getMap(), MapSide::In);
}

/// The convolutions that nothing but `op` reads, the one with most work first,
/// and of equal ones the later. What computes the others has then been done at
/// the side.
static SmallVector<ConvOp> findConvolutions(linalg::LinalgOp op) {
  SmallVector<ConvOp> found;
  for (Value operand : op->getOperands()) {
    auto conv = operand.getDefiningOp<ConvOp>();
    if (conv && conv->getBlock() == op->getBlock() &&
        conv.getY().getType() == op->getResultTypes()[0] &&
        llvm::all_of(conv->getUsers(),
                     [&](Operation *user) { return user == op; }) &&
        !llvm::is_contained(found, conv))
      found.push_back(conv);
  }
  llvm::sort(found, [](ConvOp lhs, ConvOp rhs) {
    int64_t left = lhs.getW().getType().getNumElements();
    int64_t right = rhs.getW().getType().getNumElements();
    return left != right ? left > right : rhs->isBeforeInBlock(lhs);
  });
  return found;
}

static std::optional<Fusion> findFusion(linalg::LinalgOp op) {
  if (!isElementwise(op))
    return std::nullopt;
  for (ConvOp conv : findConvolutions(op)) {
    Fusion fusion{op, conv, {}};
    if (llvm::all_of(op->getOpOperands(),
                     [&](OpOperand &operand) {
                       return succeeded(addInput(fusion, operand));
                     }) &&
        llvm::any_of(fusion.inputs,
                     [](const Input &input) { return input.isSum(); }) &&
        canBePlaced(fusion))
      return fusion;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// How it fuses
//===----------------------------------------------------------------------===//

/// Clones the body of the elementwise operation. `values` maps its arguments;
/// what the sum is rounded to is `rounded`, and `sum` stands where that is
/// widened again.
static Value cloneBody(OpBuilder &b, Block &body, IRMapping &values, Value sum,
                       Value rounded) {
  for (Operation &op : body)
    for (Value operand : op.getOperands())
      if (operand.getParentBlock() != &body && !values.contains(operand))
        values.map(operand, arith::ConstantOp::create(b, op.getLoc(),
                                                      getConstant(operand)));
  for (Operation &op : body.without_terminator()) {
    bool isWidened = isa<arith::ExtFOp>(op) &&
                     values.lookup(op.getOperand(0)) == rounded &&
                     op.getResult(0).getType().isF32();
    if (isWidened)
      values.map(op.getResult(0), sum);
    else
      b.clone(op, values);
  }
  Value result = values.lookup(body.getTerminator()->getOperand(0));
  if (result.getType().isF32())
    return result;
  // The store rounds.
  if (auto narrow = result.getDefiningOp<arith::TruncFOp>();
      narrow && narrow.getIn().getType().isF32() && !narrow.getRoundingmode())
    return narrow.getIn();
  return arith::ExtFOp::create(b, result.getLoc(), b.getF32Type(), result);
}

/// Appends the body of the elementwise operation to `epilogue`, which has an
/// argument for each tensor of its inputs, the last ones.
static void appendBody(RewriterBase &rewriter, Fusion &fusion,
                       Block &epilogue) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(&epilogue);
  Location loc = fusion.consumer.getLoc();
  Value sum = epilogue.getArgument(0);
  if (fusion.conv.hasEpilogue()) {
    sum = cast<YieldOp>(epilogue.back()).getValues()[0];
    rewriter.eraseOp(&epilogue.back());
  }
  Type element = fusion.conv.getY().getType().getElementType();
  Value rounded = sum;
  if (!element.isF32())
    rounded = rewriter.createOrFold<arith::TruncFOp>(loc, element, sum);
  IRMapping values;
  unsigned next = fusion.conv.getExtras().size() + 1;
  for (const Input &input : fusion.inputs) {
    Value value = rounded;
    if (input.constant)
      value = arith::ConstantOp::create(rewriter, loc, input.constant);
    else if (input.tensor)
      value = epilogue.getArgument(next++);
    values.map(input.argument, value);
  }
  Value result =
      cloneBody(rewriter, *fusion.consumer.getBlock(), values, sum, rounded);
  YieldOp::create(rewriter, loc, result);
}

static void fuse(RewriterBase &rewriter, Fusion &fusion) {
  ConvOp conv = fusion.conv;
  SmallVector<Value> extras(conv.getExtras());
  bool stays = true;
  for (const Input &input : fusion.inputs)
    if (input.tensor) {
      extras.push_back(input.tensor);
      stays &= isBefore(input.tensor, conv);
    }
  rewriter.setInsertionPoint(stays ? conv : fusion.consumer);
  auto fused = ConvOp::create(rewriter, conv.getLoc(), conv.getY().getType(),
                              conv.getX(), conv.getW(), conv.getMap(), extras,
                              conv.getDataflowAttr(), conv.getTilingAttr(),
                              conv.getRowOrderAttr(), conv.getAllowTf32(),
                              conv.getAllowNondeterministic());
  Region &epilogue = fused.getEpilogue();
  if (conv.hasEpilogue())
    rewriter.cloneRegionBefore(conv.getEpilogue(), epilogue, epilogue.end());
  else
    epilogue.emplaceBlock().addArgument(rewriter.getF32Type(), conv.getLoc());
  for (Value extra : ArrayRef(extras).drop_front(conv.getExtras().size()))
    epilogue.addArgument(
        cast<RankedTensorType>(extra.getType()).getElementType(),
        fusion.consumer.getLoc());
  appendBody(rewriter, fusion, epilogue.front());
  rewriter.replaceOp(fusion.consumer, fused);
  rewriter.eraseOp(conv);
}

namespace {
struct FuseEpilogues
    : mlir::sparseconv::impl::SparseConvFuseEpiloguesBase<FuseEpilogues> {
  void runOnOperation() override {
    // What asks for the rows of a convolution asks its map, and is no reader.
    RewritePatternSet patterns(&getContext());
    memref::populateResolveRankedShapedTypeResultDimsPatterns(patterns);
    (void)applyPatternsGreedily(getOperation(), std::move(patterns));

    SmallVector<linalg::LinalgOp> consumers;
    getOperation()->walk([&](linalg::LinalgOp op) { consumers.push_back(op); });
    IRRewriter rewriter(&getContext());
    // In their order: what two convolutions lead to finds both of them.
    for (linalg::LinalgOp consumer : consumers)
      if (std::optional<Fusion> fusion = findFusion(consumer)) {
        fuse(rewriter, *fusion);
        ++numFused;
      }
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
