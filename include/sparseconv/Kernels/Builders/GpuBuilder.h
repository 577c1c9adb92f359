//===- GpuBuilder.h - writes the bodies of GPU kernels ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H
#define SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "sparseconv/Dialect/SparseConv/Utils/FoldingBuilder.h"

namespace mlir::sparseconv {

/// Address spaces of pointers.
enum class Space : unsigned { Global = 1, Shared = 3 };

/// What the two sides of a tensor-core instruction hold.
enum class MmaType { F16, BF16, TF32 };

/// What a kernel is launched with.
struct LaunchBounds {
  int64_t threads;
  /// Thread blocks that a multiprocessor must be able to hold at a time.
  int64_t residentBlocks = 1;
};

/// A builder for the bodies of GPU kernels at the scf + arith + llvm + nvvm
/// level: 32-bit integer arithmetic and one method per hardware operation.
///
/// Registers of a fragment are i32 whatever they hold. Pointers carry their
/// address space in the type.
class GpuBuilder : public FoldingBuilder {
public:
  using FoldingBuilder::FoldingBuilder;

  /// Adds a kernel and moves to its body; `finishKernel` ends that.
  gpu::GPUFuncOp startKernel(gpu::GPUModuleOp module, StringRef name,
                             TypeRange parameters, LaunchBounds bounds);
  void finishKernel();

  /// The value without its lowest set bit.
  Value clearLowestBit(Value value) { return andBits(value, sub(value, 1)); }

  /// Conversions.
  Value extend64(Value value) { return extend(value, getI64Type()); }
  Value truncate32(Value value);
  Value bitcast(Value value, Type type);
  /// Two f32, rounded to a 16-bit type, in one register.
  Value packPair(Value low, Value high, Type elementType);
  /// Rounds an f32 in a register to tf32.
  Value roundToTf32(Value bits);
  /// The elements of a vector or struct value.
  SmallVector<Value> unpack(Value aggregate);

  /// do carried = body(carried) while its condition holds. The body returns the
  /// condition and the next values.
  SmallVector<Value>
  doWhile(ValueRange inits,
          function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> body);

  /// Calls `body` for the numbers 0 .. count-1 that are this thread's, of
  /// `threads` that share them, in code without a loop.
  void shareOut(Value thread, int64_t threads, int64_t count,
                function_ref<void(Value number)> body);

  /// Where this thread is.
  Value threadId();
  Value blockId();
  Value blockIdY();
  Value gridSize();

  /// Memory. Offsets are in bytes, i32 (zero-extended for global pointers) or
  /// i64.
  LLVM::LLVMPointerType pointerType(Space space);
  Value offset(Value pointer, Value bytes);
  Value offset(Value pointer, int64_t bytes);
  /// The address of element `index` (i32, unsigned, or i64) of `bytes` bytes
  /// each. Nothing of the product is lost.
  Value element(Value pointer, Value index, int64_t bytes);
  Value load(Type type, Value pointer, unsigned alignment = 0);
  /// A load from memory that no kernel in flight writes.
  Value loadConstant(Type type, Value pointer, unsigned alignment = 0);
  void store(Value value, Value pointer, unsigned alignment = 0);
  /// Brings what a pointer to global memory points to into the L1 cache, while
  /// the thread goes on. For chips of sm_90 and later, and memory that no
  /// kernel in flight writes.
  void prefetch(Value pointer);
  /// A scalar i64 in device memory, as i32.
  Value loadCount(Value pointer);
  /// `bytes` (2, 4, 8 or 16) from global memory where `condition` holds, else
  /// `otherwise`, or anything if that is null, in every register. One register,
  /// or one per 4 bytes. Where `isConstant`, no kernel in flight writes them.
  SmallVector<Value> loadIf(Value condition, Value pointer, unsigned bytes,
                            Value otherwise, bool isConstant = true);
  /// The kernel's dynamic shared memory, aligned to 1024 bytes.
  Value dynamicShared();
  /// The 32-bit address of a shared pointer.
  Value sharedAddress(Value pointer);
  /// Adds to memory, returns what was there.
  Value atomicAdd(Value pointer, Value value);
  /// Adds one to memory, or sets it to 0 where it has reached `last`; returns
  /// what was there.
  Value atomicIncrement(Value pointer, Value last);
  void fenceDevice();
  /// 16 bytes, global to shared, outside the register file. Copies come in
  /// groups: those since the last commit are one, and a wait leaves the last
  /// `pending` groups in flight.
  void copyAsync(Value shared, Value global);
  /// The same, or 4 or 8 bytes, but zeros where `condition` does not hold. The
  /// L1 cache keeps what is copied if it is less than 16 bytes.
  void copyAsyncIf(Value condition, Value shared, Value global,
                   unsigned bytes = 16);
  void commitCopies();
  void waitCopies(int64_t pending);
  /// Lets wgmma see what this thread has written to shared memory, copies that
  /// it has waited for included.
  void fenceShared();
  /// Four 8 x 8 matrices of 16-bit elements from shared memory, transposed:
  /// lane l has the address of row l % 8 of matrix l / 8.
  SmallVector<Value> loadTransposed(Value shared);

  /// Synchronisation.
  void barrier();
  void barrier(Value id, int64_t threads);
  void syncWarp();
  Value shuffle(Value value, Value lane);
  /// The lanes of the warp where `condition` holds, and those before this one.
  Value ballot(Value condition);
  Value lanesBefore();
  void initBarrier(Value barrier, int64_t arrivals);
  void fenceBarrierInit();
  void arrive(Value barrier);
  void arriveExpecting(Value barrier, Value bytes);
  /// Arrives once all copies are there that this thread has started: one of the
  /// arrivals that the barrier was made for.
  void arriveAfterCopies(Value barrier);
  void waitParity(Value barrier, Value parity);
  /// A bulk copy that reports to `barrier`.
  void copyBulk(Value shared, Value global, Value bytes, Value barrier);

  /// Tensor cores. `mmaSync` is m16n8k16 (k8 for tf32); accumulators are f32.
  SmallVector<Value> mmaSync(MmaType type, ValueRange a, ValueRange b,
                             ValueRange accumulators);
  void wgmmaFence();
  void wgmmaCommit();
  /// Waits until only the last `pending` commits are in flight.
  void wgmmaWait(int64_t pending);
  /// m64nNk16 with A in registers; N = 2 x number of accumulators.
  SmallVector<Value> wgmma(MmaType type, ValueRange a, Value descriptor,
                           ValueRange accumulators);
  /// The same with A in shared memory. Where both matrices are `transposed`,
  /// they have K, not M or N, as their outer dimension.
  SmallVector<Value> wgmmaShared(MmaType type, Value a, Value descriptor,
                                 ValueRange accumulators, bool transposed);

  /// By all threads of a warpgroup: from now on each has `count` registers,
  /// less than before or, once others have released so many, more.
  void releaseRegisters(int64_t count);
  void acquireRegisters(int64_t count);

  /// Ends a prologue: waits for the kernels that come before this one, which
  /// may still be running until here, and lets those behind it begin with
  /// theirs. For chips of sm_90 and later. Each thread does so at least once.
  /// What those kernels write is no constant to this one: ptxas would load a
  /// constant before it waits.
  void endPrologue();

  /// One instruction that no operation stands for. Results come first in the
  /// text; `tied` gives their initial values.
  SmallVector<Value> instruction(StringRef text, TypeRange results,
                                 ValueRange operands, ValueRange tied = {});

private:
  void setResidentBlocks(gpu::GPUFuncOp kernel, int64_t blocks);
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H
