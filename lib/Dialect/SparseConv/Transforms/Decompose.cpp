//===- Decompose.cpp - features without operations of ours ----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Transforms/Decompose.h"
#include "TableBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Transforms/RegionUtils.h"
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h"
#include "sparseconv/Dialect/SparseConv/Utils/SelectConversion.h"
#include "sparseconv/Dialect/SparseConv/Utils/SignatureAttributes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVDECOMPOSE
#include "sparseconv/Dialect/SparseConv/Transforms/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Whether an operation that stays makes this map.
static bool isMadeByOperation(Value map) {
  return isa_and_nonnull<KernelMapOp, MapFromPairsOp>(map.getDefiningOp());
}

/// Whether `op` is one of those that pass maps on, which the patterns convert.
static bool passesMaps(Operation *op) {
  return isa<arith::SelectOp, func::CallOp, func::ReturnOp, FunctionOpInterface,
             scf::ConditionOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::YieldOp>(op) ||
         isa_and_nonnull<SparseConvDialect>(op->getDialect());
}

static RankedTensorType getTableType(KernelMapType type) {
  return RankedTensorType::get({ShapedType::kDynamic, type.getVolume()},
                               IntegerType::get(type.getContext(), 32));
}

void mlir::sparseconv::addDecomposeTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](KernelMapType type, SmallVectorImpl<Type> &types) {
    types.push_back(getTableType(type));
    types.push_back(IndexType::get(type.getContext()));
    return success();
  });
  converter.addTargetMaterialization(
      [](OpBuilder &builder, TypeRange types, ValueRange values, Location loc) {
        auto type = values.size() == 1
                        ? dyn_cast<KernelMapType>(values.front().getType())
                        : KernelMapType();
        if (!type || types.size() != 2)
          return SmallVector<Value>();
        Value map = values.front();
        return SmallVector<Value>{
            NeighbourTableOp::create(builder, loc, getTableType(type), map),
            MapSizeOp::create(builder, loc, MapSide::In, map)};
      });
}

//===----------------------------------------------------------------------===//
// Maps
//===----------------------------------------------------------------------===//

namespace {
/// A given map is its table.
struct DecomposeMapFromTable : OpConversionPattern<MapFromTableOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(MapFromTableOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value table = adaptor.getTable().front();
    RankedTensorType type = getTableType(op.getMap().getType());
    if (table.getType() != type)
      table = tensor::CastOp::create(rewriter, op.getLoc(), type, table);
    Value rows = SizeOp::create(rewriter, op.getLoc(), adaptor.getIn().front());
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{table, rows}});
    return success();
  }
};

struct DecomposeTransposeMap : OpConversionPattern<TransposeMapOp> {
  using OpConversionPattern::OpConversionPattern;

  LogicalResult
  matchAndRewrite(TransposeMapOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    TableBuilder b(op.getLoc(), rewriter);
    ValueRange map = adaptor.getMap();
    Value rows = b.dim(map[0], 0);
    Value table = b.invert(map[0], map[1]);
    RankedTensorType type = getTableType(op.getResult().getType());
    if (table.getType() != type)
      table = tensor::CastOp::create(b, type, table);
    rewriter.replaceOpWithMultiple(op, {SmallVector<Value>{table, rows}});
    return success();
  }
};
} // namespace

static Value decomposeTable(TableBuilder &, NeighbourTableOp,
                            TablePattern<NeighbourTableOp>::Adaptor adaptor) {
  return adaptor.getMap().front();
}

static Value decomposeMapSize(TableBuilder &b, MapSizeOp op,
                              TablePattern<MapSizeOp>::Adaptor adaptor) {
  ValueRange map = adaptor.getMap();
  return op.getSide() == MapSide::In ? map[1] : b.dim(map[0], 0);
}

static Value
decomposeRenumberTable(TableBuilder &b, RenumberTableOp op,
                       TablePattern<RenumberTableOp>::Adaptor adaptor) {
  Value table = adaptor.getTable().front(), rows = adaptor.getRows().front();
  if (op.getSide() == MapSide::Out)
    return b.gatherRows(b.pad(table, -1), rows, /*groups=*/1);
  Value padded = b.pad(rows, -1), last = b.getLast(padded);
  return b.elementwise(table, b.getMultiDimIdentityMap(2),
                       tensor::getMixedSizes(b, b.getLoc(), table),
                       b.getI32Type(), [&](ValueRange arguments) -> Value {
                         return tensor::ExtractOp::create(
                             b, padded, b.getRow(arguments[0], last));
                       });
}

