//===- GpuBuilder.h - writes the bodies of GPU kernels ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H
#define SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

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
/// level. 32-bit integer arithmetic folds as it is built, control flow takes
/// its bodies as lambdas, and each hardware operation has one method.
///
/// Registers of a fragment are i32 whatever they hold. Pointers carry their
/// address space in the type.
class GpuBuilder : public ImplicitLocOpBuilder {
public:
  using ImplicitLocOpBuilder::ImplicitLocOpBuilder;

  /// Adds a kernel and moves to its body; `finishKernel` ends that.
  gpu::GPUFuncOp startKernel(gpu::GPUModuleOp module, StringRef name,
                             TypeRange parameters, LaunchBounds bounds);
  void finishKernel();

  /// Constants.
  Value i1(bool value);
  Value i32(int64_t value);
  Value i64(int64_t value);
  Value f32(double value);

  /// Arithmetic: integers of one width, or f32. Division is unsigned.
  Value add(Value lhs, Value rhs);
  Value sub(Value lhs, Value rhs);
  Value mul(Value lhs, Value rhs);
  Value divide(Value lhs, Value rhs);
  Value remainder(Value lhs, Value rhs);
  Value andBits(Value lhs, Value rhs);
  Value orBits(Value lhs, Value rhs);
  Value xorBits(Value lhs, Value rhs);
  Value shiftLeft(Value lhs, Value rhs);
  Value shiftRight(Value lhs, Value rhs);
  Value minUnsigned(Value lhs, Value rhs);
  Value maxUnsigned(Value lhs, Value rhs);
  Value add(Value lhs, int64_t rhs) { return add(lhs, like(lhs, rhs)); }
  Value sub(Value lhs, int64_t rhs) { return sub(lhs, like(lhs, rhs)); }
  Value mul(Value lhs, int64_t rhs) { return mul(lhs, like(lhs, rhs)); }
  Value divide(Value lhs, int64_t rhs) { return divide(lhs, like(lhs, rhs)); }
  Value remainder(Value lhs, int64_t rhs) {
    return remainder(lhs, like(lhs, rhs));
  }
  Value andBits(Value lhs, int64_t rhs) { return andBits(lhs, like(lhs, rhs)); }
  Value orBits(Value lhs, int64_t rhs) { return orBits(lhs, like(lhs, rhs)); }
  Value xorBits(Value lhs, int64_t rhs) { return xorBits(lhs, like(lhs, rhs)); }
  Value shiftLeft(Value lhs, int64_t rhs) {
    return shiftLeft(lhs, like(lhs, rhs));
  }
  Value shiftRight(Value lhs, int64_t rhs) {
    return shiftRight(lhs, like(lhs, rhs));
  }
  Value fma(Value a, Value b, Value c);
  Value select(Value condition, Value ifTrue, Value ifFalse);
  Value countTrailingZeros(Value value);
  Value popCount(Value value);
  /// The value without its lowest set bit.
  Value clearLowestBit(Value value);

  /// Comparisons; `less` and its kin are signed.
  Value compare(arith::CmpIPredicate predicate, Value lhs, Value rhs);
  Value equal(Value lhs, Value rhs);
  Value equal(Value lhs, int64_t rhs) { return equal(lhs, like(lhs, rhs)); }
  Value notEqual(Value lhs, int64_t rhs);
  Value less(Value lhs, Value rhs);
  Value greaterEqual(Value lhs, int64_t rhs);
  Value lessUnsigned(Value lhs, Value rhs);
  Value lessUnsigned(Value lhs, int64_t rhs) {
    return lessUnsigned(lhs, like(lhs, rhs));
  }

  /// Conversions.
  Value extend64(Value value);
  Value truncate32(Value value);
  Value toF32(Value value);
  Value fromF32(Value value, Type elementType);
  Value bitcast(Value value, Type type);
  /// Two f32, rounded to a 16-bit type, in one register.
  Value packPair(Value low, Value high, Type elementType);
  /// Rounds an f32 in a register to tf32.
  Value roundToTf32(Value bits);
  /// The elements of a vector or struct value.
  SmallVector<Value> unpack(Value aggregate);

  /// Control flow. Bodies of loops that carry values return the next ones.
  void ifThen(Value condition, function_ref<void()> body);
  SmallVector<Value> ifElse(Value condition, TypeRange types,
                            function_ref<SmallVector<Value>()> thenBody,
                            function_ref<SmallVector<Value>()> elseBody);
  void forLoop(Value begin, Value end, Value step,
               function_ref<void(Value iv)> body);
  SmallVector<Value>
  forLoop(Value begin, Value end, Value step, ValueRange inits,
          function_ref<SmallVector<Value>(Value iv, ValueRange carried)> body);
  /// do carried = body(carried) while its condition holds.
  SmallVector<Value>
  doWhile(ValueRange inits,
          function_ref<std::pair<Value, SmallVector<Value>>(ValueRange)> body);
  /// while (condition(carried)) carried = body(carried).
  SmallVector<Value>
  whileLoop(ValueRange inits, function_ref<Value(ValueRange)> condition,
            function_ref<SmallVector<Value>(ValueRange)> body);
  /// for (;;) { key = head(carried); if (!condition) break; carried = body(key,
  /// carried); }
  SmallVector<Value> loopUntil(
      ValueRange inits,
      function_ref<std::pair<Value, Value>(ValueRange carried)> head,
      function_ref<SmallVector<Value>(Value key, ValueRange carried)> body);

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
  /// A scalar i64 in device memory, as i32.
  Value loadCount(Value pointer);
  /// `bytes` (2, 4, 8 or 16) from global memory where `condition` holds, else
  /// `otherwise`, or anything if that is null, in every register. One register,
  /// or one per 4 bytes.
  SmallVector<Value> loadIf(Value condition, Value pointer, unsigned bytes,
                            Value otherwise);
  /// The kernel's dynamic shared memory, aligned to 1024 bytes.
  Value dynamicShared();
  /// The 32-bit address of a shared pointer.
  Value sharedAddress(Value pointer);
  /// Adds to memory, returns what was there.
  Value atomicAdd(Value pointer, Value value);
  void fenceDevice();
  /// 16 bytes, global to shared, outside the register file. Copies come in
  /// groups: those since the last commit are one, and a wait leaves the last
  /// `pending` groups in flight.
  void copyAsync(Value shared, Value global);
  /// The same, or 4 or 8 bytes, but zeros where `condition` does not hold.
  void copyAsyncIf(Value condition, Value shared, Value global,
                   unsigned bytes = 16);
  void commitCopies();
  void waitCopies(int64_t pending);
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

  /// One instruction that no operation stands for. Results come first in the
  /// text; `tied` gives their initial values.
  SmallVector<Value> instruction(StringRef text, TypeRange results,
                                 ValueRange operands, ValueRange tied = {});

private:
  void setResidentBlocks(gpu::GPUFuncOp kernel, int64_t blocks);
  Value like(Value other, int64_t value);
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_GPUBUILDER_H
