//===- TiledGemm.cpp - implicit GEMM on tensor cores ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "Patterns.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

void mlir::sparseconv::emitPackWeights(LoopBuilder &b, PackWeightsOp op) {
  auto config = getTiledGemm(op.getTiling(), /*splitK=*/1, op.getWeightsType(),
                             /*isTransposed=*/false);
  // In groups of a channel each, the groups are the channels.
  auto strides =
      config.sections() < config.groups
          ? WeightStrides::get(config, /*transposed=*/false)
          : WeightStrides::get(cast<ShapedType>(op.getW().getType()).getShape(),
                               op.getOrder());
  gpu::GPUFuncOp kernel = buildPackWeights(createKernelModule(b, op, "gemm"),
                                           "pack_weights", config, strides);
  LaunchShape shape{b.index(countPackBlocks(config)), 1, kPackThreads};
  callKernel(b, kernel, shape, {readDense(b, op.getW()), op.getImage()});
}

static int64_t countChannels(Value features) {
  return features ? cast<MemRefType>(features.getType()).getDimSize(1) : 0;
}

/// The type of the weights before they were packed.
static MemRefType getWeightsType(TiledGemmOp op) {
  auto table = cast<MemRefType>(op.getTiledTable().getType());
  int64_t inChannels = countChannels(op.getX()) + countChannels(op.getBeside());
  int64_t groups = op.getGroups().value_or(1);
  return MemRefType::get(
      {table.getDimSize(0), groups, inChannels / groups,
       countChannels(op.getY()) / groups},
      cast<MemRefType>(op.getX().getType()).getElementType());
}

static ImplicitGemmConfig getConfig(TiledGemmOp op) {
  ImplicitGemmConfig config =
      getTiledGemm(op.getTiling(), op.getSplitK(), getWeightsType(op),
                   /*isTransposed=*/false);
  config.channelsBeside = countChannels(op.getBeside());
  return config;
}

void mlir::sparseconv::emitTiledGemm(LoopBuilder &b, TiledGemmOp op) {
  const TargetInfo &target = b.getTarget();
  ImplicitGemmConfig config = getConfig(op);
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  SmallVector<Type> types(op.getEpilogueOperands().size(), pointer);
  auto epilogue = [&](GpuBuilder &inner, ArrayRef<GemmPiece> pieces,
                      ValueRange arguments, StorePiece store) {
    applyEpilogue(inner, op, pieces, arguments, store);
  };
  gpu::GPUFuncOp kernel = buildImplicitGemm(
      createKernelModule(b, op, "gemm"), "tiled_gemm", config, target, types,
      op.getEpilogue().empty() ? GemmEpilogue() : GemmEpilogue(epilogue));
  Value slots = b.dim(op.getOrder(), 0);
  // Tiles of columns and groups share the room that there is at a time.
  Value grid =
      config.isPersistent()
          ? b.index(llvm::divideCeil(target.multiprocessors * config.blocks,
                                     config.columnTiles()))
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
  if (Value beside = op.getBeside())
    buffers.push_back(readDense(b, beside));
  for (Value extra : op.getEpilogueOperands())
    buffers.push_back(readDense(b, extra));
  callKernel(
      b, kernel,
      {grid, config.columnTiles(), config.threads(), config.sharedBytes()},
      buffers);
  writeBack(b, dense, op.getY());
}

std::string mlir::sparseconv::describeProblem(PackWeightsOp op,
                                              const TargetInfo &target) {
  return verifyTiledGemm(op.getTiling(), /*splitK=*/1, op.getWeightsType(),
                         /*isTransposed=*/false, target);
}

std::string mlir::sparseconv::describeProblem(TiledGemmOp op,
                                              const TargetInfo &target) {
  std::string problem =
      verifyTiledGemm(op.getTiling(), op.getSplitK(), getWeightsType(op),
                      /*isTransposed=*/false, target);
  return problem.empty() ? getConfig(op).verify(target) : problem;
}
