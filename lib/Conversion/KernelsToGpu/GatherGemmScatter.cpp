//===- GatherGemmScatter.cpp - convolution by pair lists on a GPU ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two kernels: the weight image, and the product; before products that are
// added atomically one that clears the output.
//
//===----------------------------------------------------------------------===//

#include "KernelCalls.h"
#include "Patterns.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "sparseconv/Kernels/Gemm/PairGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

std::string mlir::sparseconv::describeProblem(GatherGemmScatterOp op,
                                              const TargetInfo &target) {
  return verifyPairGemm(op.getTiling(), cast<ShapedType>(op.getW().getType()),
                        op.getTransposeWeights(), target);
}

/// The weights, whose groups are one, as the main loop takes them.
static Value packWeights(LoopBuilder &b, GatherGemmScatterOp op,
                         const ImplicitGemmConfig &config) {
  Value image = b.alloc({config.weightBytes()}, b.getI8Type());
  auto strides = WeightStrides::get(config, op.getTransposeWeights());
  gpu::GPUFuncOp kernel = buildPackWeights(createKernelModule(b, op, "gemm"),
                                           "pack_weights", config, strides);
  LaunchShape shape{b.index(countPackBlocks(config)), 1, kPackThreads};
  callKernel(b, kernel, shape, {readDense(b, op.getW()), image});
  return image;
}

static PairGemmConfig getConfig(GatherGemmScatterOp op) {
  PairGemmConfig config =
      getPairGemm(op.getTiling(), cast<ShapedType>(op.getW().getType()),
                  op.getTransposeWeights());
  config.gemm.storesF32 =
      cast<MemRefType>(op.getY().getType()).getElementType().isF32();
  config.atomic = op.getAtomic();
  return config;
}

static gpu::GPUFuncOp buildKernel(LoopBuilder &b, GatherGemmScatterOp op,
                                  const PairGemmConfig &config) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  SmallVector<Type> types(op.getExtras().size(), pointer);
  auto epilogue = [&](GpuBuilder &inner, ArrayRef<GemmPiece> pieces,
                      ValueRange arguments, StorePiece store) {
    applyEpilogue(inner, op, pieces, arguments, store);
  };
  return buildPairGemm(
      createKernelModule(b, op, "gemm"), "pair_gemm", config, types,
      op.getEpilogue().empty() ? GemmEpilogue() : GemmEpilogue(epilogue));
}

/// Makes zeros of all of `y`.
static void clear(LoopBuilder &b, Value y) {
  Value channels = b.dim(y, 1);
  b.parallelFor(b.mul(b.dim(y, 0), channels), [&](Value place) {
    b.store(b.f32(0), y,
            {b.divide(place, channels), b.remainder(place, channels)});
  });
}

void mlir::sparseconv::emitPairGemm(LoopBuilder &b, GatherGemmScatterOp op) {
  PairGemmConfig config = getConfig(op);
  Value image = packWeights(b, op, config.gemm);
  Value sizes = b.alloc({2}, b.getIndexType());
  b.store(b.dim(op.getX(), 0), sizes, b.index(0));
  b.store(b.dim(op.getY(), 0), sizes, b.index(1));
  gpu::GPUFuncOp kernel = buildKernel(b, op, config);
  Value dense = getDense(b, op.getY()), outRows = getElement(b, sizes, 1);
  SmallVector<Value> buffers = {readDense(b, op.getX()),
                                image,
                                op.getInRows(),
                                op.getOutRows(),
                                op.getSegments(),
                                dense,
                                getElement(b, sizes, 0),
                                outRows,
                                outRows};
  for (Value extra : op.getExtras())
    buffers.push_back(readDense(b, extra));
  if (config.atomic)
    clear(b, dense);
  Value rowBlocks = b.ceilDiv(b.dim(op.getY(), 0), config.rowBlock);
  callKernel(b, kernel,
             {b.mul(rowBlocks, b.index(config.blocksPerRowBlock())),
              config.gemm.columnTiles(), kWarpLanes, config.sharedBytes()},
             buffers);
  writeBack(b, dense, op.getY());
}
