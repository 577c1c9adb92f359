//===- TaskList.cpp - lists the work of a convolution ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One block counts the tasks by their cost, turns the counts into positions
// and writes the tasks there, costliest first. Tasks of equal cost come in any
// order, which no result depends on.
//
//===----------------------------------------------------------------------===//

#include "GatherEmitter.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::divideCeil;

namespace {

/// Costs at or over the last bin share it.
constexpr int64_t bins = 64;

class TaskList {
public:
  TaskList(GpuBuilder &b, const GatherGemmConfig &config, int64_t threshold,
           ValueRange arguments)
      : b(b), words(config.maskWords()), rowsPerTile(config.rowsPerTile()),
        threshold(threshold), masks(arguments[0]), outRows(arguments[1]),
        tasks(arguments[2]), taskCount(arguments[3]) {}

  void emit();

private:
  struct Part {
    Value tile, cost, info, bits, parts;
  };
  Value tileWord(Value tile, Value word) {
    Value at = b.mul(b.add(b.mul(tile, words), word), 4);
    return b.loadConstant(b.getI32Type(), b.offset(masks, at), 4);
  }
  void forEachTile(function_ref<void(Value tile)> body);
  /// Calls `begin` with the number of parts of a tile, then `visit` for each.
  void forEachPart(Value tile, function_ref<void(Value parts)> begin,
                   function_ref<void(const Part &)> visit);
  void splitByBits(Value tile, Value bits, Value cost, Value parts,
                   function_ref<void(const Part &)> visit);
  void splitByWords(Value tile, Value total, Value parts, Value isSplit,
                    function_ref<void(const Part &)> visit);
  Value bin(Value cost) {
    return b.offset(shared, b.mul(b.minUnsigned(cost, b.i32(bins - 1)), 4));
  }

  GpuBuilder &b;
  int64_t words, rowsPerTile, threshold;
  Value masks, outRows, tasks, taskCount, shared, thread;
};

} // namespace

void TaskList::forEachTile(function_ref<void(Value)> body) {
  Value tiles =
      b.divide(b.add(b.loadCount(outRows), rowsPerTile - 1), rowsPerTile);
  b.forLoop(thread, tiles, b.i32(taskListThreads), body);
}

void TaskList::splitByBits(Value tile, Value bits, Value cost, Value parts,
                           function_ref<void(const Part &)> visit) {
  Value one = b.i32(1);
  b.forLoop(b.i32(0), parts, one, bits, [&](Value part, ValueRange carried) {
    Value begin = b.divide(b.mul(cost, part), parts);
    Value end = b.divide(b.mul(cost, b.add(part, 1)), parts);
    Value rest =
        b.forLoop(begin, end, one, carried.front(),
                  [&](Value, ValueRange left) {
                    return SmallVector<Value>{b.clearLowestBit(left.front())};
                  })
            .front();
    Value info =
        b.orBits(b.orBits(b.shiftLeft(part, 8), 255), b.shiftLeft(parts, 20));
    visit({tile, b.sub(end, begin), info, b.xorBits(carried.front(), rest),
           parts});
    return SmallVector<Value>{rest};
  });
}

void TaskList::splitByWords(Value tile, Value total, Value parts, Value isSplit,
                            function_ref<void(const Part &)> visit) {
  Value zero = b.i32(0), one = b.i32(1);
  Value last = b.select(isSplit, b.i32(words), one);
  b.forLoop(zero, last, one, zero, [&](Value word, ValueRange carried) {
    Value bits = tileWord(tile, word);
    Value uses = b.orBits(b.xorBits(isSplit, b.i1(true)), b.notEqual(bits, 0));
    b.ifThen(uses, [&] {
      Value whole = b.orBits(b.i32(255), b.shiftLeft(one, 20));
      Value piece = b.orBits(b.orBits(word, b.shiftLeft(carried.front(), 8)),
                             b.shiftLeft(parts, 20));
      visit({tile, b.select(isSplit, b.popCount(bits), total),
             b.select(isSplit, piece, whole), bits, parts});
    });
    return SmallVector<Value>{
        b.add(carried.front(), b.select(uses, one, zero))};
  });
}

