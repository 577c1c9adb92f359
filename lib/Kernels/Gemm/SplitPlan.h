//===- SplitPlan.h - which thread blocks share rows -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Row blocks differ in their offsets. Where there are fewer row blocks than
// thread blocks that run at a time, all wait for the one with the most offsets,
// and some thread blocks have nothing to do. So full row blocks are cut into
// several tasks, which share their offsets, as far as all tasks still run at a
// time. Cutting costs time, too, since sums then go through memory. The warps
// of a thread block rate some grains, the most offsets that a task may have,
// and all thread blocks find the same one.
//
// With 7 thread blocks at a time:
//
//   row block       0        1        2        3     tasks   largest
//   offsets        27       13        9        5
//   grain 27       27       13        9        5         4        27
//   grain 14      14 13     13        9        5         5        14
//   grain  9     9 9 9      7 6       9        5         7         9
//   grain  7    7 7 7 6     7 6      5 4       5         9: too many
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_GEMM_SPLITPLAN_H
#define SPARSECONV_LIB_KERNELS_GEMM_SPLITPLAN_H

#include "ImplicitGemmEmitter.h"

namespace mlir::sparseconv {

/// The tasks of a kernel whose thread blocks take one after the other: row
/// blocks, or splits of them. Methods are for all threads of a thread block
/// together, unless they say otherwise.
class SplitPlan {
public:
  /// Lies `begin` bytes behind the start of dynamic shared memory.
  SplitPlan(ImplicitGemmEmitter &e, int64_t begin)
      : e(e), b(e.b), begin(begin) {}

  static int64_t getSharedBytes(const ImplicitGemmConfig &config);

  /// Finds out how many tasks there are, and the thread block's first. All
  /// threads have met afterwards.
  void make();
  /// Whether the thread block has a task (i1), and the number of its row block.
  /// Full row blocks have low numbers.
  Value hasFirst() { return b.lessUnsigned(b.blockId(), numTasks); }
  Value getFirst() { return first; }
  /// The number of its row block behind `number`, and whether that is there
  /// (i1). One thread takes it, in which `isTaker` holds, and tells the others.
  Value takeNext(Value number, Value isTaker);
  Value hasNext(Value next);
  /// Returns it in all threads, which meet, and meet once more before the next.
  Value share(Value next, Value isTaker);

  /// Which row block a task is of, which of how many splits of that it is, and
  /// how many tasks come before the first of these. Where row blocks are whole,
  /// it is the row block alone.
  struct Task {
    Value rowBlock, split, splits, firstSplit;
  };
  /// The thread block's task of a number.
  Task getTask(Value number);
  /// Reads again which split of a warpgroup's tile a task is, so that this
  /// takes no registers while there are sums.
  void reloadSplit(GemmTask &task, Value warpgroup);

private:
  /// Otherwise each thread block takes every n-th row block.
  bool isByCounter() const { return e.config.splitK > 1; }

  /// What is in shared memory: how many offsets row blocks have, what is said
  /// of each grain, how many tasks come before each row block's, and the first
  /// task.
  enum Part { Counts, Rates, Starts, First };
  Value getElement(Part part, Value index);
  Value getElement(Part part, int64_t index) {
    return getElement(part, b.i32(index));
  }
  Value loadElement(Part part, Value index) {
    return b.load(b.getI32Type(), getElement(part, index), 4);
  }
  Value loadElement(Part part, int64_t index) {
    return loadElement(part, b.i32(index));
  }

  Value countOffsets(Value rowBlock);
  void rateGrains();
  Value rate(Value grain);
  Value chooseGrain();
  Value addUpBefore(Value own);
  Value cut();
  void findFirst();

  ImplicitGemmEmitter &e;
  GpuBuilder &b;
  int64_t begin;
  /// `isCut` says (i1) that row blocks may be cut.
  Value numRowBlocks, isCut, numTasks, first;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_GEMM_SPLITPLAN_H
