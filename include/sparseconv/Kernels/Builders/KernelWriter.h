//===- KernelWriter.h - writes kernel operations on tensors -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_BUILDERS_KERNELWRITER_H
#define SPARSECONV_KERNELS_BUILDERS_KERNELWRITER_H

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Support/Status.h"

namespace mlir::sparseconv {

/// A kernel map as the conversion sees it.
struct MapValue {
  Value table;  ///< tensor<?xKxi32>: rows of the out set
  Value inRows; ///< index: number of rows of the in set
};

/// A set together with where its rows came from.
struct UniqueResult {
  Value keys, order, rowOf;
};

/// What is known of the rows of a set: see `kernel.unique`.
struct SetLimits {
  int64_t capacity = ::sparseconv::kMaxRows;
  std::optional<int64_t> cells, reach;
};

/// Pairs of a map by row block and offset.
struct PairLists {
  Value inRows, outRows, segments;
};

/// The pairs of a map, and how many each offset has.
struct OffsetLists {
  Value inRows, outRows, counts;
};

/// A map by tiles of its rows, as an implicit GEMM reads it.
struct RowTiles {
  Value table, order, masks, sizes;
};

/// A builder for the kernel operations that one network operation becomes. It
/// knows the status record and the number of that operation, makes
/// destinations, and turns a buffer and a count into exact rows.
class KernelWriter : public ImplicitLocOpBuilder {
public:
  KernelWriter(RewriterBase &rewriter, Operation *networkOp);

  const TargetInfo &getTarget() const {
    return getTargetInfo(getInsertionBlock()->getParentOp());
  }
  Value getStatus() const { return status; }
  int64_t getOpId() const { return opId; }
  /// Where memory for the set that the operation makes may grow: how many of
  /// its coordinates one of the operand's reaches.
  std::optional<int64_t> getGrowth() const { return reach; }

  Value index(int64_t value);
  Value dim(Value tensor, int64_t axis = 0);
  Value mul(Value lhs, Value rhs);
  Value min(Value lhs, Value rhs);
  Value ceilDiv(Value lhs, int64_t rhs);

  /// Tensors without contents. `rows` stands for dimension 0.
  Value empty(Type elementType, Value rows, ArrayRef<int64_t> inner = {});
  Value emptyStatic(ArrayRef<int64_t> shape, Type elementType);
  /// With the channels and element type of `type`.
  Value emptyFeatures(RankedTensorType type, Value rows);
  Value emptyKeys(CoordsType set, Value rows);
  Value emptyRows(Value rows);
  Value emptyCount();
  /// The number of each row, in all its elements.
  Value numberRows(Value rows, ArrayRef<int64_t> inner = {});
  /// `value` in every element of `tensor`.
  Value fill(Value tensor, TypedAttr value);

  /// The first `rows` rows.
  Value take(Value tensor, Value rows, Value first = {});
  Value count(Value countTensor);
  /// `value` as `type`, where they differ in static sizes.
  Value castTo(Value value, Type type);

  /// An attribute that may be absent.
  IntegerAttr getOptionalI64Attr(std::optional<int64_t> number);

  /// Creates a kernel operation whose results are its last `inits` operands.
  template <typename OpTy, typename... Args>
  OpTy kernel(ArrayRef<Value> inits, Args &&...args) {
    return OpTy::create(*this, ValueRange(inits).getTypes(),
                        std::forward<Args>(args)...);
  }

  /// Sorts keys of `set` and drops duplicates. `rowOf` has `positions`
  /// elements, -1 where an error left no key; without `positions` it holds
  /// nothing. With `clips` keys of all ones are those of no point.
  UniqueResult sortUnique(Value keys, CoordsType set,
                          const SetLimits &limits = {}, Value positions = {},
                          bool clips = false);
  PairLists pairLists(Value table, int64_t rowBlock);
  OffsetLists offsetLists(Value table);
  /// The rows of a table in tiles, by `rowOrder` if that is there.
  RowTiles tileRows(Value table, Value inRows, RowOrderAttr rowOrder);
  /// The table of the transposed map, with `rows` rows.
  Value invertTable(Value table, Value rows);

  /// `x` if it has `rows` rows or is trusted, else zeros of that many and a
  /// report. Dimension 0 of the result is dynamic, whatever is known of that of
  /// `x`.
  Value guardRows(Value x, Value rows, int64_t operand,
                  ::sparseconv::StatusSide side, bool isTrusted = false);

  /// The same where operand `operand` of `rows` rows must be as long as `x`.
  Value guardLength(Value x, Value rows, int64_t operand);
  /// `size` if it is a number of rows, else 0 and a report.
  Value guardSize(Value size);

  /// Moves the blocks of `from` into the empty region `to`.
  void moveRegion(Region &from, Region &to);

private:
  RewriterBase &rewriter;
  Value status;
  int64_t opId;
  std::optional<int64_t> reach;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_BUILDERS_KERNELWRITER_H
