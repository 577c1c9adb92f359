//===- RaisedCalls.cpp - what each call stands for ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaisedCalls.h"
#include "CallRaiser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;

using Values = SmallVector<Value>;

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

/// The coordinates of a set as a tensor of i32.
static Value unpack(CallRaiser &call, Value coords) {
  OpBuilder &builder = call.getBuilder();
  int64_t columns = cast<CoordsType>(coords.getType()).getDim() + 1;
  auto type = RankedTensorType::get({ShapedType::kDynamic, columns},
                                    builder.getI32Type());
  return UnpackOp::create(builder, call.getLoc(), type, coords);
}

/// The type of a set whose stride is that of `type` times `by`, or divided by
/// it; null after an error.
static CoordsType scaleStride(CallRaiser &call, CoordsType type,
                              ArrayRef<int64_t> by, bool isUp) {
  SmallVector<int64_t> stride;
  for (auto [step, factor] : llvm::zip(type.getStride(), by)) {
    int64_t scaled = 0;
    bool isWhole = factor >= 1 && (!isUp || step % factor == 0);
    if (!isWhole || (!isUp && llvm::MulOverflow(step, factor, scaled))) {
      call.report() << "a stride of " << step << " cannot be "
                    << (isUp ? "divided by " : "multiplied by ") << factor;
      return {};
    }
    stride.push_back(isUp ? step / factor : scaled);
  }
  return CoordsType::getChecked([&] { return call.report(); },
                                type.getContext(), type.getDim(),
                                ArrayRef<int64_t>(stride), type.getPacking());
}

Values mlir::sparseconv::raisePack(CallRaiser &call) {
  CalledSet set = call.getSet(0, "stride", call.getClip());
  if (call.hasFailed())
    return {};
  if (set.order)
    return {unpack(call, set.coords), set.order, set.rowOf};
  call.report() << "'coordinates' are those of a set, in its order, already";
  return {};
}

Values mlir::sparseconv::raiseDownsample(CallRaiser &call) {
  RegionAttr clip = call.getClip();
  CalledSet set = call.getSet(0);
  BoxAttr box = call.getBox();
  if (call.hasFailed())
    return {};
  SmallVector<int64_t> by = *call.getList("by", set.getType().getDim());
  CoordsType type = scaleStride(call, set.getType(), by, /*isUp=*/false);
  if (call.hasFailed())
    return {};
  Value result = DownsampleOp::create(
      call.getBuilder(), call.getLoc(), type, set.coords, by,
      box ? OutputRule::Cover : OutputRule::Floor, box, clip,
      /*capacity=*/IntegerAttr(), /*coarsening=*/CoarseningAttr());
  return {unpack(call, result)};
}

Values mlir::sparseconv::raiseUpsample(CallRaiser &call) {
  RegionAttr clip = call.getClip();
  CalledSet set = call.getSet(0);
  BoxAttr box = call.getBox();
  if (call.hasFailed())
    return {};
  SmallVector<int64_t> by = *call.getList("by", set.getType().getDim());
  CoordsType type = scaleStride(call, set.getType(), by, /*isUp=*/true);
  if (call.hasFailed())
    return {};
  Value result =
      UpsampleOp::create(call.getBuilder(), call.getLoc(), type, set.coords, by,
                         box, clip, /*capacity=*/IntegerAttr());
  return {unpack(call, result)};
}

Values mlir::sparseconv::raiseExpand(CallRaiser &call) {
  RegionAttr clip = call.getClip();
  CalledSet set = call.getSet(0);
  BoxAttr box = call.getBox();
  bool isTransposed = call.getFlag("transposed");
  if (call.hasFailed())
    return {};
  Value result = ExpandOp::create(call.getBuilder(), call.getLoc(),
                                  set.getType(), set.coords, box, isTransposed,
                                  clip, /*capacity=*/IntegerAttr());
  return {unpack(call, result)};
}

//===----------------------------------------------------------------------===//
// Convolutions and pooling
//===----------------------------------------------------------------------===//

static int64_t getChannels(Value features) {
  return cast<RankedTensorType>(features.getType()).getShape().back();
}

