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

static bool isCounters(OpOperand &operand) {
  auto gemm = dyn_cast<TiledGemmOp>(operand.getOwner());
  return gemm && &operand == &gemm.getCountersMutable();
}

/// Whether `op` keeps something of what `init` holds.
static bool readsInit(Operation *op, OpOperand &init) {
  if (auto unique = dyn_cast<UniqueOp>(op))
    return &init == &unique.getRowOfMutable();
  if (auto tile = dyn_cast<TileHitsOp>(op))
    return llvm::any_of(tile.getTotalsMutable(),
                        [&](OpOperand &totals) { return &totals == &init; });
  // The zeros of counters are there again behind a layer, so layers take turns
  // with one buffer. Only where something else has them as well may a layer get
  // another one, which then needs the zeros.
  if (isCounters(init))
    return !llvm::all_of(init.get().getUses(), isCounters);
  return isa<ToDenseKernelOp>(op);
}

/// `buffer`, or a copy of it whose innermost elements are known to lie side by
/// side: kernels load vectors. Where two branches give buffers of different
/// layouts, bufferization knows of no stride.
static Value withUnitStride(RewriterBase &rewriter, Location loc,
                            Value buffer) {
  auto type = cast<MemRefType>(buffer.getType());
  if (type.isLastDimUnitStride())
    return buffer;
  auto plain = MemRefType::get(type.getShape(), type.getElementType());
  SmallVector<Value> sizes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    if (type.isDynamicDim(axis))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, axis));
  Value copy = memref::AllocOp::create(rewriter, loc, plain, sizes);
  memref::CopyOp::create(rewriter, loc, buffer, copy);
  return copy;
}

namespace {

template <typename OpTy>
struct KernelModel
    : public DstBufferizableOpInterfaceExternalModel<KernelModel<OpTy>, OpTy> {
  bool bufferizesToMemoryRead(Operation *op, OpOperand &operand,
                              const AnalysisState &) const {
    return !cast<DestinationStyleOpInterface>(op).isDpsInit(&operand) ||
           readsInit(op, operand);
  }

  LogicalResult bufferize(Operation *op, RewriterBase &rewriter,
                          const BufferizationOptions &options,
                          BufferizationState &state) const {
    auto kernel = cast<DestinationStyleOpInterface>(op);
    rewriter.setInsertionPoint(op);
    SmallVector<Value> operands, results;
    for (OpOperand &operand : op->getOpOperands()) {
      Value value = operand.get();
      if (isa<TensorType>(value.getType())) {
        FailureOr<Value> buffer = getBuffer(rewriter, value, options, state);
        if (failed(buffer))
          return failure();
        value = kernel.isDpsInit(&operand)
                    ? *buffer
                    : withUnitStride(rewriter, op->getLoc(), *buffer);
      }
      operands.push_back(value);
      if (kernel.isDpsInit(&operand))
        results.push_back(value);
    }
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

/// Kernel operations are those that name their destinations.
template <typename... OpTys> static void attachModels(MLIRContext *context) {
  auto attach = [&](auto op) {
    using OpTy = decltype(op);
    if constexpr (OpTy::template hasTrait<DestinationStyleOpInterface::Trait>())
      OpTy::template attachInterface<KernelModel<OpTy>>(*context);
  };
  (attach(OpTys()), ...);
}

void mlir::sparseconv::registerBufferizableOpInterfaceExternalModels(
    DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, SparseConvDialect *) {
    attachModels<
#define GET_OP_LIST
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.cpp.inc"
        >(context);
  });
}
