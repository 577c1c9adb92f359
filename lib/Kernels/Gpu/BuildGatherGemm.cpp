//===- BuildGatherGemm.cpp - kernels of a configuration -------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include "IndexExpr.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlir::sparseconv;

gpu::GPUFuncOp mlir::sparseconv::buildGatherGemm(
    gpu::GPUModuleOp module, StringRef name, const GatherGemmConfig &config,
    const GpuChip &chip, TypeRange epilogueTypes, GemmEpilogue epilogue) {
  assert(config.verify(chip).empty() && "configuration has been refused");
  GpuBuilder b(module.getLoc(), module.getContext());
  unsigned pointers = config.splitK > 1 ? 11 : 9;
  gpu::GPUFuncOp kernel = startKernel(b, module, name, pointers, epilogueTypes,
                                      config.threads(), config.blocks);
  GatherEmitter e(b, config, kernel, epilogue);
  switch (config.strategy) {
  case GatherStrategy::Warp16:
    emitWarp16(e, chip);
    break;
  case GatherStrategy::Group64:
    emitGroup64(e);
    break;
  case GatherStrategy::Ring64:
    emitRing64(e, chip);
    break;
  case GatherStrategy::Fma16:
    emitFma16(e, chip);
    break;
  case GatherStrategy::Fma:
    emitFma(e);
    break;
  }
  finishKernel(b);
  return kernel;
}

gpu::GPUFuncOp
mlir::sparseconv::buildPackWeights(gpu::GPUModuleOp module, StringRef name,
                                   const GatherGemmConfig &config,
                                   bool transposed) {
  GpuBuilder b(module.getLoc(), module.getContext());
  gpu::GPUFuncOp kernel = startKernel(b, module, name, 2, {}, 256, 1);
  FragmentLayout layout = config.layout();
  int64_t bytes = config.elementBytes();
  Type elementType = b.getIntegerType(bytes * 8);
  Value reg = b.add(b.mul(b.blockId(), 256), b.threadId());
  b.ifThen(b.lessUnsigned(reg, layout.imageBytes() / 4), [&] {
    SmallVector<Value> elements;
    for (int64_t bit : llvm::seq(layout.perRegister)) {
      auto element = config.strategy == GatherStrategy::Fma16
                         ? layout.plainElement(IndexExpr(b, reg))
                         : layout.element(IndexExpr(b, reg), bit);
      Value in = element.inChannel.value, out = element.outChannel.value;
      Value present = b.andBits(b.lessUnsigned(in, config.inChannels),
                                b.lessUnsigned(out, config.outChannels));
      Value row = transposed ? out : in, column = transposed ? in : out;
      int64_t rows = transposed ? config.outChannels : config.inChannels;
      int64_t columns = transposed ? config.inChannels : config.outChannels;
      Value index =
          b.add(b.mul(b.add(b.mul(element.offset.value, rows), row), columns),
                column);
      elements.push_back(
          b.ifElse(
               present, elementType,
               [&] {
                 Value at = b.mul(b.extend64(index), b.i64(bytes));
                 return SmallVector<Value>{b.loadConstant(
                     elementType, b.offset(kernel.getArgument(0), at), bytes)};
               },
               [&] {
                 return SmallVector<Value>{
                     arith::ConstantIntOp::create(b, elementType, 0)};
               })
              .front());
    }
    Value bits = elements.front();
    if (bytes == 2) {
      auto wide = [&](Value value) {
        return b.createOrFold<arith::ExtUIOp>(b.getI32Type(), value);
      };
      bits = b.orBits(wide(elements[0]), b.shiftLeft(wide(elements[1]), 16));
    } else if (config.element == GemmElement::TF32) {
      bits = b.bitcast(b.roundToTf32(bits), b.getI32Type());
    }
    b.store(bits, b.offset(kernel.getArgument(1), b.mul(reg, 4)), 4);
  });
  finishKernel(b);
  return kernel;
}
