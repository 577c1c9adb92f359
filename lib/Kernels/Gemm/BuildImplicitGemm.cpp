//===- BuildImplicitGemm.cpp - kernels of a configuration -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ImplicitGemmEmitter.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Kernels/Builders/IndexExpr.h"

using namespace mlir;
using namespace mlir::sparseconv;

gpu::GPUFuncOp mlir::sparseconv::buildImplicitGemm(
    gpu::GPUModuleOp module, StringRef name, const ImplicitGemmConfig &config,
    const TargetInfo &target, TypeRange epilogueTypes, GemmEpilogue epilogue) {
  assert(config.verify(target).empty() && "configuration has been refused");
  GpuBuilder b(module.getLoc(), module.getContext());
  size_t count = 9 + (config.splitK > 1 ? 2 : 0) + (config.channelsBeside != 0);
  SmallVector<Type> parameters(count, b.pointerType(Space::Global));
  llvm::append_range(parameters, epilogueTypes);
  gpu::GPUFuncOp kernel = b.startKernel(module, name, parameters,
                                        {config.threads(), config.blocks});
  ImplicitGemmEmitter e(b, config, kernel, epilogue);
  if (auto counters = dyn_cast_if_present<BlockArgument>(e.counters))
    kernel.setArgAttr(counters.getArgNumber(),
                      SparseConvDialect::kRestoredAttrName, b.getUnitAttr());
  // What has bulk copies has launches that overlap, too.
  e.overlaps = target.hasBulkCopy && config.loop->hasPrologue();
  config.loop->emit(e, target);
  e.waitForKernels();
  b.finishKernel();
  return kernel;
}

//===----------------------------------------------------------------------===//
// Packing weights
//===----------------------------------------------------------------------===//

WeightStrides WeightStrides::get(const ImplicitGemmConfig &config,
                                 bool transposed) {
  int64_t in = config.inChannels, out = config.sectionChannels();
  SmallVector<int64_t> shape = {config.offsets * config.sections(), in, out};
  SmallVector<int64_t> order = {0, 1, 2};
  if (transposed) {
    std::swap(shape[1], shape[2]);
    std::swap(order[1], order[2]);
  }
  return get(shape, order);
}

WeightStrides WeightStrides::get(ArrayRef<int64_t> shape,
                                 ArrayRef<int64_t> order) {
  SmallVector<int64_t> strides = computeStrides(shape);
  SmallVector<Axis> slices;
  for (int64_t axis : order.drop_back(2)) {
    // Axes that lie one within the other are one.
    if (!slices.empty() && slices.back().stride == shape[axis] * strides[axis])
      slices.back() = {slices.back().size * shape[axis], strides[axis]};
    else
      slices.push_back({shape[axis], strides[axis]});
  }
  ArrayRef<int64_t> channels = order.take_back(2);
  return {slices, strides[channels[0]], strides[channels[1]]};
}

/// The place of a slice, in elements.
static Value placeSlice(GpuBuilder &b, const WeightStrides &strides,
                        Value slice) {
  Value place = b.i32(0);
  for (const WeightStrides::Axis &axis :
       llvm::reverse(ArrayRef(strides.slices).drop_front())) {
    place = b.add(place, b.mul(b.remainder(slice, axis.size), axis.stride));
    slice = b.divide(slice, axis.size);
  }
  return b.add(place, b.mul(slice, strides.slices.front().stride));
}

/// The bits of an element of the image, zero behind the last channel.
static Value loadElement(GpuBuilder &b, const ImplicitGemmConfig &config,
                         const ImageElement<IndexExpr> &element, Value weights,
                         const WeightStrides &strides) {
  int64_t bytes = config.elementBytes();
  Type type = b.getIntegerType(bytes * 8);
  Value in = element.inChannel.value, out = element.outChannel.value;
  Value slice = element.offset.value;
  if (config.sections() > 1) {
    // The columns of a section begin with a column tile.
    int64_t columns = config.sectionTiles() * config.tileN;
    slice = b.add(b.mul(slice, config.sections()), b.divide(out, columns));
    out = b.remainder(out, columns);
  }
  Value present = b.andBits(b.lessUnsigned(in, config.inChannels),
                            b.lessUnsigned(out, config.sectionChannels()));
  Value index = b.add(placeSlice(b, strides, slice),
                      b.add(b.mul(in, strides.in), b.mul(out, strides.out)));
  Value zero = arith::ConstantIntOp::create(b, type, 0);
  return changeIf(b, present, zero, [&](Value &value) {
    Value at = b.mul(b.extend64(index), b.i64(bytes));
    value = b.loadConstant(type, b.offset(weights, at), bytes);
  });
}

/// The elements of a register of the image side by side.
static Value joinElements(GpuBuilder &b, const ImplicitGemmConfig &config,
                          ArrayRef<Value> elements) {
  if (config.element == GemmElement::TF32)
    return b.bitcast(b.roundToTf32(elements.front()), b.getI32Type());
  if (elements.size() == 1)
    return elements.front();
  auto wide = [&](Value value) { return b.extend(value, b.getI32Type()); };
  return b.orBits(wide(elements[0]), b.shiftLeft(wide(elements[1]), 16));
}

static int64_t countPieces(const FragmentLayout &layout) {
  assert(layout.imageBytes() % 16 == 0 && "a part of a piece");
  return layout.imageBytes() / 16;
}

int64_t mlir::sparseconv::countPackBlocks(const ImplicitGemmConfig &config) {
  return llvm::divideCeil(countPieces(config.layout()), kPackThreads);
}

gpu::GPUFuncOp
mlir::sparseconv::buildPackWeights(gpu::GPUModuleOp module, StringRef name,
                                   const ImplicitGemmConfig &config,
                                   const WeightStrides &strides) {
  GpuBuilder b(module.getLoc(), module.getContext());
  SmallVector<Type> parameters(2, b.pointerType(Space::Global));
  gpu::GPUFuncOp kernel =
      b.startKernel(module, name, parameters, {kPackThreads});
  Value weights = kernel.getArgument(0), image = kernel.getArgument(1);
  FragmentLayout layout = config.layout();
  // Where output channels lie side by side in memory, so do what the threads
  // of a warp read.
  bool acrossRows = layout.isSwizzled() && strides.out == 1;
  Value piece = b.add(b.mul(b.blockId(), kPackThreads), b.threadId());
  b.ifThen(b.lessUnsigned(piece, countPieces(layout)), [&] {
    IndexExpr first = layout.firstOfPiece(IndexExpr(b, piece), acrossRows);
    SmallVector<Value> registers;
    for (int64_t number : llvm::seq(4)) {
      SmallVector<Value> elements;
      for (int64_t bit : llvm::seq(layout.perRegister))
        elements.push_back(loadElement(
            b, config, layout.element(first + number, bit), weights, strides));
      registers.push_back(joinElements(b, config, elements));
    }
    auto type = VectorType::get(4, b.getI32Type());
    b.store(vector::FromElementsOp::create(b, type, registers),
            b.offset(image, b.mul(first.value, 4)), 16);
  });
  b.finishKernel();
  return kernel;
}
