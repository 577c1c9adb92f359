//===- SparseConvToKernels.cpp - the pass ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Func/Transforms/FuncConversions.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "sparseconv/Conversion/Passes.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVTOKERNELS
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

/// Sets become keys; a map becomes its neighbour table and the number of rows
/// of its in set.
static void addTypeConversions(TypeConverter &converter) {
  converter.addConversion([](Type type) { return type; });
  converter.addConversion([](CoordsType set) -> Type {
    return RankedTensorType::get({ShapedType::kDynamic}, set.getKeyType());
  });
  converter.addConversion(
      [](KernelMapType map, SmallVectorImpl<Type> &types) -> LogicalResult {
        MLIRContext *context = map.getContext();
        types.push_back(
            RankedTensorType::get({ShapedType::kDynamic, map.getVolume()},
                                  IntegerType::get(context, 32)));
        types.push_back(IndexType::get(context));
        return success();
      });
}

/// Whether `op` is on the network level of the dialect.
static bool isNetworkOp(Operation *op) {
  return isa_and_nonnull<SparseConvDialect>(op->getDialect()) &&
         !op->getName().stripDialect().starts_with("kernel.") &&
         !isa<YieldOp>(op);
}

/// Gives every network operation its number and the module the table that
/// turns numbers back into names and locations.
static void numberOperations(ModuleOp module) {
  Builder builder(module.getContext());
  SmallVector<Attribute> table;
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isNetworkOp(op))
      return;
    op->setAttr(kOpIdAttr, builder.getI64IntegerAttr(table.size()));
    table.push_back(builder.getArrayAttr(
        {builder.getStringAttr(op->getName().getStringRef()),
         cast<LocationAttr>(LocationAttr(op->getLoc()))}));
  });
  module->setAttr("sparseconv.op_table", builder.getArrayAttr(table));
}

/// Appends the status record to every function with a body and to every call
/// of one. Arguments of public functions belong to the caller: they become
/// read only.
static LogicalResult addStatusArguments(ModuleOp module) {
  Builder builder(module.getContext());
  Type status = MemRefType::get({8}, builder.getI64Type());
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (function.isPublic())
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (isa<TensorType>(function.getArgument(i).getType()))
          function.setArgAttr(
              i, bufferization::BufferizationDialect::kWritableAttrName,
              builder.getBoolAttr(false));
    if (failed(function.insertArgument(function.getNumArguments(), status, {},
                                       function.getLoc())))
      return function.emitError("takes no further argument");
  }
  SymbolTableCollection symbols;
  module.walk([&](func::CallOp call) {
    auto callee = symbols.lookupNearestSymbolFrom<func::FuncOp>(
        call, call.getCalleeAttr());
    auto caller = call->getParentOfType<func::FuncOp>();
    if (callee && !callee.isExternal())
      call->insertOperands(call.getNumOperands(), caller.getArguments().back());
  });
  return success();
}

namespace {
struct ConvertSparseConvToKernels
    : mlir::sparseconv::impl::ConvertSparseConvToKernelsBase<
          ConvertSparseConvToKernels> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    MLIRContext *context = &getContext();
    numberOperations(module);
    if (failed(addStatusArguments(module)))
      return signalPassFailure();

    TypeConverter converter;
    addTypeConversions(converter);
    ConversionTarget target(*context);
    target.markUnknownOpDynamicallyLegal([&](Operation *op) {
      return !isNetworkOp(op) && converter.isLegal(op);
    });
    target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
      return converter.isSignatureLegal(function.getFunctionType()) &&
             converter.isLegal(&function.getBody());
    });

    RewritePatternSet patterns(context);
    populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                   converter);
    populateCallOpTypeConversionPattern(patterns, converter);
    populateReturnOpTypeConversionPattern(patterns, converter);
    scf::populateSCFStructuralTypeConversions(converter, patterns);
    populateCoordsToKernelsPatterns(converter, patterns);
    populateMapsToKernelsPatterns(converter, patterns);
    populateConvToKernelsPatterns(converter, patterns);
    populatePoolToKernelsPatterns(converter, patterns);
    populateRowsToKernelsPatterns(converter, patterns);
    if (failed(applyFullConversion(module, target, std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
