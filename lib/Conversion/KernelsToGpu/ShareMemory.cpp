//===- ShareMemory.cpp - host functions for upstream's GPU runtime --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "sparseconv/Conversion/Passes.h"
#include "sparseconv/Dialect/SparseConv/IR/ElementBytes.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"

namespace mlir::sparseconv {
#define GEN_PASS_DEF_SPARSECONVSHAREMEMORY
#include "sparseconv/Conversion/Passes.h.inc"
} // namespace mlir::sparseconv

using namespace mlir;
using namespace mlir::sparseconv;

namespace {
/// A function that launches kernels.
class HostFunction {
public:
  explicit HostFunction(func::FuncOp function)
      : function(function), b(function.getLoc(), function.getContext()) {}

  /// Changes nothing if there is an error.
  LogicalResult verify();
  void run();

private:
  Value allocate(MemRefType type, ValueRange sizes = {});
  /// Memory that is given back where the function ends.
  Value allocateForRun(MemRefType type);
  /// A buffer with one number.
  Value hold(Value size);
  void deallocate(ValueRange buffers);

  void takeSizes();
  void changeBuffers();
  void guardLaunch(gpu::LaunchFuncOp op);
  void changeCast(UnrealizedConversionCastOp op);
  void returnRows(func::ReturnOp op);

  func::FuncOp function;
  ImplicitLocOpBuilder b;
  SmallVector<Value> ofRun;
};

struct ShareMemory
    : mlir::sparseconv::impl::SparseConvShareMemoryBase<ShareMemory> {
  void runOnOperation() override;
};
} // namespace

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Value HostFunction::allocate(MemRefType type, ValueRange sizes) {
  return gpu::AllocOp::create(b, type, /*asyncToken=*/Type(),
                              /*asyncDependencies=*/ValueRange(), sizes,
                              /*symbolOperands=*/ValueRange(),
                              /*hostShared=*/true)
      .getMemref();
}

Value HostFunction::allocateForRun(MemRefType type) {
  return ofRun.emplace_back(allocate(type));
}

Value HostFunction::hold(Value size) {
  Value buffer = allocateForRun(MemRefType::get({1}, b.getIndexType()));
  Value zero = arith::ConstantIndexOp::create(b, 0);
  memref::StoreOp::create(b, size, buffer, zero);
  return buffer;
}

/// Upstream lowers deallocation in streams alone.
void HostFunction::deallocate(ValueRange buffers) {
  Type token = b.getType<gpu::AsyncTokenType>();
  Value stream = gpu::WaitOp::create(b, token, ValueRange()).getAsyncToken();
  for (Value buffer : buffers)
    stream = gpu::DeallocOp::create(b, token, stream, buffer).getAsyncToken();
  gpu::WaitOp::create(b, Type(), stream);
}

//===----------------------------------------------------------------------===//
// The function
//===----------------------------------------------------------------------===//

LogicalResult HostFunction::verify() {
  for (unsigned i = 0; i < function.getNumResults(); ++i) {
    std::optional<EntryDim> dim = getResultSizeOf(function, i);
    if (!dim)
      continue;
    auto type = dyn_cast<MemRefType>(function.getResultTypes()[dim->number]);
    if (!type || dim->axis != 0 || !type.getLayout().isIdentity() ||
        ShapedType::isDynamicShape(type.getShape().drop_front()))
      return function.emitError("expects only the rows of result ")
             << dim->number << " to be known after a run, but it is "
             << function.getResultTypes()[dim->number];
  }
  // What has to be changed stands in the function itself.
  WalkResult nested = function.walk([&](Operation *op) {
    bool isChanged = isa<gpu::LaunchFuncOp, memref::AllocOp, memref::DeallocOp,
                         memref::GetGlobalOp, UnrealizedConversionCastOp,
                         GrowableCapacityOp, ExactSizeOp>(op);
    return isChanged && op->getParentOp() != function ? WalkResult::interrupt()
                                                      : WalkResult::advance();
  });
  if (function.getBody().hasOneBlock() && !nested.wasInterrupted())
    return success();
  return function.emitError(
      "expects what launches kernels to have no branches");
}

/// The caller's buffers have as many rows as their types say.
void HostFunction::takeSizes() {
  BitVector sizes(function.getNumArguments());
  b.setInsertionPointToStart(&function.getBody().front());
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::optional<EntryDim> dim = getArgumentSizeOf(function, number);
    if (!dim)
      continue;
    sizes.set(number);
    Value size =
        memref::DimOp::create(b, function.getArgument(dim->number), dim->axis);
    argument.replaceAllUsesWith(hold(size));
  }
  [[maybe_unused]] LogicalResult erased = function.eraseArguments(sizes);
  assert(succeeded(erased) && "functions take any arguments");
}

/// Kernels with no blocks are none, which drivers do not take.
void HostFunction::guardLaunch(gpu::LaunchFuncOp op) {
  Value blocks = op.getGridSizeX();
  if (matchPattern(blocks, m_Constant()))
    return;
  Value zero = arith::ConstantIndexOp::create(b, 0);
  Value any = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, blocks, zero);
  auto branch = scf::IfOp::create(b, any, /*withElseRegion=*/false);
  op->moveBefore(branch.thenBlock()->getTerminator());
}

