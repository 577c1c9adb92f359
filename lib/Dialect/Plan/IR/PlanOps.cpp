//===- PlanOps.cpp - the host side of a network ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/Plan/IR/PlanOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::sparseconv;

#include "sparseconv/Dialect/Plan/IR/PlanDialect.cpp.inc"

void PlanDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "sparseconv/Dialect/Plan/IR/PlanOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void PlanFuncOp::build(OpBuilder &builder, OperationState &state,
                       StringRef name) {
  state.getOrAddProperties<Properties>().sym_name = builder.getStringAttr(name);
  state.addRegion()->emplaceBlock();
}

bool mlir::sparseconv::isSizeOperation(Operation *op) {
  return isa<arith::ConstantOp, arith::AddIOp, arith::MulIOp,
             arith::CeilDivSIOp, arith::CeilDivUIOp, arith::FloorDivSIOp,
             arith::DivSIOp, arith::DivUIOp, arith::MaxSIOp, arith::MaxUIOp,
             arith::MinSIOp, arith::MinUIOp>(op) &&
         op->getResult(0).getType().isIndex();
}

static bool isOpTable(ArrayAttr table) {
  return llvm::all_of(table, [](Attribute entry) {
    auto pair = dyn_cast<ArrayAttr>(entry);
    return pair && pair.size() == 2 && isa<StringAttr>(pair[0]) &&
           isa<StringAttr>(pair[1]);
  });
}

LogicalResult PlanFuncOp::verify() {
  if (getOpTable() && !isOpTable(*getOpTable()))
    return emitOpError("expected pairs of a name and a place in 'op_table'");
  for (Operation &op : getBody().front())
    if (!isa_and_nonnull<PlanDialect>(op.getDialect()) &&
        !isa<memref::GetGlobalOp>(op) && !isSizeOperation(&op))
      return op.emitOpError("is not part of a plan");
  return success();
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

void PlanSlotOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}
void PlanStatusOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "status");
}
void PlanInputOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}
void PlanOutputOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), getName());
}

/// One operand for each dynamic dimension of a buffer.
static LogicalResult verifySizes(Operation *op, Type type, ValueRange sizes,
                                 StringRef what) {
  int64_t expected = cast<MemRefType>(type).getNumDynamicDims();
  if (static_cast<int64_t>(sizes.size()) != expected)
    return op->emitOpError("expected ")
           << expected << " " << what << ", one for each dynamic dimension of "
           << type << ", but found " << sizes.size();
  return success();
}

/// One slot for each dynamic dimension.
static LogicalResult verifySlots(Operation *op, Type type, ValueRange sizes) {
  if (failed(verifySizes(op, type, sizes, "sizes")))
    return failure();
  for (auto [number, size] : llvm::enumerate(sizes))
    if (!size.getDefiningOp<PlanSlotOp>())
      return op->emitOpError("expected size ") << number << " to be a slot";
  return success();
}

LogicalResult PlanInputOp::verify() {
  return verifySlots(*this, getType(), getSizes());
}

LogicalResult PlanOutputOp::verify() {
  if (failed(verifySizes(*this, getType(), getCapacities(), "capacities")))
    return failure();
  return verifySlots(*this, getType(), getSizes());
}

LogicalResult PlanBufferOp::verify() {
  return verifySizes(*this, getType(), getSizes(), "sizes");
}

LogicalResult PlanAddressOp::verify() {
  if (getBuffer().getDefiningOp<PlanSlotOp>() ||
      getBuffer().getDefiningOp<PlanStatusOp>())
    return emitOpError("expected a buffer, an input or an output");
  return success();
}

LogicalResult PlanCapacityOp::verify() {
  auto input = getInput().getDefiningOp<PlanInputOp>();
  if (!input)
    return emitOpError("expected an input of the function");
  auto type = cast<MemRefType>(input.getType());
  if (getDim() >= static_cast<uint64_t>(type.getRank()))
    return emitOpError("dimension ")
           << getDim() << " of " << type << " does not exist";
  if (!type.isDynamicDim(getDim()))
    return emitOpError("dimension ")
           << getDim() << " of " << type << " is static";
  return success();
}

