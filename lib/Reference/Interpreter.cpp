//===- Interpreter.cpp - runs a module operation by operation -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Support/Memory.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Parallel.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

/// Calls deeper than this are taken for an endless recursion.
static constexpr unsigned kMaxCallDepth = 256;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

char ReferenceFailure::ID = 0;

void ReferenceFailure::log(llvm::raw_ostream &os) const {
  os << ::sparseconv::formatStatus(record, opName, location);
}

std::error_code ReferenceFailure::convertToErrorCode() const {
  return llvm::inconvertibleErrorCode();
}

llvm::Error reference::makeError(Operation *op, const llvm::Twine &message) {
  std::string location = getPlace(op->getLoc());
  if (!location.empty())
    location += ": ";
  return llvm::createStringError(location + op->getName().getStringRef() +
                                 ": " + message);
}

llvm::Error reference::makeFailure(Operation *op, StatusRecord record) {
  int64_t number = 0;
  op->getParentOfType<ModuleOp>().walk<WalkOrder::PreOrder>(
      [&](Operation *other) {
        if (other == op)
          return WalkResult::interrupt();
        ++number;
        return WalkResult::advance();
      });
  record.opId = number;
  return llvm::make_error<ReferenceFailure>(
      record, op->getName().getStringRef(), getPlace(op->getLoc()));
}

llvm::Error reference::checkRows(Operation *op, unsigned number,
                                 const DenseValue &value, int64_t expected,
                                 StatusSide side) {
  if (value.getRows() == expected)
    return llvm::Error::success();
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::RowCountMismatch);
  record.axis = number;
  record.value = value.getRows();
  record.lower = expected;
  record.extra = static_cast<int64_t>(side);
  return makeFailure(op, record);
}

llvm::Error reference::makeShapeMismatch(Operation *op, unsigned number,
                                         unsigned axis, int64_t size,
                                         int64_t expected) {
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::ShapeMismatch);
  record.axis = axis;
  record.value = size;
  record.lower = expected;
  record.extra = number;
  return makeFailure(op, record);
}

llvm::Error reference::makeOutOfRange(Operation *op, int64_t row, int64_t axis,
                                      int64_t value, int64_t lower,
                                      int64_t upper) {
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::OutOfRange);
  record.row = row;
  record.axis = axis;
  record.value = value;
  record.lower = lower;
  record.upper = upper;
  return makeFailure(op, record);
}

llvm::Error reference::checkLength(Operation *op, unsigned number,
                                   const DenseValue &value,
                                   const DenseValue &first) {
  if (value.getRows() == first.getRows())
    return llvm::Error::success();
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::LengthMismatch);
  record.axis = number;
  record.value = value.getRows();
  record.lower = first.getRows();
  return makeFailure(op, record);
}

llvm::Error reference::checkSize(Operation *op, int64_t size) {
  if (size >= 0 && size <= ::sparseconv::kMaxRows)
    return llvm::Error::success();
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::SizeOutOfRange);
  record.value = size;
  record.upper = ::sparseconv::kMaxRows;
  return makeFailure(op, record);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::optional<ElementKind> reference::getElementKind(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (element.isIndex())
    return ElementKind::I64;
  if (auto integer = dyn_cast<IntegerType>(element);
      integer && integer.isSigned())
    return std::nullopt;
  std::string name;
  llvm::raw_string_ostream os(name);
  os << element;
  return ::sparseconv::parseElementKind(name);
}

llvm::Error reference::checkItems(Operation *op, int64_t count, int64_t width) {
  std::optional<int64_t> bytes = ::sparseconv::getTensorBytes(count, width);
  if (!bytes)
    return makeError(op, "out of memory: cannot allocate more than " +
                             Twine(::sparseconv::kMaxTensorBytes) + " bytes");
  if (llvm::Error error = ::sparseconv::checkMemory(*bytes))
    return makeError(op, llvm::toString(std::move(error)));
  return llvm::Error::success();
}

