//===- FuseGathers.cpp - products of rows that are picked -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   %y = conv %x, %w, %identity
//   %z = gather %y, %row_of
//
// becomes
//
//   %table = tensor.expand_shape %row_of [[0, 1]]
//   %map = map_from_table %table, %rows_of_x to %points {sparseconv.trusted}
//   %z = conv %x, %w, %map
//
// A product of rows reads them through a table anyway, so that the rows in
// between need not be written and read again.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVFUSEGATHERS
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Input channels up to which a product costs less than to write its rows and
/// read them again. There may be several times as many points as rows.
static constexpr int64_t kMostChannels = 256;

/// Whether `numbers` are rows of `coords`, every one of them: those that a set
/// has for the points it was made of.
static bool areRowsOf(Value numbers, Value coords) {
  if (auto rescale = coords.getDefiningOp<RescaleOp>())
    return areRowsOf(numbers, rescale.getCoords());
  if (auto pack = numbers.getDefiningOp<PackOp>())
    return numbers == pack.getRowOf() && coords == pack.getCoords() &&
           !pack.getClip();
  auto cells = numbers.getDefiningOp<SubdivideOp>();
  return cells && numbers == cells.getRowOf() && coords == cells.getFine() &&
         (!cells.getPointsRowOf() ||
          areRowsOf(cells.getPointsRowOf(), cells.getCoords()));
}

/// The set of a map in which each row is its only neighbour, or null.
static Value getOnlySet(Value map) {
  auto made = map.getDefiningOp<KernelMapOp>();
  return made && made.isIdentity() ? made.getIn() : Value();
}

/// The convolution of the rows that `gather` picks, if it fuses with it.
static ConvOp findProduct(GatherOp gather) {
  auto conv = gather.getX().getDefiningOp<ConvOp>();
  if (!conv || !conv->hasOneUse())
    return {};
  // Rows of a shortcut would be picked, too.
  if (llvm::any_of(conv.getExtras(), [](Value extra) {
        return cast<RankedTensorType>(extra.getType()).getRank() != 1;
      }))
    return {};
  // Without tensor cores a product takes longer than to move its rows.
  RankedTensorType x = conv.getX().getType();
  if (x.getElementTypeBitWidth() != 16 || x.getDimSize(1) > kMostChannels)
    return {};
  Value coords = getOnlySet(conv.getMap());
  return coords && areRowsOf(gather.getRows(), coords) ? conv : ConvOp();
}

/// The set of the numbers below `rows`: see `pack`.
static Value makeRowNumbers(ImplicitLocOpBuilder &b, Value rows,
                            CoordsType set) {
  Value init = tensor::EmptyOp::create(
      b, SmallVector<OpFoldResult>{rows, b.getIndexAttr(2)}, b.getI32Type());
  auto store = [](OpBuilder &builder, Location loc, ValueRange) {
    ImplicitLocOpBuilder b(loc, builder);
    Value product = arith::MulIOp::create(b, linalg::IndexOp::create(b, 0),
                                          linalg::IndexOp::create(b, 1));
    Value number = arith::IndexCastOp::create(b, b.getI32Type(), product);
    linalg::YieldOp::create(b, number);
  };
  auto points = linalg::GenericOp::create(
      b, init.getType(), ValueRange(), init,
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(2)},
      SmallVector<utils::IteratorType>(2, utils::IteratorType::parallel),
      store);
  return PackOp::create(b, set, points.getResult(0)).getCoords();
}

/// Makes the convolution that of the rows of `coords` which `gather` picks.
static void fuse(RewriterBase &rewriter, GatherOp gather, ConvOp conv,
                 Value coords) {
  // The convolution reports errors where it did.
  ImplicitLocOpBuilder b(gather.getLoc(), rewriter);
  b.setInsertionPoint(conv);
  MLIRContext *context = b.getContext();
  Value rows = gather.getRows();
  auto packing = PackingAttr::get(context, /*keyWidth=*/64, /*batch=*/0,
                                  /*bits=*/ArrayRef<int64_t>{32},
                                  /*guard=*/ArrayRef<int64_t>{1});
  auto numbers = CoordsType::get(context, /*dim=*/1,
                                 /*stride=*/ArrayRef<int64_t>{1}, packing);
  Value in = makeRowNumbers(b, SizeOp::create(b, coords), numbers);
  Value out = makeRowNumbers(b, tensor::DimOp::create(b, rows, 0), numbers);
  int64_t size = cast<RankedTensorType>(rows.getType()).getDimSize(0);
  Value table = tensor::ExpandShapeOp::create(
      b, RankedTensorType::get({size, 1}, b.getI32Type()), rows,
      ArrayRef<ReassociationIndices>{{0, 1}});
  auto map = MapFromTableOp::create(
      b, KernelMapType::get(context, 1, numbers, numbers), table, in, out);
  map->setAttr(kTrustedAttr, b.getUnitAttr());
  rewriter.modifyOpInPlace(conv,
                           [&] { conv.getMapMutable().assign(map.getMap()); });
  Value y = conv.getY();
  if (y.getType() != gather.getY().getType()) {
    b.setInsertionPoint(gather);
    y = tensor::CastOp::create(b, gather.getY().getType(), y);
  }
  rewriter.replaceOp(gather, y);
}

namespace {
struct FuseGathers
    : mlir::sparseconv::impl::SparseConvFuseGathersBase<FuseGathers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](GatherOp gather) {
      if (ConvOp conv = findProduct(gather)) {
        fuse(rewriter, gather, conv, getOnlySet(conv.getMap()));
        ++numFused;
      }
    });
  }
};
} // namespace