/// `number`, where it is there, is one of the function's table of operations.
static LogicalResult verifyOp(Operation *op, std::optional<uint32_t> number) {
  auto function = cast<PlanFuncOp>(op->getParentOp());
  size_t numOps = function.getOpTable() ? function.getOpTable()->size() : 0;
  if (number && *number >= numOps)
    return op->emitOpError("operation ")
           << *number << " of a function that lists " << numOps
           << " operations";
  return success();
}

LogicalResult PlanGrowableCapacityOp::verify() {
  if (!getLimit().getDefiningOp<PlanSlotOp>())
    return emitOpError("expected a slot of its own");
  for (Operation *user : getLimit().getUsers())
    if (user != *this && !isa<PlanLaunchOp>(user))
      return emitOpError("expected a slot of its own, but '")
             << user->getName() << "' has it, too";
  return verifyOp(*this, getOp());
}

LogicalResult PlanExactSizeOp::verify() {
  if (!getCount().getDefiningOp<PlanSlotOp>())
    return emitOpError("expected a slot");
  return success();
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

/// Whether memory is there ahead of a run.
static bool isPrepared(Value memory) {
  while (auto address = memory.getDefiningOp<PlanAddressOp>())
    memory = address.getBuffer();
  Operation *op = memory.getDefiningOp();
  if (auto buffer = dyn_cast_or_null<PlanBufferOp>(op))
    return buffer.getPrepared();
  return isa_and_nonnull<memref::GetGlobalOp, PlanInputOp, PlanSlotOp,
                         PlanStatusOp>(op);
}

static bool hasStatus(PlanLaunchOp launch) {
  return llvm::any_of(launch.getArgs(), [](Value memory) {
    return memory.getDefiningOp<PlanStatusOp>();
  });
}

LogicalResult PlanLaunchOp::verify() {
  if (getGrid().empty() || getGrid().size() > 2)
    return emitOpError("expected a grid of one or two sizes, but found ")
           << getGrid().size();
  auto function = cast<PlanFuncOp>((*this)->getParentOp());
  if (getStream() >= function.getStreams())
    return emitOpError("stream ") << getStream() << " of a function with "
                                  << function.getStreams() << " streams";
  if (getPrepares() && !llvm::all_of(getArgs(), isPrepared))
    return emitOpError("prepares, but uses memory other than constants, "
                       "inputs, slots, the status record and prepared buffers");
  auto waitsFor = [&](llvm::function_ref<bool(PlanLaunchOp)> is) {
    return llvm::all_of(getAfter(), [&](Value other) {
      auto launch = other.getDefiningOp<PlanLaunchOp>();
      return launch && is(launch);
    });
  };
  // Reports are in the order of the program, whichever step they are of.
  bool reports = hasStatus(*this);
  if (getPrepares() && !waitsFor([&](PlanLaunchOp launch) {
        return launch.getPrepares() || (reports && hasStatus(launch));
      }))
    return emitOpError("prepares, but waits for a launch that does not");
  if (getCounts() &&
      !waitsFor([](PlanLaunchOp launch) { return launch.getCounts(); }))
    return emitOpError("counts, but waits for a launch that does not");
  return verifyOp(*this, getOp());
}

LogicalResult PlanLaunchOp::verifySymbolUses(SymbolTableCollection &symbols) {
  Operation *scope = (*this)->getParentOp();
  SymbolRefAttr name = getKernel();
  if (name.getNestedReferences().size() != 1)
    return emitOpError("expected a kernel in a module, but found ") << name;
  Operation *kernels =
      symbols.lookupNearestSymbolFrom(scope, name.getRootReference());
  // What is compiled does not say what it has.
  if (isa_and_nonnull<gpu::BinaryOp>(kernels))
    return success();
  auto kernel = dyn_cast_or_null<FunctionOpInterface>(
      symbols.lookupNearestSymbolFrom(scope, name));
  if (!isa_and_nonnull<gpu::GPUModuleOp>(kernels) || !kernel)
    return emitOpError("there is no kernel ") << name;
  if (kernel.getNumArguments() != getArgs().size())
    return emitOpError("kernel ")
           << name << " takes " << kernel.getNumArguments()
           << " arguments, but found " << getArgs().size();
  return success();
}

#define GET_OP_CLASSES
#include "sparseconv/Dialect/Plan/IR/PlanOps.cpp.inc"