llvm::Error reference::checkElementCount(Operation *op, ArrayRef<int64_t> shape,
                                         int64_t arrays) {
  constexpr int64_t limit = int64_t(1) << 32; // 32 GiB of doubles
  int64_t count = 1;
  for (int64_t size : shape)
    if (size < 0)
      return makeError(op, "a tensor has no size of " + Twine(size));
  if (llvm::is_contained(shape, 0))
    return llvm::Error::success();
  for (int64_t size : shape)
    if (llvm::MulOverflow(count, size, count) || count > limit)
      return makeError(op, "a tensor of more than " + Twine(limit) +
                               " elements is too large for the reference");
  return checkItems(op, arrays * count, sizeof(double));
}

static void roundElements(ElementKind kind, Elements &elements) {
  if (kind == ElementKind::F64 || !::sparseconv::isFloat(kind))
    return;
  constexpr size_t chunk = 1 << 16;
  llvm::parallelFor(0, (elements.size() + chunk - 1) / chunk, [&](size_t c) {
    size_t end = std::min(elements.size(), (c + 1) * chunk);
    for (size_t i = c * chunk; i < end; ++i)
      elements[i] = ::sparseconv::roundTo(kind, elements[i]);
  });
}

const ReferenceValue &Frame::get(Value value) const {
  auto it = values.find(value);
  assert(it != values.end() && "operand is read before it is computed");
  return it->second;
}

void Frame::setSet(Value value, std::vector<Point> points) {
  auto set = std::make_shared<CoordinateSet>();
  set->type = cast<CoordsType>(value.getType());
  set->points = std::move(points);
  values[value] = CoordinateSetRef(std::move(set));
}

llvm::Error Frame::setDense(Value value, ArrayRef<int64_t> shape,
                            Elements elements) {
  return setSum(value, shape, std::move(elements), {}, {});
}

/// Half a unit in the last place of 1.
static double getUnitRoundoff(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return 0x1p-11;
  case ElementKind::BF16:
    return 0x1p-8;
  case ElementKind::F32:
    return 0x1p-24;
  default:
    return 0x1p-53;
  }
}

/// Half of the smallest number above 0.
static double getHalfMinimum(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return 0x1p-25;
  case ElementKind::BF16:
    return 0x1p-134;
  case ElementKind::F32:
    return 0x1p-150;
  default:
    return 0;
  }
}

/// Makes `type` the coarser of itself and `other`.
static void coarsen(std::optional<ElementKind> &type, ElementKind other) {
  if (::sparseconv::isFloat(other) &&
      (!type || getUnitRoundoff(*type) < getUnitRoundoff(other)))
    type = other;
}

std::optional<ElementKind> Frame::getOperandRounding(Operation *op) const {
  std::optional<ElementKind> coarsest;
  for (Value operand : op->getOperands())
    if (const auto *dense = std::get_if<DenseValue>(&get(operand)))
      if (dense->roundedTo)
        coarsen(coarsest, *dense->roundedTo);
  return coarsest;
}

