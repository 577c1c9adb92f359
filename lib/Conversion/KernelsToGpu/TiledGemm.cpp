//===- TiledGemm.cpp - implicit GEMM on tensor cores ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../KernelsToLoops/Patterns.h"
#include "Patterns.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "sparseconv/Kernels/GatherGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
struct Choice {
  GatherGemmConfig gemm;
  const GpuChip *chip;
};
} // namespace

/// What the lowering of the convolution chose: it looks at the same numbers.
static Choice getChoice(Operation *op, Type element, int64_t offsets,
                        int64_t inChannels, int64_t outChannels) {
  const GpuChip *chip = GpuChip::find(getChipName(op));
  return {*chooseTiledGemm(element, offsets, inChannels, outChannels, *chip),
          chip};
}

/// A new module for kernels of `op`; equal kernels are merged later.
static gpu::GPUModuleOp createKernelModule(LoopBuilder &b, Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto kernels = gpu::GPUModuleOp::create(b, b.getLoc(), "gemm");
  SymbolTable(module).insert(kernels);
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  return kernels;
}

/// The address of a buffer, as the generators take it.
static Value getAddress(LoopBuilder &b, Value buffer) {
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  return UnrealizedConversionCastOp::create(b, b.getLoc(), pointer, buffer)
      .getResult(0);
}

static void launch(LoopBuilder &b, gpu::GPUFuncOp kernel, Value gridX,
                   int64_t gridY, int64_t threads, int64_t sharedBytes,
                   ArrayRef<Value> buffers) {
  SmallVector<Value> addresses;
  for (Value buffer : buffers)
    addresses.push_back(getAddress(b, buffer));
  Value one = b.index(1);
  gpu::LaunchFuncOp::create(
      b, kernel, gpu::KernelDim3{gridX, b.index(gridY), one},
      gpu::KernelDim3{b.index(threads), one, one},
      sharedBytes ? b.i32(sharedBytes) : Value(), addresses);
}

static void emitPackWeights(LoopBuilder &b, PackWeightsOp op) {
  auto weights = cast<MemRefType>(op.getW().getType());
  bool isTransposed = op.getTransposeWeights();
  Choice config = getChoice(op, weights.getElementType(), weights.getDimSize(0),
                            weights.getDimSize(isTransposed ? 2 : 1),
                            weights.getDimSize(isTransposed ? 1 : 2));
  gpu::GPUFuncOp kernel = buildPackWeights(
      createKernelModule(b, op), "pack_weights", config.gemm, isTransposed);
  int64_t registers = config.gemm.weightBytes() / 4;
  launch(b, kernel, b.index(llvm::divideCeil(registers, 256)), 1, 256, 0,
         {op.getW(), op.getImage()});
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

static void emitTiledGemm(LoopBuilder &b, TiledGemmOp op) {
  auto x = cast<MemRefType>(op.getX().getType());
  auto y = cast<MemRefType>(op.getY().getType());
  auto table = cast<MemRefType>(op.getTiledTable().getType());
  Choice config = getChoice(op, x.getElementType(), table.getDimSize(0),
                            x.getDimSize(1), y.getDimSize(1));
  auto pointer = LLVM::LLVMPointerType::get(b.getContext(), 1);
  SmallVector<Type> types(op.getExtras().size(), pointer);
  auto epilogue = [&](GpuBuilder &inner, Value sum, Value row, Value channel,
                      ValueRange arguments) {
    return applyEpilogue(inner, op, sum, row, channel, arguments);
  };
  gpu::GPUFuncOp kernel = buildGatherGemm(
      createKernelModule(b, op), "tiled_gemm", config.gemm, *config.chip, types,
      op.getEpilogue().empty() ? GemmEpilogue() : GemmEpilogue(epilogue));
  Value slots = b.dim(op.getOrder(), 0);
  Value grid = config.gemm.isPersistent()
                   ? b.index(config.chip->multiprocessors * config.gemm.blocks)
                   : b.ceilDiv(slots, config.gemm.rowsPerBlock());
  // The three sizes, each an address of its own.
  auto size = [&](int64_t i) {
    return memref::SubViewOp::create(b, op.getSizes(),
                                     ArrayRef<OpFoldResult>{b.getIndexAttr(i)},
                                     ArrayRef<OpFoldResult>{b.getIndexAttr(1)},
                                     ArrayRef<OpFoldResult>{b.getIndexAttr(1)});
  };
  SmallVector<Value> buffers = {
      op.getX(),     op.getImage(), op.getTiledTable(),
      op.getOrder(), op.getMasks(), op.getY(),
      size(0),       size(1),       size(2)};
  llvm::append_range(buffers, op.getExtras());
  launch(b, kernel, grid, config.gemm.parts(), config.gemm.threads(),
         config.gemm.sharedBytes(), buffers);
}

void mlir::sparseconv::populateTiledGemmToGpuPatterns(
    RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<LoopPattern<PackWeightsOp>>(context, emitPackWeights);
  patterns.add<LoopPattern<TiledGemmOp>>(context, emitTiledGemm);
}