/// Channels that weights [K, C_in, C_out] or [K, G, C_in/G, C_out/G] take or
/// give: those of `axis`, counted from the end, in all groups.
static int64_t getWeightChannels(Value weights, unsigned axis) {
  ArrayRef<int64_t> shape =
      cast<RankedTensorType>(weights.getType()).getShape();
  int64_t groups = shape.size() == 4 ? shape[1] : 1, channels = 0;
  // A number of channels that no tensor has is for the verifier to refuse.
  if (llvm::MulOverflow(groups, shape[shape.size() - axis], channels))
    return std::numeric_limits<int64_t>::max();
  return channels;
}

Values mlir::sparseconv::raiseConv(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value x = call.getReals(2, 2), w = call.getWeights(3);
  bool allowTf32 = call.getFlag("allow_tf32");
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic,
                                  getWeightChannels(w, /*axis=*/1), x);
  Value y =
      ConvOp::create(call.getBuilder(), call.getLoc(), type, call.enter(in, x),
                     w, map, /*extras=*/ValueRange(), DataflowAttr(),
                     Attribute(), RowOrderAttr(), allowTf32);
  return {call.leave(out, y)};
}

Values mlir::sparseconv::raiseInputGrad(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value dy = call.getReals(2, 2), w = call.getWeights(3);
  bool allowTf32 = call.getFlag("allow_tf32");
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic,
                                  getWeightChannels(w, /*axis=*/2), dy);
  Value dx = InputGradOp::create(
      call.getBuilder(), call.getLoc(), type, call.enterGradient(out, dy), w,
      map, DataflowAttr(), Attribute(), RowOrderAttr(), allowTf32);
  return {call.leaveGradient(in, dx)};
}

Values mlir::sparseconv::raiseWeightGrad(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value x = call.getReals(2, 2), dy = call.getReals(3, 2);
  RankedTensorType type = call.getResultType(0);
  bool allowTf32 = call.getFlag("allow_tf32");
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  OpBuilder &builder = call.getBuilder();
  IntegerAttr groups;
  if (type.getRank() == 4)
    groups = builder.getI64IntegerAttr(type.getDimSize(1));
  Value rows = call.enter(in, x), gradient = call.enterGradient(out, dy);
  return {WeightGradOp::create(builder, call.getLoc(), type, rows, gradient,
                               map, groups, DataflowAttr(), Attribute(),
                               allowTf32)};
}

Values mlir::sparseconv::raisePool(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value x = call.getReals(2, 2);
  PoolKind kind = call.getPoolKind();
  CountKind count = call.getCount();
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic, getChannels(x), x);
  Value y = PoolOp::create(call.getBuilder(), call.getLoc(), type, kind,
                           call.enter(in, x), map, count);
  return {call.leave(out, y)};
}

Values mlir::sparseconv::raisePoolGrad(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value dy = call.getReals(2, 2), x = call.getReals(3, 2);
  PoolKind kind = call.getPoolKind();
  CountKind count = call.getCount();
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic, getChannels(dy), dy);
  Value input = kind == PoolKind::Max ? call.enter(in, x) : Value();
  Value dx = PoolGradOp::create(call.getBuilder(), call.getLoc(), type, kind,
                                call.enterGradient(out, dy), map, input, count);
  return {call.leaveGradient(in, dx)};
}

Values mlir::sparseconv::raiseUnpool(CallRaiser &call) {
  auto [in, out] = call.getSides();
  Value x = call.getReals(2, 2);
  if (call.hasFailed())
    return {};
  Value map = call.buildMap(in, out);
  if (!map)
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic, getChannels(x), x);
  Value y = UnpoolOp::create(call.getBuilder(), call.getLoc(), type,
                             call.enter(out, x), map);
  return {call.leave(in, y)};
}

Values mlir::sparseconv::raiseGlobalPool(CallRaiser &call) {
  CalledSet set = call.getSet(0, "stride", call.getClip());
  Value x = call.getReals(1, 2);
  PoolKind kind = call.getPoolKind();
  RankedTensorType type = call.getResultType(0);
  if (!call.hasFailed() && !type.hasStaticShape())
    call.report() << "'y' is " << type
                  << ", where the number of batch items has to be known";
  if (call.hasFailed())
    return {};
  return {GlobalPoolOp::create(call.getBuilder(), call.getLoc(), type, kind,
                               call.enter(set, x), set.coords,
                               /*batch=*/Value())};
}