llvm::Error Frame::setSum(Value value, ArrayRef<int64_t> shape,
                          Elements elements, Elements magnitudes,
                          Elements products, double productError) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (static_cast<size_t>(type.getRank()) != shape.size())
    return makeError(op, "result is of another rank than its type");
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!type.isDynamicDim(axis) && type.getDimSize(axis) != size)
      return makeError(op, "result has size " + Twine(size) + " on axis " +
                               Twine(axis) + ", its type says " +
                               Twine(type.getDimSize(axis)));
  std::optional<ElementKind> kind = getElementKind(type);
  if (!kind)
    return makeError(op, "tensors of this element type are not supported");
  DenseValue dense;
  dense.kind = *kind;
  dense.shape.assign(shape.begin(), shape.end());
  // Sums round, and so do scalar operations, on their own or in a region; what
  // moves elements does not.
  dense.roundedTo = getOperandRounding(op);
  bool isOfExact = !dense.roundedTo;
  bool rounds = !magnitudes.empty() || op->getNumRegions() != 0 ||
                (op->getNumOperands() != 0 &&
                 isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
                     op->getDialect()));
  if (rounds) {
    coarsen(dense.roundedTo, *kind);
    op->walk([&](Operation *inner) {
      for (Type result : inner->getResultTypes())
        if (std::optional<ElementKind> type = getElementKind(result))
          coarsen(dense.roundedTo, *type);
    });
  }
  if (!magnitudes.empty() && isOfExact) {
    double outRoundoff = getUnitRoundoff(*kind);
    double sumRoundoff = getUnitRoundoff(ElementKind::F32);
    double halfMinimum = getHalfMinimum(*kind);
    for (size_t i = 0, e = elements.size(); i < e; ++i)
      magnitudes[i] =
          outRoundoff * std::abs(elements[i]) +
          ((products[i] + 2) * sumRoundoff + productError) * magnitudes[i] +
          halfMinimum;
    dense.bound = std::make_shared<const Elements>(std::move(magnitudes));
    dense.unrounded = std::make_shared<const Elements>(elements);
  }
  if (!isExact())
    roundElements(*kind, elements);
  dense.data = std::make_shared<const Elements>(std::move(elements));
  values[value] = std::move(dense);
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Control
//===----------------------------------------------------------------------===//

/// Finds for each value of `block` the last operation of the block that needs
/// it, so that a network's features are freed as it goes.
void Frame::analyseBlock(Block &block) {
  if (!run.analysedBlocks.try_emplace(&block, true).second)
    return;
  auto analyse = [&](Value value) {
    Operation *last = nullptr;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = block.findAncestorOpInBlock(*user);
      if (ancestor && (!last || last->isBeforeInBlock(ancestor)))
        last = ancestor;
    }
    if (last)
      run.lastUses[last].push_back(value);
  };
  for (Value argument : block.getArguments())
    analyse(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      analyse(result);
}

llvm::Error Frame::runOperation(Operation *op) {
  if (const Handler *handler = run.table.lookup(op->getName().getStringRef()))
    return (*handler)(op, *this);
  if (isa<linalg::LinalgOp>(op))
    return runLinalg(op, *this);
  bool known = true;
  if (llvm::Error error = runScalar(op, *this, known))
    return error;
  if (known)
    return llvm::Error::success();
  return makeError(op, "the reference does not know this operation");
}

llvm::Expected<SmallVector<ReferenceValue>>
Frame::runRegion(Region &region, SmallVector<ReferenceValue> args) {
  if (!region.hasOneBlock())
    return makeError(region.getParentOp(),
                     "the reference needs a region of one block");
  Block &block = region.front();
  analyseBlock(block);
  for (auto [argument, value] : llvm::zip_equal(block.getArguments(), args))
    set(argument, std::move(value));
  args.clear();
  for (Operation &op : block.without_terminator()) {
    if (llvm::Error error = runOperation(&op))
      return std::move(error);
    if (auto it = run.lastUses.find(&op); it != run.lastUses.end())
      for (Value value : it->second)
        values.erase(value);
    for (Value result : op.getResults())
      if (result.use_empty())
        values.erase(result);
  }
  SmallVector<ReferenceValue> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(get(operand));
  return results;
}

llvm::Expected<SmallVector<ReferenceValue>>
reference::callFunction(Run &run, Operation *caller, StringRef name,
                        SmallVector<ReferenceValue> args) {
  auto function = run.module.lookupSymbol<func::FuncOp>(name);
  if (!function)
    return makeError(caller, "no function '" + name + "' in the module");
  if (function.isExternal())
    return makeError(caller, "function '" + name + "' has no body");
  if (run.callDepth == kMaxCallDepth)
    return makeError(caller, "calls are nested too deeply");
  ++run.callDepth;
  Frame frame(run);
  auto results = frame.runRegion(function.getBody(), std::move(args));
  --run.callDepth;
  return results;
}
