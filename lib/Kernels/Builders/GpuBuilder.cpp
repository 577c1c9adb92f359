//===- GpuBuilder.cpp - conversions and control flow of kernels -----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp GpuBuilder::startKernel(gpu::GPUModuleOp module, StringRef name,
                                       TypeRange parameters,
                                       LaunchBounds bounds) {
  setInsertionPointToEnd(module.getBody());
  auto kernel =
      gpu::GPUFuncOp::create(*this, name, getFunctionType(parameters, {}));
  kernel->setAttr(gpu::GPUDialect::getKernelFuncAttrName(), getUnitAttr());
  kernel.setKnownBlockSizeAttr(
      getDenseI32ArrayAttr({static_cast<int32_t>(bounds.threads), 1, 1}));
  setResidentBlocks(kernel, bounds.residentBlocks);
  setInsertionPointToStart(&kernel.getBody().front());
  return kernel;
}

void GpuBuilder::finishKernel() { gpu::ReturnOp::create(*this); }

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

Value GpuBuilder::truncate32(Value value) {
  return createOrFold<arith::TruncIOp>(getI32Type(), value);
}
Value GpuBuilder::bitcast(Value value, Type type) {
  if (value.getType() == type)
    return value;
  return LLVM::BitcastOp::create(*this, type, value);
}

Value GpuBuilder::packPair(Value low, Value high, Type elementType) {
  auto wide = VectorType::get(2, getF32Type());
  Value pair =
      vector::FromElementsOp::create(*this, wide, ValueRange{low, high});
  Value narrow =
      arith::TruncFOp::create(*this, VectorType::get(2, elementType), pair);
  return bitcast(narrow, getI32Type());
}

SmallVector<Value> GpuBuilder::unpack(Value aggregate) {
  SmallVector<Value> elements;
  if (auto vector = dyn_cast<VectorType>(aggregate.getType())) {
    for (int64_t i : llvm::seq(vector.getNumElements()))
      elements.push_back(
          LLVM::ExtractElementOp::create(*this, aggregate, i32(i)));
    return elements;
  }
  auto type = cast<LLVM::LLVMStructType>(aggregate.getType());
  for (int64_t i : llvm::seq<int64_t>(type.getBody().size()))
    elements.push_back(LLVM::ExtractValueOp::create(*this, aggregate, i));
  return elements;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

SmallVector<Value> GpuBuilder::doWhile(
    ValueRange inits,
    function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> body) {
  auto op = scf::WhileOp::create(*this, inits.getTypes(), inits,
                                 /*beforeBuilder=*/nullptr,
                                 /*afterBuilder=*/nullptr);
  OpBuilder::InsertionGuard guard(*this);
  setInsertionPointToEnd(op.getBeforeBody());
  auto [condition, next] = body(op.getBeforeArguments());
  scf::ConditionOp::create(*this, condition, next);
  setInsertionPointToEnd(op.getAfterBody());
  scf::YieldOp::create(*this, op.getAfterArguments());
  return op.getResults();
}

void GpuBuilder::shareOut(Value thread, int64_t threads, int64_t count,
                          function_ref<void(Value)> body) {
  for (int64_t begin = 0; begin < count; begin += threads) {
    auto visit = [&] { body(add(thread, begin)); };
    if (begin + threads <= count)
      visit();
    else
      ifThen(lessUnsigned(thread, count - begin), visit);
  }
}