Values mlir::sparseconv::raiseGlobalPoolGrad(CallRaiser &call) {
  CalledSet set = call.getSet(0, "stride", call.getClip());
  Value dy = call.getReals(1, 2), x = call.getReals(2, 2);
  PoolKind kind = call.getPoolKind();
  if (call.hasFailed())
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic, getChannels(dy), dy);
  Value input = kind == PoolKind::Max ? call.enter(set, x) : Value();
  Value dx = GlobalPoolGradOp::create(call.getBuilder(), call.getLoc(), type,
                                      kind, dy, set.coords, input);
  return {call.leaveGradient(set, dx)};
}

//===----------------------------------------------------------------------===//
// Rows, points and grids
//===----------------------------------------------------------------------===//

Values mlir::sparseconv::raiseGather(CallRaiser &call) {
  Value x = call.getReals(0, 2), rows = call.getRows(1);
  if (call.hasFailed())
    return {};
  int64_t numRows = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  return {GatherOp::create(call.getBuilder(), call.getLoc(),
                           call.getFeatureType(numRows, getChannels(x), x), x,
                           rows)};
}

Values mlir::sparseconv::raiseScatter(CallRaiser &call) {
  Value x = call.getReals(0, 2), rows = call.getRows(1);
  PoolKind kind = call.getPoolKind();
  int64_t size = call.getInteger("size");
  if (!call.hasFailed() && size < 0)
    call.report() << "'size' is " << size;
  if (call.hasFailed())
    return {};
  OpBuilder &builder = call.getBuilder();
  Value n = arith::ConstantIndexOp::create(builder, call.getLoc(), size);
  Value y = ScatterOp::create(
      builder, call.getLoc(),
      call.getFeatureType(ShapedType::kDynamic, getChannels(x), x), kind, x,
      rows, n);
  // The scatter has exactly `size` rows.
  return {tensor::CastOp::create(
      builder, call.getLoc(), call.getFeatureType(size, getChannels(x), x), y)};
}

Values mlir::sparseconv::raiseVoxelise(CallRaiser &call) {
  Value x = call.getReals(0, 2), points = call.getReals(1, 2);
  CalledSet set = call.getSet(2, "stride", call.getClip());
  Interpolation interpolation = call.getInterpolation();
  PoolKind kind = call.getPoolKind();
  if (call.hasFailed())
    return {};
  auto type = call.getFeatureType(ShapedType::kDynamic, getChannels(x), x);
  Value y = VoxeliseOp::create(call.getBuilder(), call.getLoc(), type,
                               interpolation, kind, x, points, set.coords);
  return {call.leave(set, y)};
}

Values mlir::sparseconv::raiseDevoxelise(CallRaiser &call) {
  Value x = call.getReals(0, 2), points = call.getReals(1, 2);
  CalledSet set = call.getSet(2, "stride", call.getClip());
  Interpolation interpolation = call.getInterpolation();
  if (call.hasFailed())
    return {};
  int64_t rows = cast<RankedTensorType>(points.getType()).getDimSize(0);
  return {DevoxeliseOp::create(call.getBuilder(), call.getLoc(),
                               call.getFeatureType(rows, getChannels(x), x),
                               interpolation, call.enter(set, x), points,
                               set.coords)};
}

Values mlir::sparseconv::raiseToDense(CallRaiser &call) {
  CalledSet set = call.getSet(0, "stride", call.getClip());
  Value x = call.getReals(1, 2);
  if (call.hasFailed())
    return {};
  SmallVector<int64_t> origin = *call.getList("origin", set.getType().getDim());
  if (call.hasFailed())
    return {};
  return {ToDenseOp::create(call.getBuilder(), call.getLoc(),
                            call.getResultType(0), call.enter(set, x),
                            set.coords, origin)};
}

Values mlir::sparseconv::raiseFromDense(CallRaiser &call) {
  CalledSet set = call.getSet(0, "stride", call.getClip());
  if (call.hasFailed())
    return {};
  unsigned dim = set.getType().getDim();
  Value dense = call.getReals(1, dim + 2);
  SmallVector<int64_t> origin = *call.getList("origin", dim);
  if (call.hasFailed())
    return {};
  auto type =
      call.getFeatureType(ShapedType::kDynamic, getChannels(dense), dense);
  Value x = FromDenseOp::create(call.getBuilder(), call.getLoc(), type, dense,
                                set.coords, origin);
  return {call.leave(set, x)};
}
