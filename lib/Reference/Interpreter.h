//===- Interpreter.h - frames and the table of handlers ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each operation has one handler, a function that reads its operands from a
// frame and sets its results there. The files of this folder register the
// handlers of one group of operations each.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_REFERENCE_INTERPRETER_H
#define SPARSECONV_LIB_REFERENCE_INTERPRETER_H

#include "Values.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "sparseconv/Reference/Reference.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <functional>

namespace mlir::sparseconv::reference {

using ::sparseconv::StatusCode;
using ::sparseconv::StatusRecord;
using ::sparseconv::StatusSide;

class Frame;

using Handler = std::function<llvm::Error(Operation *, Frame &)>;

/// The handlers by operation name.
class HandlerTable {
public:
  template <typename OpTy> void add(llvm::Error (*handler)(OpTy, Frame &)) {
    handlers[OpTy::getOperationName()] = [handler](Operation *op,
                                                   Frame &frame) {
      return handler(cast<OpTy>(op), frame);
    };
  }
  const Handler *lookup(StringRef name) const {
    auto it = handlers.find(name);
    return it == handlers.end() ? nullptr : &it->second;
  }

private:
  llvm::StringMap<Handler> handlers;
};

void registerControlFlow(HandlerTable &table);
void registerTensors(HandlerTable &table);
void registerCoords(HandlerTable &table);
void registerMaps(HandlerTable &table);
void registerConv(HandlerTable &table);
void registerPool(HandlerTable &table);
void registerGlobalPool(HandlerTable &table);
void registerRows(HandlerTable &table);
void registerPoints(HandlerTable &table);

/// Handles every operation with the linalg interface.
llvm::Error runLinalg(Operation *op, Frame &frame);
/// Handles scalar arith and math operations, on scalars and elementwise on
/// tensors. Sets `known` to false, and does nothing, for other operations.
llvm::Error runScalar(Operation *op, Frame &frame, bool &known);

/// What a whole run shares.
struct Run {
  ModuleOp module;
  ReferenceOptions options;
  bool wantBounds = false;
  HandlerTable table;
  /// The values of a block that no operation after the key reads.
  llvm::DenseMap<Operation *, SmallVector<Value, 2>> lastUses;
  llvm::DenseMap<Block *, bool> analysedBlocks;
  unsigned callDepth = 0;
};

/// The values of one activation of a function.
class Frame {
public:
  explicit Frame(Run &run) : run(run) {}

  Run &getRun() { return run; }
  bool isExact() const { return run.options.exact; }
  bool wantsBounds() const { return run.wantBounds; }

  const ReferenceValue &get(Value value) const;
  const DenseValue &getDense(Value value) const {
    return std::get<DenseValue>(get(value));
  }
  const CoordinateSet &getSet(Value value) const {
    return *std::get<CoordinateSetRef>(get(value));
  }
  const KernelMap &getMap(Value value) const {
    return *std::get<KernelMapRef>(get(value));
  }
  int64_t getInt(Value value) const { return std::get<int64_t>(get(value)); }

  void set(Value value, ReferenceValue content) {
    values[value] = std::move(content);
  }
  void setSet(Value value, std::vector<Point> points);
  /// Stores a tensor: rounds floating-point elements to the element type of
  /// `value`, unless the run is exact.
  llvm::Error setDense(Value value, ArrayRef<int64_t> shape, Elements elements);
  /// The same for the sum of `products[i]` products with `magnitudes[i]` as the
  /// sum of their absolute values; both are empty when no bounds are wanted. A
  /// sum over operands that are approximate themselves gets no bound. A product
  /// may be off by `productError` of its size.
  llvm::Error setSum(Value value, ArrayRef<int64_t> shape, Elements elements,
                     Elements magnitudes, Elements products,
                     double productError = 0);

  /// Runs the block of a region with these arguments; returns the operands of
  /// its terminator.
  llvm::Expected<SmallVector<ReferenceValue>>
  runRegion(Region &region, SmallVector<ReferenceValue> args);

private:
  /// The coarsest type that an operand was rounded to on its way.
  std::optional<ElementKind> getOperandRounding(Operation *op) const;
  llvm::Error runOperation(Operation *op);
  void analyseBlock(Block &block);

  Run &run;
  llvm::DenseMap<Value, ReferenceValue> values;
};

/// Calls function `name` with these arguments.
llvm::Expected<SmallVector<ReferenceValue>>
callFunction(Run &run, Operation *caller, StringRef name,
             SmallVector<ReferenceValue> args);

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

/// An error that is none of a compiled function: malformed or unknown IR.
llvm::Error makeError(Operation *op, const llvm::Twine &message);

/// A run-time error.
llvm::Error makeFailure(Operation *op, StatusRecord record);

/// Error unless operand `number` has `expected` rows.
llvm::Error checkRows(Operation *op, unsigned number, const DenseValue &value,
                      int64_t expected, StatusSide side);

/// Error unless `size` is the size of `axis` of operand `number`.
llvm::Error makeShapeMismatch(Operation *op, unsigned number, unsigned axis,
                              int64_t size, int64_t expected);

/// An error for `value` on `axis` (-1: the batch index) of row `row`.
llvm::Error makeOutOfRange(Operation *op, int64_t row, int64_t axis,
                           int64_t value, int64_t lower, int64_t upper);

/// Error unless operand `number` has as many rows as operand 0.
llvm::Error checkLength(Operation *op, unsigned number, const DenseValue &value,
                        const DenseValue &first);

/// Error unless `size` is a number of rows.
llvm::Error checkSize(Operation *op, int64_t size);

/// Error if a tensor of this shape is larger than the reference can hold, or if
/// there is no memory for `arrays` of them. Asked before they are made.
llvm::Error checkElementCount(Operation *op, ArrayRef<int64_t> shape,
                              int64_t arrays = 1);

/// Error if there is no memory for `count` items of `width` bytes. Asked before
/// they are made.
llvm::Error checkItems(Operation *op, int64_t count, int64_t width);

/// The element kind of a scalar or tensor type (index: i64), if it has one.
std::optional<ElementKind> getElementKind(Type type);

} // namespace mlir::sparseconv::reference

#endif // SPARSECONV_LIB_REFERENCE_INTERPRETER_H