/// Generated kernels take addresses.
void HostFunction::changeCast(UnrealizedConversionCastOp op) {
  auto type = dyn_cast<MemRefType>(op.getOperandTypes().front());
  if (!type || !isa<LLVM::LLVMPointerType>(op.getResultTypes().front()))
    return;
  Value buffer = op.getOperand(0);
  Value address =
      memref::ExtractAlignedPointerAsIndexOp::create(b, buffer).getResult();
  Value offset =
      memref::ExtractStridedMetadataOp::create(b, buffer).getOffset();
  Value bytes =
      arith::ConstantIndexOp::create(b, getElementBytes(type.getElementType()));
  offset = arith::MulIOp::create(b, offset, bytes);
  address = arith::AddIOp::create(b, address, offset);
  address = arith::IndexCastOp::create(b, b.getI64Type(), address);
  op.getResult(0).replaceAllUsesWith(
      LLVM::IntToPtrOp::create(b, op.getResultTypes().front(), address));
  op.erase();
}

void HostFunction::changeBuffers() {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
    b.setLoc(op.getLoc());
    b.setInsertionPoint(&op);
    if (auto alloc = dyn_cast<memref::AllocOp>(op)) {
      Value buffer = allocate(alloc.getType(), alloc.getDynamicSizes());
      // Plans need nobody who gives memory back.
      if (llvm::none_of(alloc->getUsers(),
                        llvm::IsaPred<memref::DeallocOp, func::ReturnOp>))
        ofRun.push_back(buffer);
      alloc.replaceAllUsesWith(buffer);
      alloc.erase();
    } else if (auto dealloc = dyn_cast<memref::DeallocOp>(op)) {
      deallocate(dealloc.getMemref());
      dealloc.erase();
    } else if (auto global = dyn_cast<memref::GetGlobalOp>(op)) {
      b.setInsertionPointAfter(global);
      Value copy = allocateForRun(global.getType());
      auto fill = memref::CopyOp::create(b, global, copy);
      global.getResult().replaceAllUsesExcept(copy, fill);
    } else if (auto grown = dyn_cast<GrowableCapacityOp>(op)) {
      grown.getLimit().replaceAllUsesWith(hold(grown.getBound()));
      grown.getCapacity().replaceAllUsesWith(grown.getBound());
      grown.erase();
    } else if (auto exact = dyn_cast<ExactSizeOp>(op)) {
      // Nobody reads counts before the run ends.
      exact.getResult().replaceAllUsesWith(exact.getCapacity());
      exact.erase();
    } else if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op)) {
      guardLaunch(launch);
    } else if (auto cast = dyn_cast<UnrealizedConversionCastOp>(op)) {
      changeCast(cast);
    }
  }
}

/// Results get the rows that were found, in place of results that say so.
void HostFunction::returnRows(func::ReturnOp op) {
  b.setLoc(op.getLoc());
  b.setInsertionPoint(op);
  BitVector sizes(function.getNumResults());
  SmallVector<Value> values(op.getOperands());
  SmallVector<Type> types(function.getResultTypes());
  for (unsigned i = 0; i < values.size(); ++i) {
    std::optional<EntryDim> dim = getResultSizeOf(function, i);
    if (!dim)
      continue;
    sizes.set(i);
    Value zero = arith::ConstantIndexOp::create(b, 0);
    Value rows = memref::LoadOp::create(b, values[i], zero);
    auto type = cast<MemRefType>(types[dim->number]);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    type = MemRefType::get(shape, type.getElementType());
    SmallVector<OpFoldResult> extents =
        getAsIndexOpFoldResult(b.getContext(), shape);
    extents[0] = rows;
    types[dim->number] = type;
    values[dim->number] = memref::ReinterpretCastOp::create(
        b, type, values[dim->number], b.getIndexAttr(0), extents,
        getAsIndexOpFoldResult(b.getContext(),
                               type.getStridesAndOffset().first));
  }
  // One buffer may hold the rows of several results, and of an argument.
  llvm::SetVector<Value> unused(ofRun.begin(), ofRun.end());
  for (unsigned i : sizes.set_bits())
    unused.insert(op.getOperand(i));
  for (unsigned i : llvm::reverse(llvm::to_vector(sizes.set_bits()))) {
    values.erase(values.begin() + i);
    types.erase(types.begin() + i);
  }
  if (!unused.empty())
    deallocate(unused.getArrayRef());
  func::ReturnOp::create(b, values);
  op.erase();
  for (unsigned i : llvm::reverse(llvm::to_vector(sizes.set_bits())))
    (void)function.eraseResult(i);
  function.setFunctionType(
      b.getFunctionType(function.getArgumentTypes(), types));
}

void HostFunction::run() {
  takeSizes();
  changeBuffers();
  returnRows(cast<func::ReturnOp>(function.getBody().front().getTerminator()));
  // To the host it is memory like any other.
  if (BlockArgument status = getStatusArgument(function))
    function.removeArgAttr(status.getArgNumber(), kStatusAttr);
}

void ShareMemory::runOnOperation() {
  SmallVector<HostFunction> functions;
  for (auto function : getOperation().getOps<func::FuncOp>()) {
    WalkResult launches = function.walk(
        [](gpu::LaunchFuncOp) { return WalkResult::interrupt(); });
    if (!launches.wasInterrupted())
      continue;
    HostFunction host(function);
    if (failed(host.verify()))
      return signalPassFailure();
    if (!SymbolTable::symbolKnownUseEmpty(function, getOperation())) {
      function.emitError("expects what launches kernels to be called from "
                         "outside of the module only");
      return signalPassFailure();
    }
    functions.push_back(std::move(host));
  }
  for (HostFunction &host : functions)
    host.run();
  // Tools of upstream's that run the module do not know it.
  getOperation()->removeAttr(SparseConvDialect::kTargetAttrName);
}
