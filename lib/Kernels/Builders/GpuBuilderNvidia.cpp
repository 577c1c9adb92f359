//===- GpuBuilderNvidia.cpp - hardware operations of NVIDIA GPUs ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only file of the generators that names NVVM operations or instructions of
// PTX. What stands beside it for another kind of GPU defines the same methods.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "sparseconv/Kernels/Builders/GpuBuilder.h"
#include "sparseconv/Kernels/Builders/WarpOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// What the lanes of a warp do together
//===----------------------------------------------------------------------===//

static Value allLanes(ImplicitLocOpBuilder &b) {
  return arith::ConstantIntOp::create(b, b.getI32Type(), -1);
}

void mlir::sparseconv::syncWarp(ImplicitLocOpBuilder &b) {
  NVVM::SyncWarpOp::create(b, allLanes(b));
}

void mlir::sparseconv::fenceDevice(ImplicitLocOpBuilder &b) {
  LLVM::FenceOp::create(b, LLVM::AtomicOrdering::acq_rel, "device");
}

void mlir::sparseconv::letNextStart(ImplicitLocOpBuilder &b) {
  NVVM::GriddepcontrolOp::create(b, NVVM::GridDepActionKind::launch_dependents);
}

Value mlir::sparseconv::ballot(ImplicitLocOpBuilder &b, Value condition) {
  return NVVM::VoteSyncOp::create(b, b.getI32Type(), allLanes(b), condition,
                                  NVVM::VoteSyncKind::ballot);
}

Value mlir::sparseconv::lanesBefore(ImplicitLocOpBuilder &b) {
  return NVVM::LaneMaskLtOp::create(b, b.getI32Type());
}

Value mlir::sparseconv::lanesWithSame(ImplicitLocOpBuilder &b, Value value) {
  return NVVM::MatchSyncOp::create(b, b.getI32Type(), allLanes(b), value,
                                   NVVM::MatchSyncKind::any);
}

/// The value of the lane whose number `kind` makes of this one's and `lanes`
/// (i32).
static Value shuffle(ImplicitLocOpBuilder &b, Value value, Value lanes,
                     NVVM::ShflKind kind) {
  Value last = arith::ConstantIntOp::create(b, b.getI32Type(), kWarpLanes - 1);
  return NVVM::ShflOp::create(b, value.getType(), allLanes(b), value, lanes,
                              last, kind, UnitAttr());
}
static Value shuffle(ImplicitLocOpBuilder &b, Value value, int64_t lanes,
                     NVVM::ShflKind kind) {
  Value number = arith::ConstantIntOp::create(b, b.getI32Type(), lanes);
  return shuffle(b, value, number, kind);
}

Value mlir::sparseconv::fromLane(ImplicitLocOpBuilder &b, Value value,
                                 Value lane) {
  return shuffle(b, value, lane, NVVM::ShflKind::idx);
}

Value mlir::sparseconv::fromLaneAbove(ImplicitLocOpBuilder &b, Value value,
                                      int64_t lanes) {
  return shuffle(b, value, lanes, NVVM::ShflKind::down);
}

Value mlir::sparseconv::fromLaneAcross(ImplicitLocOpBuilder &b, Value value,
                                       int64_t lanes) {
  return shuffle(b, value, lanes, NVVM::ShflKind::bfly);
}

Value mlir::sparseconv::sumOfLanes(ImplicitLocOpBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, b.getI32Type(), value, NVVM::ReduxKind::ADD,
                               allLanes(b));
}

Value mlir::sparseconv::orOfLanes(ImplicitLocOpBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, b.getI32Type(), value, NVVM::ReduxKind::OR,
                               allLanes(b));
}

Value mlir::sparseconv::minOfLanes(ImplicitLocOpBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, b.getI32Type(), value, NVVM::ReduxKind::UMIN,
                               allLanes(b));
}

Value mlir::sparseconv::maxOfLanes(ImplicitLocOpBuilder &b, Value value) {
  return NVVM::ReduxOp::create(b, b.getI32Type(), value, NVVM::ReduxKind::UMAX,
                               allLanes(b));
}

//===----------------------------------------------------------------------===//
// Kernels and where a thread is
//===----------------------------------------------------------------------===//

