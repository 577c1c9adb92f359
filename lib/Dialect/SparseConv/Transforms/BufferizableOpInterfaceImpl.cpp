//===- BufferizableOpInterfaceImpl.cpp - bufferization of kernels ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Transforms/BufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/DstBufferizableOpInterfaceImpl.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/DialectRegistry.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace mlir::sparseconv;

namespace {

template <typename OpTy>
struct KernelModel
    : public DstBufferizableOpInterfaceExternalModel<KernelModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    // A grid is zero where no row is.
    return std::is_same_v<OpTy, ToDenseKernelOp> ||
           !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    SmallVector<Value> operands, results;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = *buffer;
      }
      operands.push_back(value);
      if (cast<DestinationStyleOpInterface>(op).isDpsInit(&operand))
        results.push_back(value);
    }
    rewriter.setInsertionPoint(op);
    OperationState onBuffers(op->getLoc(), op->getName());
    onBuffers.addOperands(operands);
    onBuffers.addAttributes(op->getAttrs());
    for (Region &region : op->getRegions())
      onBuffers.addRegion()->takeBody(region);
    rewriter.create(onBuffers);
    replaceOpWithBufferizedValues(rewriter, op, results);
    return success();
  }
};

} // namespace

template <typename... OpTys> static void attachModels(MLIRContext *context) {
  (OpTys::template attachInterface<KernelModel<OpTys>>(*context), ...);
}

void mlir::sparseconv::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SparseConvDialect *) {
    attachModels<DecodeOp, EncodeOp, FloorOp, FromDenseKernelOp, GatherGemmOp,
                 GatherRowsOp, GlobalPoolGradKernelOp, GlobalPoolKernelOp,
                 InterpolateOp, IntersectOp, InvertTableOp, PairListsOp,
                 PoolGradKernelOp, PoolKernelOp, ScatterRowsOp, SearchOp,
                 SelectOp, SortOp, SpreadOp, ToDenseKernelOp, UniqueOp,
                 WeightGradKernelOp, WeightedGatherOp>(context);
  });
}
