//===- TiledGemm.cpp - implicit GEMM on tensor cores ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "Patterns.h"
#include "mlir/IR/IRMapping.h"
#include "sparseconv/Conversion/KernelPatterns.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

static void emitPackWeights(LoopBuilder &b, PackWeightsOp op) {
  bool isTransposed = op.getTransposeWeights();
  auto config =
      getTiledGemm(op.getTiling(), /*splitK=*/1,
                   cast<ShapedType>(op.getW().getType()), isTransposed);
  gpu::GPUFuncOp kernel = buildPackWeights(
      createKernelModule(b, op, "gemm"), "pack_weights", config, isTransposed);
  int64_t registers = config.weightBytes() / 4;
  constexpr int64_t threads = 256;
  LaunchShape shape{b.index(llvm::divideCeil(registers, threads)), 1, threads};
  callKernel(b, kernel, shape, {readDense(b, op.getW()), op.getImage()});
}

/// Clones the body of an epilogue for one sum.
static Value applyEpilogue(GpuBuilder &b, TiledGemmOp op, Value sum, Value row,
                           Value channel, ValueRange arguments) {
  int64_t channels = cast<MemRefType>(op.getY().getType()).getDimSize(1);
  Block &body = op.getEpilogue().front();
  IRMapping mapping;
  mapping.map(body.getArgument(0), sum);
  for (auto [extra, pointer, argument] :
       llvm::zip(op.getExtras(), arguments, body.getArguments().drop_front())) {
    auto type = cast<MemRefType>(extra.getType());
    Type element = type.getElementType();
    Value index = b.extend64(channel);
    if (type.getRank() == 2)
      index = b.add(b.mul(b.extend64(row), b.i64(channels)), index);
    Value at = b.mul(index, b.i64(element.getIntOrFloatBitWidth() / 8));
    mapping.map(argument, b.loadConstant(element, b.offset(pointer, at)));
  }
  for (Operation &nested : body.without_terminator()) {
    // Constants that a pass has moved out of the body come along.
    for (Value operand : nested.getOperands())
      if (!mapping.contains(operand))
        mapping.map(operand, b.clone(*operand.getDefiningOp())->getResult(0));
    b.clone(nested, mapping);
  }
  Value result = cast<YieldOp>(body.getTerminator()).getValues()[0];
  if (Operation *outer = result.getDefiningOp();
      outer && !mapping.contains(result))
    return b.clone(*outer)->getResult(0);
  return mapping.lookup(result);
}

/// The type of the weights before they were packed.
static MemRefType getWeightsType(TiledGemmOp op) {
  auto x = cast<MemRefType>(op.getX().getType());
  auto y = cast<MemRefType>(op.getY().getType());
  auto table = cast<MemRefType>(op.getTiledTable().getType());
  return MemRefType::get(
      {table.getDimSize(0), x.getDimSize(1), y.getDimSize(1)},
      x.getElementType());
}

static void emitTiledGemm(LoopBuilder &b, TiledGemmOp op) {
  const TargetInfo &target = b.getTarget();
  ImplicitGemmConfig config =
      getTiledGemm(op.getTiling(), op.getSplitK(), getWeightsType(op),
                   /*isTransposed=*/false);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  SmallVector<Type> types(op.getExtras().size(), pointer);
  auto epilogue = [&](GpuBuilder &inner, Value sum, Value row, Value channel,
                      ValueRange arguments) {
    return applyEpilogue(inner, op, sum, row, channel, arguments);
  };
  gpu::GPUFuncOp kernel = buildImplicitGemm(
      createKernelModule(b, op, "gemm"), "tiled_gemm", config, target, types,
      op.getEpilogue().empty() ? GemmEpilogue() : GemmEpilogue(epilogue));
  Value slots = b.dim(op.getOrder(), 0);
  Value grid = config.isPersistent()
                   ? b.index(target.multiprocessors * config.blocks)
                   : b.ceilDiv(slots, config.rowsPerBlock());
  // Room for the splits of few rows.
  if (config.splitK > 1)
    grid = b.max(grid, b.index(config.blocksOfSplit(target)));
  Value dense = getDense(b, op.getY());
  // The three sizes, each an address of its own.
  SmallVector<Value> buffers = {readDense(b, op.getX()),
                                op.getImage(),
                                op.getTiledTable(),
                                op.getOrder(),
                                op.getMasks(),
                                dense,
                                getElement(b, op.getSizes(), 0),
                                getElement(b, op.getSizes(), 1),
                                getElement(b, op.getSizes(), 2)};
  if (config.splitK > 1) {
    buffers.push_back(op.getScratch());
    buffers.push_back(op.getCounters());
  }
  for (Value extra : op.getExtras())
    buffers.push_back(readDense(b, extra));
  callKernel(
      b, kernel,
      {grid, config.columnTiles(), config.threads(), config.sharedBytes()},
      buffers);
  writeBack(b, dense, op.getY());
}

LogicalResult mlir::sparseconv::verifyTiling(PackWeightsOp op,
                                             const TargetInfo &target) {
  std::string problem = verifyTiledGemm(op.getTiling(), /*splitK=*/1,
                                        cast<ShapedType>(op.getW().getType()),
                                        op.getTransposeWeights(), target);
  return problem.empty() ? success()
                         : op.emitOpError("cannot be made: ") << problem;
}

LogicalResult mlir::sparseconv::verifyTiling(TiledGemmOp op,
                                             const TargetInfo &target) {
  std::string problem =
      verifyTiledGemm(op.getTiling(), op.getSplitK(), getWeightsType(op),
                      /*isTransposed=*/false, target);
  return problem.empty() ? success()
                         : op.emitOpError("cannot be made: ") << problem;
}

void mlir::sparseconv::populateTiledGemmToGpuPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LoopPattern<PackWeightsOp>>(context, emitPackWeights);
  patterns.add<LoopPattern<TiledGemmOp>>(context, emitTiledGemm);
}