void TaskList::forEachPart(Value tile, function_ref<void(Value)> begin,
                           function_ref<void(const Part &)> visit) {
  Value zero = b.i32(0), one = b.i32(1);
  if (words == 1) {
    Value bits = tileWord(tile, zero);
    Value cost = b.popCount(bits);
    Value parts = b.divide(b.add(cost, threshold - 1), threshold);
    parts = b.select(b.equal(cost, 0), one, parts);
    begin(parts);
    splitByBits(tile, bits, cost, parts, visit);
    return;
  }
  SmallVector<Value> counts =
      b.forLoop(zero, b.i32(words), one, {zero, zero},
                [&](Value word, ValueRange carried) {
                  Value bits = tileWord(tile, word);
                  Value used = b.select(b.notEqual(bits, 0), one, zero);
                  return SmallVector<Value>{b.add(carried[0], b.popCount(bits)),
                                            b.add(carried[1], used)};
                });
  Value isSplit = b.lessUnsigned(b.i32(threshold), counts[0]);
  Value parts = b.select(isSplit, counts[1], one);
  begin(parts);
  splitByWords(tile, counts[0], parts, isSplit, visit);
}

void TaskList::emit() {
  thread = b.threadId();
  shared = b.dynamicShared();
  Value partCounter = b.offset(shared, bins * 4);
  Value one = b.i32(1), zero = b.i32(0);
  b.ifThen(b.lessUnsigned(thread, bins + 1),
           [&] { b.store(zero, b.offset(shared, b.mul(thread, 4)), 4); });
  b.barrier();
  forEachTile([&](Value tile) {
    forEachPart(
        tile, [](Value) {},
        [&](const Part &part) { b.atomicAdd(bin(part.cost), one); });
  });
  b.barrier();
  b.ifThen(b.equal(thread, 0), [&] {
    Value total =
        b.forLoop(zero, b.i32(bins), one, zero,
                  [&](Value i, ValueRange carried) {
                    Value at = bin(b.sub(b.i32(bins - 1), i));
                    Value count = b.load(b.getI32Type(), at, 4);
                    b.store(carried.front(), at, 4);
                    return SmallVector<Value>{b.add(carried.front(), count)};
                  })
            .front();
    b.store(total, taskCount, 4);
  });
  b.barrier();
  forEachTile([&](Value tile) {
    Value firstPart;
    forEachPart(
        tile,
        [&](Value parts) {
          firstPart =
              b.ifElse(
                   b.equal(parts, 1), b.getI32Type(),
                   [&] { return SmallVector<Value>{zero}; },
                   [&] {
                     return SmallVector<Value>{b.atomicAdd(partCounter, parts)};
                   })
                  .front();
        },
        [&](const Part &part) {
          Value at = b.atomicAdd(bin(part.cost), one);
          Value pointer = b.offset(tasks, b.mul(at, 16));
          Value fields[] = {part.tile, part.info, part.bits, firstPart};
          for (auto [i, field] : llvm::enumerate(fields))
            b.store(field, b.offset(pointer, i * 4), 4);
        });
  });
}

gpu::GPUFuncOp mlir::sparseconv::buildTaskList(gpu::GPUModuleOp module,
                                               StringRef name,
                                               const GatherGemmConfig &config,
                                               int64_t threshold) {
  GpuBuilder b(module.getLoc(), module.getContext());
  if (!config.splitTasks)
    threshold = config.offsets;
  gpu::GPUFuncOp kernel =
      startKernel(b, module, name, 4, {}, taskListThreads, 1);
  TaskList(b, config, threshold, kernel.getArguments()).emit();
  finishKernel(b);
  return kernel;
}

int64_t mlir::sparseconv::partsPerTile(const GatherGemmConfig &config,
                                       int64_t threshold) {
  if (!config.splitTasks || config.offsets <= threshold)
    return 1;
  return config.maskWords() == 1 ? divideCeil(config.offsets, threshold)
                                 : config.maskWords();
}