void mlir::sparseconv::populateDecomposePatterns(const TypeConverter &converter,
                                                 RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<DecomposeMapFromTable, DecomposeTransposeMap>(converter,
                                                             context);
  patterns.add<TablePattern<NeighbourTableOp>>(converter, context,
                                               decomposeTable);
  patterns.add<TablePattern<MapSizeOp>>(converter, context, decomposeMapSize);
  patterns.add<TablePattern<RenumberTableOp>>(converter, context,
                                              decomposeRenumberTable);
  populateDecomposeConvPatterns(converter, patterns);
  populateDecomposePoolPatterns(converter, patterns);
}

void mlir::sparseconv::configureDecomposeTarget(const TypeConverter &converter,
                                                ConversionTarget &target) {
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    if (auto function = dyn_cast<FunctionOpInterface>(op))
      if (auto type = dyn_cast<FunctionType>(function.getFunctionType()))
        return converter.isSignatureLegal(type) &&
               converter.isLegal(&function.getFunctionBody());
    return !passesMaps(op) || converter.isLegal(op);
  });
  target.addLegalOp<KernelMapOp, MapFromPairsOp>();
  target.addDynamicallyLegalOp<NeighbourTableOp>(
      [](NeighbourTableOp op) { return isMadeByOperation(op.getMap()); });
  target.addDynamicallyLegalOp<MapSizeOp>(
      [](MapSizeOp op) { return isMadeByOperation(op.getMap()); });
  target.addIllegalOp<ConvOp, InputGradOp, WeightGradOp, PoolOp, PoolGradOp,
                      UnpoolOp, GatherOp, ScatterOp, MapFromTableOp,
                      RenumberTableOp, TransposeMapOp>();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

/// An error for maps of operations that nothing here knows.
static LogicalResult verifyMaps(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    auto isMap = [](Type type) { return isa<KernelMapType>(type); };
    auto isTable = [&](Value value) {
      return isMap(value.getType()) && !isMadeByOperation(value);
    };
    // Tiles are what our own kernels read.
    bool hasTiles = isa<MapTilesOp, MapFromTilesOp>(op);
    bool isOther =
        !passesMaps(op) && (llvm::any_of(op->getOperands(), isTable) ||
                            llvm::any_of(op->getResultTypes(), isMap));
    if (!hasTiles && !isOther)
      return WalkResult::advance();
    op->emitOpError("takes or gives a kernel map, which becomes a table, and "
                    "sparseconv-decompose does not know the operation");
    return WalkResult::interrupt();
  });
  return success(!result.wasInterrupted());
}

namespace {
struct Decompose : mlir::sparseconv::impl::SparseConvDecomposeBase<Decompose> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (failed(verifyMaps(module)))
      return signalPassFailure();
    SmallVector<SignatureAttributes, 0> signatures;
    module.walk([&](FunctionOpInterface function) {
      if (isa<FunctionType>(function.getFunctionType()))
        signatures.emplace_back(function);
    });
    TypeConverter converter;
    addDecomposeTypeConversions(converter);
    ConversionTarget target(getContext());
    configureDecomposeTarget(converter, target);
    RewritePatternSet patterns(&getContext());
    populateDecomposePatterns(converter, patterns);
    populateAnyFunctionOpInterfaceTypeConversionPattern(patterns, converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    populateSelectTypeConversionPattern(converter, patterns);
    if (failed(applyPartialConversion(module, target, std::move(patterns))))
      return signalPassFailure();
    for (SignatureAttributes &signature : signatures)
      signature.restore(converter);
    // Maps and sets that only features needed.
    IRRewriter rewriter(&getContext());
    (void)runRegionDCE(rewriter, module->getRegions());
    module.walk([](Operation *op) {
      if (isa<DevoxeliseOp, FromDenseOp, GlobalPoolGradOp, GlobalPoolOp,
              ToDenseOp, VoxeliseOp>(op))
        op->emitRemark("left as it is: it reads the coordinates of a set, "
                       "which no neighbour table has");
    });
  }
};
} // namespace