void GpuBuilder::setResidentBlocks(gpu::GPUFuncOp kernel, int64_t blocks) {
  // Said also where it is 1: otherwise ptxas may spill to fit more.
  kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                  getI32IntegerAttr(blocks));
}

Value GpuBuilder::threadId() {
  return NVVM::ThreadIdXOp::create(*this, getI32Type());
}
Value GpuBuilder::blockId() {
  return NVVM::BlockIdXOp::create(*this, getI32Type());
}
Value GpuBuilder::blockIdY() {
  return NVVM::BlockIdYOp::create(*this, getI32Type());
}
Value GpuBuilder::gridSize() {
  return NVVM::GridDimXOp::create(*this, getI32Type());
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void markAsLoad(Operation *op) {
  op->setAttr(SparseConvDialect::kLoadAttrName,
              UnitAttr::get(op->getContext()));
}

static void markAsLoad(ValueRange results) {
  Operation *op = results.front().getDefiningOp();
  if (auto extract = dyn_cast<LLVM::ExtractValueOp>(op))
    op = extract.getContainer().getDefiningOp();
  markAsLoad(op);
}

void GpuBuilder::prefetch(Value pointer) {
  auto level = NVVM::PrefetchCacheLevelAttr::get(getContext(),
                                                 NVVM::PrefetchCacheLevel::L1);
  markAsLoad(NVVM::PrefetchOp::create(
      *this, level, /*evictPriority=*/nullptr, pointer, /*predicate=*/Value(),
      /*tensormap=*/nullptr, /*uniform=*/nullptr, /*in_param_space=*/nullptr));
}

SmallVector<Value> GpuBuilder::loadIf(Value condition, Value pointer,
                                      unsigned bytes, Value otherwise,
                                      bool isConstant) {
  std::string load = isConstant ? "ld.global.nc" : "ld.global";
  if (bytes == 2) {
    SmallVector<Value, 1> narrow;
    if (otherwise)
      narrow.push_back(createOrFold<arith::TruncIOp>(getI16Type(), otherwise));
    Value bits = instruction("@$2 " + load + ".b16 $0, [$1];", getI16Type(),
                             {pointer, condition}, narrow)
                     .front();
    markAsLoad(bits);
    return {createOrFold<arith::ExtUIOp>(getI32Type(), bits)};
  }
  unsigned count = bytes / 4;
  SmallVector<Type> types(count, getI32Type());
  SmallVector<Value> initial(otherwise ? count : 0, otherwise);
  std::string text;
  switch (count) {
  case 1:
    text = "@$2 " + load + ".b32 $0, [$1];";
    break;
  case 2:
    text = "@$3 " + load + ".v2.b32 {$0, $1}, [$2];";
    break;
  default:
    text = "@$5 " + load + ".v4.b32 {$0, $1, $2, $3}, [$4];";
    break;
  }
  SmallVector<Value> loaded =
      instruction(text, types, {pointer, condition}, initial);
  markAsLoad(loaded);
  return loaded;
}

void GpuBuilder::copyAsync(Value shared, Value global) {
  NVVM::CpAsyncOp::create(*this, shared, global, 16,
                          NVVM::LoadCacheModifierKind::CG, Value());
}

void GpuBuilder::copyAsyncIf(Value condition, Value shared, Value global,
                             unsigned bytes) {
  // Only whole 16 bytes pass the L1 cache by.
  auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                           : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(*this, shared, global, bytes, cache,
                          select(condition, i32(bytes), i32(0)));
}

void GpuBuilder::commitCopies() { NVVM::CpAsyncCommitGroupOp::create(*this); }

void GpuBuilder::waitCopies(int64_t pending) {
  NVVM::CpAsyncWaitGroupOp::create(*this, pending);
}

void GpuBuilder::fenceShared() {
  NVVM::FenceProxyOp::create(
      *this, NVVM::ProxyKind::async_shared,
      NVVM::SharedSpaceAttr::get(getContext(), NVVM::SharedSpace::shared_cta));
}

SmallVector<Value> GpuBuilder::loadTransposed(Value shared) {
  auto result = LLVM::LLVMStructType::getLiteral(
      getContext(), SmallVector<Type>(4, getI32Type()));
  return unpack(NVVM::LdMatrixOp::create(
      *this, result, shared, 4, NVVM::MMALayout::col,
      NVVM::LdStMatrixShapeAttr::get(getContext(), 8, 8),
      NVVM::LdStMatrixEltType::B16));
}

//===----------------------------------------------------------------------===//
// Synchronisation
//===----------------------------------------------------------------------===//

void GpuBuilder::barrier() { NVVM::BarrierOp::create(*this); }

void GpuBuilder::barrier(Value id, int64_t threads) {
  NVVM::BarrierOp::create(*this, Type(), id, i32(threads),
                          NVVM::BarrierReductionAttr(), Value());
}

void GpuBuilder::syncWarp() { sparseconv::syncWarp(*this); }

Value GpuBuilder::shuffle(Value value, Value lane) {
  return NVVM::ShflOp::create(*this, value.getType(), allLanes(*this), value,
                              lane, i32(kWarpLanes - 1), NVVM::ShflKind::idx,
                              UnitAttr());
}

Value GpuBuilder::ballot(Value condition) {
  return sparseconv::ballot(*this, condition);
}

Value GpuBuilder::lanesBefore() { return sparseconv::lanesBefore(*this); }

void GpuBuilder::initBarrier(Value barrier, int64_t arrivals) {
  NVVM::MBarrierInitOp::create(*this, barrier, i32(arrivals), Value());
}

void GpuBuilder::fenceBarrierInit() {
  NVVM::FenceMbarrierInitOp::create(*this);
}

void GpuBuilder::arrive(Value barrier) {
  NVVM::MBarrierArriveOp::create(*this, getI64Type(), barrier, Value());
}

void GpuBuilder::arriveExpecting(Value barrier, Value bytes) {
  NVVM::MBarrierArriveExpectTxOp::create(*this, Type(), barrier, bytes,
                                         NVVM::MemScopeKind::CTA,
                                         /*relaxed=*/false, Value());
}

void GpuBuilder::arriveAfterCopies(Value barrier) {
  NVVM::CpAsyncMBarrierArriveOp::create(*this, barrier, /*noinc=*/true);
}

void GpuBuilder::waitParity(Value barrier, Value parity) {
  constexpr int64_t suspendHint = 10000000;
  NVVM::MBarrierTryWaitParityOp::create(*this, barrier, parity,
                                        i32(suspendHint));
}

void GpuBuilder::copyBulk(Value shared, Value global, Value bytes,
                          Value barrier) {
  NVVM::CpAsyncBulkGlobalToSharedClusterOp::create(
      *this, shared, global, barrier, bytes, Value(), Value());
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

Value GpuBuilder::roundToTf32(Value bits) {
  return instruction("cvt.rna.tf32.f32 $0, $1;", getI32Type(),
                     bitcast(bits, getF32Type()))
      .front();
}

SmallVector<Value> GpuBuilder::mmaSync(MmaType type, ValueRange a, ValueRange b,
                                       ValueRange accumulators) {
  SmallVector<Value> left(a), right(b);
  NVVM::MMATypes multiplicand = NVVM::MMATypes::f16;
  if (type == MmaType::F16) {
    auto pair = VectorType::get(2, getF16Type());
    for (Value &value : left)
      value = bitcast(value, pair);
    for (Value &value : right)
      value = bitcast(value, pair);
  } else {
    multiplicand =
        type == MmaType::BF16 ? NVVM::MMATypes::bf16 : NVVM::MMATypes::tf32;
  }
  auto result = LLVM::LLVMStructType::getLiteral(
      getContext(), SmallVector<Type>(4, getF32Type()));
  int64_t k = type == MmaType::TF32 ? 8 : 16;
  return unpack(NVVM::MmaOp::create(
      *this, result, left, right, accumulators, {16, 8, k}, std::nullopt,
      std::nullopt, std::array{multiplicand, multiplicand},
      std::array{NVVM::MMALayout::row, NVVM::MMALayout::col}));
}

void GpuBuilder::wgmmaFence() { NVVM::WgmmaFenceAlignedOp::create(*this); }
void GpuBuilder::wgmmaCommit() { NVVM::WgmmaGroupSyncAlignedOp::create(*this); }
void GpuBuilder::wgmmaWait(int64_t pending) {
  NVVM::WgmmaWaitGroupSyncOp::create(*this, pending);
}

/// Registers of an instruction by their numbers: "{$4, $5, $6, $7}".
static std::string listRegisters(size_t begin, size_t count) {
  auto name = [](size_t i) { return "$" + std::to_string(i); };
  return "{" +
         llvm::join(llvm::map_range(llvm::seq(begin, begin + count), name),
                    ", ") +
         "}";
}

/// A wgmma with `count` accumulators, up to its matrices.
static std::string startWgmma(MmaType type, size_t count) {
  std::string element = type == MmaType::F16 ? "f16" : "bf16";
  return "wgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * count) +
         "k16.f32." + element + "." + element + " " + listRegisters(0, count);
}

SmallVector<Value> GpuBuilder::wgmmaShared(MmaType type, Value a,
                                           Value descriptor,
                                           ValueRange accumulators,
                                           bool transposed) {
  size_t count = accumulators.size();
  // Behind the descriptors: add to the sums, the signs of both matrices, and
  // whether each is transposed.
  std::string text = startWgmma(type, count) + ", $" + std::to_string(count) +
                     ", $" + std::to_string(count + 1) +
                     (transposed ? ", 1, 1, 1, 1, 1;" : ", 1, 1, 1, 0, 0;");
  SmallVector<Type> types(count, getF32Type());
  return instruction(text, types, {a, descriptor}, accumulators);
}

SmallVector<Value> GpuBuilder::wgmma(MmaType type, ValueRange a,
                                     Value descriptor,
                                     ValueRange accumulators) {
  size_t count = accumulators.size();
  std::string text = startWgmma(type, count) + ", " + listRegisters(count, 4) +
                     ", $" + std::to_string(count + 4) + ", 1, 1, 1, 0;";
  SmallVector<Type> types(count, getF32Type());
  SmallVector<Value> operands(a);
  operands.push_back(descriptor);
  return instruction(text, types, operands, accumulators);
}

void GpuBuilder::releaseRegisters(int64_t count) {
  NVVM::SetMaxRegisterOp::create(*this, count,
                                 NVVM::SetMaxRegisterAction::decrease);
}

void GpuBuilder::acquireRegisters(int64_t count) {
  NVVM::SetMaxRegisterOp::create(*this, count,
                                 NVVM::SetMaxRegisterAction::increase);
}

void GpuBuilder::endPrologue() {
  using Kind = NVVM::GridDepActionKind;
  for (Kind kind : {Kind::wait, Kind::launch_dependents})
    NVVM::GriddepcontrolOp::create(*this, kind);
}

SmallVector<Value> GpuBuilder::instruction(StringRef text, TypeRange results,
                                           ValueRange operands,
                                           ValueRange tied) {
  auto letter = [](Type type) -> StringRef {
    if (type.isF32())
      return "f";
    if (type.isInteger(1))
      return "b";
    if (type.isInteger(16))
      return "h";
    if (type.isInteger(64) || isa<LLVM::LLVMPointerType>(type))
      return "l";
    return "r";
  };
  SmallVector<std::string> constraints;
  for (Type type : results)
    constraints.push_back(("=" + letter(type)).str());
  for (Value operand : operands)
    constraints.push_back(letter(operand.getType()).str());
  // Inputs that share a result's register follow the others, so that the
  // numbers in the text do not depend on them.
  SmallVector<Value> inputs(operands);
  for (auto [i, value] : llvm::enumerate(tied)) {
    constraints.push_back(std::to_string(i));
    inputs.push_back(value);
  }
  Type result;
  if (results.size() == 1)
    result = results.front();
  else if (!results.empty())
    result = LLVM::LLVMStructType::getLiteral(getContext(),
                                              llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(
      *this, result ? TypeRange(result) : TypeRange(), inputs, text,
      llvm::join(constraints, ","), /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr::get(getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
  if (!result)
    return {};
  if (results.size() == 1)
    return {op.getRes()};
  return unpack(op.getRes());
}
