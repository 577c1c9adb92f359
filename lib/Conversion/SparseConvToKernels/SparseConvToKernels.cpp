//===- SparseConvToKernels.cpp - the pass ---------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Conversion/SparseConvToKernels.h"
#include "Functions.h"
#include "Growth.h"
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
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"
#include "sparseconv/Dialect/SparseConv/Utils/GuardedOps.h"
#include "sparseconv/Dialect/SparseConv/Utils/SelectConversion.h"
#include "sparseconv/Kernels/Dataflow/Dataflow.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_CONVERTSPARSECONVTOKERNELS
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

void mlir::sparseconv::addSparseConvToKernelsConversions(
    TypeConverter &converter) {
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

/// Gives every network operation its number and the module the table that
/// turns numbers back into names and locations.
static void numberOperations(ModuleOp module,
                             const NetworkFunctions &functions) {
  Builder builder(module.getContext());
  SmallVector<Attribute> table;
  functions.walk([&](Operation *op) {
    if (!functions.isDirect(op->getParentOfType<FunctionOpInterface>()))
      return;
    if (!isNetworkOp(op) && !isDivision(*op) && !isGuardedAccess(op) &&
        !isGuardedShape(op))
      return;
    op->setAttr(kOpIdAttr, builder.getI64IntegerAttr(table.size()));
    table.push_back(builder.getArrayAttr(
        {builder.getStringAttr(op->getName().getStringRef()),
         cast<LocationAttr>(LocationAttr(op->getLoc()))}));
  });
  module->setAttr(kOpTableAttr, builder.getArrayAttr(table));
}

/// Errors where a pass has yet to decide how `op` is carried out, or where the
/// target has no kernel for what was decided.
static LogicalResult verifyDecided(KernelMapOp op) {
  if (!op.getSearchAttr() && !op.isIdentity())
    return op.emitOpError("expects a search, as sparseconv-select-indexing "
                          "decides it, but found none");
  return success();
}

static LogicalResult verifyDecided(ImplicitGemmOpInterface op) {
  if (!op.getDataflowAttr())
    return op->emitOpError("expects a dataflow, as sparseconv-select-dataflow "
                           "decides it, but found none");
  if (failed(verifyDecisions(op)))
    return failure();
  if (!op.getTilingAttr())
    return op->emitOpError("expects a tiling, as sparseconv-select-tiling "
                           "decides it, but found none");
  return success();
}

/// Errors for network operations that the patterns cannot convert.
static LogicalResult verifyNetwork(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!isNetworkOp(op))
      return WalkResult::advance();
    if (!op->getParentOfType<FunctionOpInterface>()) {
      op->emitOpError("expects to be inside a function");
      return WalkResult::interrupt();
    }
    return WalkResult(llvm::TypeSwitch<Operation *, LogicalResult>(op)
                          .Case<KernelMapOp, ImplicitGemmOpInterface>(
                              [](auto op) { return verifyDecided(op); })
                          .Default(success()));
  });
  return failure(result.wasInterrupted());
}

void mlir::sparseconv::populateSparseConvToKernelsPatterns(
    const TypeConverter &converter, RewritePatternSet &patterns) {
  populateFunctionOpInterfaceTypeConversionPattern<func::FuncOp>(patterns,
                                                                 converter);
  populateCallOpTypeConversionPattern(patterns, converter);
  populateReturnOpTypeConversionPattern(patterns, converter);
  scf::populateSCFStructuralTypeConversions(converter, patterns);
  populateSelectTypeConversionPattern(converter, patterns);
  populateCoordsToKernelsPatterns(converter, patterns);
  populateMapsToKernelsPatterns(converter, patterns);
  populateConvToKernelsPatterns(converter, patterns);
  populatePoolToKernelsPatterns(converter, patterns);
  populateRowsToKernelsPatterns(converter, patterns);
}

void mlir::sparseconv::configureSparseConvToKernelsTarget(
    const TypeConverter &converter, ConversionTarget &target) {
  target.markUnknownOpDynamicallyLegal(
      [&](Operation *op) { return !isNetworkOp(op) && converter.isLegal(op); });
  target.addDynamicallyLegalOp<func::FuncOp>([&](func::FuncOp function) {
    return converter.isSignatureLegal(function.getFunctionType()) &&
           converter.isLegal(&function.getBody());
  });
}

//===----------------------------------------------------------------------===//
// NetworkPreparation
//===----------------------------------------------------------------------===//

NetworkPreparation::NetworkPreparation(
    std::unique_ptr<NetworkSignatures> signatures)
    : signatures(std::move(signatures)) {}
NetworkPreparation::NetworkPreparation(NetworkPreparation &&) = default;
NetworkPreparation &
NetworkPreparation::operator=(NetworkPreparation &&) = default;
NetworkPreparation::~NetworkPreparation() = default;

std::optional<NetworkPreparation>
NetworkPreparation::prepare(ModuleOp module, const TypeConverter &converter,
                            bool everyFunction) {
  if (module->hasAttr(kOpTableAttr)) {
    module.emitError("expects a module on the network level, but found '")
        << kOpTableAttr << "', which the conversion leaves";
    return std::nullopt;
  }
  NetworkFunctions functions(module, converter, everyFunction);
  if (failed(verifyFunctions(module, functions, converter)) ||
      failed(verifyNetwork(module)))
    return std::nullopt;
  numberOperations(module, functions);
  markGrowingSets(module);
  auto signatures = std::make_unique<NetworkSignatures>(functions);
  addStatusArguments(functions);
  endLoopsOnErrors(functions);
  return NetworkPreparation(std::move(signatures));
}

void NetworkPreparation::finish(const TypeConverter &converter) {
  signatures->restore(converter);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct ConvertSparseConvToKernels
    : mlir::sparseconv::impl::ConvertSparseConvToKernelsBase<
          ConvertSparseConvToKernels> {
  using ConvertSparseConvToKernelsBase::ConvertSparseConvToKernelsBase;

  void runOnOperation() override {
    TypeConverter converter;
    addSparseConvToKernelsConversions(converter);
    std::optional<NetworkPreparation> network =
        NetworkPreparation::prepare(getOperation(), converter, everyFunction);
    if (!network)
      return signalPassFailure();
    ConversionTarget target(getContext());
    configureSparseConvToKernelsTarget(converter, target);
    RewritePatternSet patterns(&getContext());
    populateSparseConvToKernelsPatterns(converter, patterns);
    if (failed(
            applyFullConversion(getOperation(), target, std::move(patterns))))
      return signalPassFailure();
    network->finish(converter);
  }
};
} // namespace
