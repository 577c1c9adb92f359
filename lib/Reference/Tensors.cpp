//===- Tensors.cpp - constants and operations of the tensor dialect -------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/MathExtras.h"
#include <limits>
#include <numeric>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

using Shape = SmallVector<int64_t, 4>;

static int64_t multiply(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

static double toElement(const ReferenceValue &scalar) {
  if (const auto *number = std::get_if<double>(&scalar))
    return *number;
  return static_cast<double>(std::get<int64_t>(scalar));
}

static llvm::Error makeOutOfBounds(Operation *op, int64_t axis, int64_t index,
                                   int64_t size) {
  StatusRecord record;
  record.code = static_cast<int64_t>(StatusCode::IndexOutOfBounds);
  record.axis = axis;
  record.value = index;
  record.upper = size;
  return makeFailure(op, record);
}

/// Numbers that are partly static, partly operands.
static Shape evaluate(ArrayRef<OpFoldResult> numbers, const Frame &frame) {
  Shape result;
  for (OpFoldResult number : numbers) {
    if (auto attr = dyn_cast<Attribute>(number))
      result.push_back(cast<IntegerAttr>(attr).getInt());
    else
      result.push_back(frame.getInt(cast<Value>(number)));
  }
  return result;
}

/// The sizes of a result whose dynamic ones are operands.
static llvm::Expected<Shape> findSizes(Operation *op, RankedTensorType type,
                                       ValueRange dynamic, const Frame &frame) {
  Shape shape(type.getShape());
  unsigned next = 0;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    if (!ShapedType::isDynamic(size))
      continue;
    size = frame.getInt(dynamic[next++]);
    if (size >= 0)
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(StatusCode::SizeOutOfRange);
    record.axis = axis;
    record.value = size;
    record.upper = std::numeric_limits<int64_t>::max();
    return makeFailure(op, record);
  }
  if (llvm::Error error = checkElementCount(op, shape))
    return std::move(error);
  return shape;
}

//===----------------------------------------------------------------------===//
// Making tensors
//===----------------------------------------------------------------------===//

/// A constant whose bytes lie beside the module.
static llvm::Error runResource(arith::ConstantOp op,
                               DenseResourceElementsAttr resource,
                               Frame &frame) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  std::optional<ElementKind> kind = getElementKind(op.getType());
  AsmResourceBlob *blob = resource.getRawHandle().getBlob();
  if (!type || !kind || !blob)
    return makeError(op, "the reference does not know this constant");
  llvm::Expected<HostTensor> tensor =
      HostTensor::create(*kind, type.getShape());
  if (!tensor)
    return makeError(op, llvm::toString(tensor.takeError()));
  ArrayRef<char> bytes = blob->getData();
  if (bytes.size() != tensor->getNumBytes())
    return makeError(op, "expected a resource of " +
                             Twine(tensor->getNumBytes()) + " bytes, found " +
                             Twine(bytes.size()));
  if (llvm::Error error = checkElementCount(op, type.getShape()))
    return error;
  llvm::copy(bytes, tensor->getData());
  Elements elements(tensor->getNumElements());
  for (auto [i, element] : llvm::enumerate(elements))
    element = tensor->getDouble(i);
  return frame.setDense(op.getResult(), type.getShape(), std::move(elements));
}

static llvm::Error runConstant(arith::ConstantOp op, Frame &frame) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
    return runResource(op, resource, frame);
  if (std::optional<ReferenceValue> scalar = getScalarConstant(op.getValue())) {
    frame.set(op.getResult(), std::move(*scalar));
    return llvm::Error::success();
  }
  auto dense = dyn_cast<DenseElementsAttr>(op.getValue());
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!dense || !type || !type.getElementType().isIntOrIndexOrFloat())
    return makeError(op, "the reference does not know this constant");
  if (llvm::Error error = checkElementCount(op, type.getShape()))
    return error;
  Elements elements;
  elements.reserve(type.getNumElements());
  Type element = type.getElementType();
  auto append = [&](Attribute value) {
    elements.push_back(toElement(*getScalarConstant(value)));
  };
  if (dense.isSplat()) {
    append(dense.getSplatValue<Attribute>());
    elements.resize(type.getNumElements(), elements.front());
  } else if (isa<FloatType>(element)) {
    for (const APFloat &value : dense.getValues<APFloat>())
      elements.push_back(FloatAttr::getValueAsDouble(value));
  } else {
    for (Attribute value : dense.getValues<Attribute>())
      append(value);
  }
  return frame.setDense(op.getResult(), type.getShape(), std::move(elements));
}

/// The elements are undefined: NaN shows up where something reads them.
static llvm::Error runEmpty(tensor::EmptyOp op, Frame &frame) {
  auto shape = findSizes(op, op.getType(), op.getDynamicSizes(), frame);
  if (!shape)
    return shape.takeError();
  double undefined = isa<FloatType>(op.getType().getElementType())
                         ? std::numeric_limits<double>::quiet_NaN()
                         : 0;
  return frame.setDense(op.getResult(), *shape,
                        Elements(multiply(*shape), undefined));
}

static llvm::Error runSplat(tensor::SplatOp op, Frame &frame) {
  auto shape = findSizes(op, cast<RankedTensorType>(op.getType()),
                         op.getDynamicSizes(), frame);
  if (!shape)
    return shape.takeError();
  double value = toElement(frame.get(op.getInput()));
  return frame.setDense(op.getResult(), *shape,
                        Elements(multiply(*shape), value));
}

static llvm::Error runFromElements(tensor::FromElementsOp op, Frame &frame) {
  Elements elements;
  for (Value value : op.getElements())
    elements.push_back(toElement(frame.get(value)));
  return frame.setDense(op.getResult(),
                        cast<RankedTensorType>(op.getType()).getShape(),
                        std::move(elements));
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static llvm::Error runDim(tensor::DimOp op, Frame &frame) {
  const DenseValue &source = frame.getDense(op.getSource());
  int64_t axis = frame.getInt(op.getIndex()), rank = source.shape.size();
  if (axis < 0 || axis >= rank)
    return makeError(op, "axis " + Twine(axis) + " of a tensor of rank " +
                             Twine(rank));
  frame.set(op.getResult(), source.shape[axis]);
  return llvm::Error::success();
}

static llvm::Error runRank(tensor::RankOp op, Frame &frame) {
  frame.set(op.getResult(),
            cast<RankedTensorType>(op.getTensor().getType()).getRank());
  return llvm::Error::success();
}

/// The same elements under another shape.
static llvm::Error setReshaped(Operation *op, Value source,
                               ArrayRef<int64_t> shape, Frame &frame) {
  DenseValue dense = frame.getDense(source);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  for (auto [axis, size] : llvm::enumerate(shape))
    if (!type.isDynamicDim(axis) && type.getDimSize(axis) != size)
      return makeShapeMismatch(op, 0, axis, size, type.getDimSize(axis));
  if (llvm::Error error = checkElementCount(op, shape, /*arrays=*/0))
    return error;
  if (multiply(shape) != dense.getNumElements())
    return makeError(op, "expected a shape of " +
                             Twine(dense.getNumElements()) +
                             " elements, found " + Twine(multiply(shape)));
  dense.shape.assign(shape.begin(), shape.end());
  frame.set(op->getResult(0), std::move(dense));
  return llvm::Error::success();
}

static llvm::Error runCast(tensor::CastOp op, Frame &frame) {
  if (!isa<RankedTensorType>(op.getType()) ||
      !isa<RankedTensorType>(op.getSource().getType()))
    return makeError(op, "the reference needs ranked tensors");
  Shape shape = frame.getDense(op.getSource()).shape;
  return setReshaped(op, op.getSource(), shape, frame);
}

static llvm::Error runExpandShape(tensor::ExpandShapeOp op, Frame &frame) {
  // One size at most is dynamic for each that is divided.
  const DenseValue &source = frame.getDense(op.getSrc());
  Shape shape = evaluate(op.getMixedOutputShape(), frame);
  for (auto [axis, group] : llvm::enumerate(op.getReassociationIndices())) {
    int64_t found = source.shape[axis], dynamic = 1, product = 1;
    for (int64_t result : group)
      (op.getResultType().isDynamicDim(result) ? dynamic : product) *=
          shape[result];
    if (product != 0 && dynamic != found / product)
      return makeShapeMismatch(op, 0, axis, dynamic, found / product);
    if (found != dynamic * product)
      return makeShapeMismatch(op, 0, axis, found, dynamic * product);
  }
  return setReshaped(op, op.getSrc(), shape, frame);
}

static llvm::Error runCollapseShape(tensor::CollapseShapeOp op, Frame &frame) {
  Shape source = frame.getDense(op.getSrc()).shape, shape;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    Shape sizes;
    for (int64_t axis : group)
      sizes.push_back(source[axis]);
    if (llvm::Error error = checkElementCount(op, sizes, /*arrays=*/0))
      return error;
    shape.push_back(multiply(sizes));
  }
  return setReshaped(op, op.getSrc(), shape, frame);
}

//===----------------------------------------------------------------------===//
// Elements and slices
//===----------------------------------------------------------------------===//

/// The flat position of an element.
static llvm::Expected<int64_t> findElement(Operation *op, ValueRange indices,
                                           ArrayRef<int64_t> shape,
                                           const Frame &frame) {
  int64_t position = 0;
  for (auto [axis, size] : llvm::enumerate(shape)) {
    int64_t index = frame.getInt(indices[axis]);
    if (index < 0 || index >= size)
      return makeOutOfBounds(op, axis, index, size);
    position = position * size + index;
  }
  return position;
}

static llvm::Error runExtract(tensor::ExtractOp op, Frame &frame) {
  const DenseValue &tensor = frame.getDense(op.getTensor());
  auto position = findElement(op, op.getIndices(), tensor.shape, frame);
  if (!position)
    return position.takeError();
  double element = tensor[*position];
  if (isFloatScalar(op.getType()))
    frame.set(op.getResult(), element);
  else
    frame.set(op.getResult(), static_cast<int64_t>(element));
  return llvm::Error::success();
}

static llvm::Error runInsert(tensor::InsertOp op, Frame &frame) {
  const DenseValue &dest = frame.getDense(op.getDest());
  auto position = findElement(op, op.getIndices(), dest.shape, frame);
  if (!position)
    return position.takeError();
  if (llvm::Error error = checkElementCount(op, dest.shape))
    return error;
  Elements elements = *dest.data;
  elements[*position] = toElement(frame.get(op.getScalar()));
  Shape shape = dest.shape;
  return frame.setDense(op.getResult(), shape, std::move(elements));
}

/// The flat positions, in `shape`, of the elements of a slice in its order.
static llvm::Expected<std::vector<int64_t>>
findSlice(Operation *op, ArrayRef<int64_t> shape, ArrayRef<int64_t> offsets,
          ArrayRef<int64_t> sizes, ArrayRef<int64_t> strides) {
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    if (sizes[axis] < 0)
      return makeOutOfBounds(op, axis, sizes[axis], shape[axis]);
    if (sizes[axis] == 0)
      continue;
    // A last index that wraps is far outside, whichever side it is.
    int64_t first = offsets[axis], last;
    if (llvm::MulOverflow(sizes[axis] - 1, strides[axis], last) ||
        llvm::AddOverflow(first, last, last))
      last = std::numeric_limits<int64_t>::max();
    for (int64_t index : {first, last})
      if (index < 0 || index >= shape[axis])
        return makeOutOfBounds(op, axis, index, shape[axis]);
  }
  // The positions, and what the caller makes of as many elements.
  if (llvm::Error error = checkElementCount(op, sizes, /*arrays=*/2))
    return std::move(error);
  std::vector<int64_t> positions(multiply(sizes));
  for (auto [number, position] : llvm::enumerate(positions)) {
    int64_t rest = number, step = 1;
    for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
      int64_t index = rest % sizes[axis];
      rest /= sizes[axis];
      position += (offsets[axis] + index * strides[axis]) * step;
      step *= shape[axis];
    }
  }
  return positions;
}

static llvm::Error runExtractSlice(tensor::ExtractSliceOp op, Frame &frame) {
  const DenseValue &source = frame.getDense(op.getSource());
  Shape sizes = evaluate(op.getMixedSizes(), frame);
  auto positions =
      findSlice(op, source.shape, evaluate(op.getMixedOffsets(), frame), sizes,
                evaluate(op.getMixedStrides(), frame));
  if (!positions)
    return positions.takeError();
  Elements elements;
  elements.reserve(positions->size());
  for (int64_t position : *positions)
    elements.push_back(source[position]);
  Shape shape;
  llvm::SmallBitVector dropped = op.getDroppedDims();
  for (auto [axis, size] : llvm::enumerate(sizes))
    if (!dropped.test(axis))
      shape.push_back(size);
  return frame.setDense(op.getResult(), shape, std::move(elements));
}

static llvm::Error runInsertSlice(tensor::InsertSliceOp op, Frame &frame) {
  const DenseValue &source = frame.getDense(op.getSource());
  const DenseValue &dest = frame.getDense(op.getDest());
  Shape sizes = evaluate(op.getMixedSizes(), frame);
  auto positions =
      findSlice(op, dest.shape, evaluate(op.getMixedOffsets(), frame), sizes,
                evaluate(op.getMixedStrides(), frame));
  if (!positions)
    return positions.takeError();
  llvm::SmallBitVector dropped = op.getDroppedDims();
  int64_t axis = 0;
  for (auto [number, size] : llvm::enumerate(sizes)) {
    if (dropped.test(number))
      continue;
    if (source.shape[axis] != size)
      return makeShapeMismatch(op, 0, axis, source.shape[axis], size);
    ++axis;
  }
  if (llvm::Error error = checkElementCount(op, dest.shape))
    return error;
  Elements elements = *dest.data;
  for (auto [number, position] : llvm::enumerate(*positions))
    elements[position] = source[number];
  Shape shape = dest.shape;
  return frame.setDense(op.getResult(), shape, std::move(elements));
}

static llvm::Error runConcat(tensor::ConcatOp op, Frame &frame) {
  uint64_t dim = op.getDim();
  Shape shape = frame.getDense(op.getInputs().front()).shape;
  shape[dim] = 0;
  for (auto [number, input] : llvm::enumerate(op.getInputs())) {
    const DenseValue &tensor = frame.getDense(input);
    for (auto [axis, size] : llvm::enumerate(tensor.shape))
      if (axis != dim && size != shape[axis])
        return makeShapeMismatch(op, number, axis, size, shape[axis]);
    if (llvm::AddOverflow(shape[dim], tensor.shape[dim], shape[dim]))
      return makeError(op, "the sizes on axis " + Twine(dim) + " pass 2^63");
  }
  if (llvm::Error error = checkElementCount(op, shape))
    return error;
  // A tensor is a list of runs, one for each index left of the dimension.
  int64_t runs = multiply(ArrayRef<int64_t>(shape).take_front(dim));
  int64_t tail = multiply(ArrayRef<int64_t>(shape).drop_front(dim + 1));
  Elements elements;
  elements.reserve(multiply(shape));
  for (int64_t r = 0; r < runs; ++r)
    for (Value input : op.getInputs()) {
      const DenseValue &tensor = frame.getDense(input);
      int64_t length = tensor.shape[dim] * tail;
      elements.insert(elements.end(), tensor.begin() + r * length,
                      tensor.begin() + (r + 1) * length);
    }
  return frame.setDense(op.getResult(), shape, std::move(elements));
}

void reference::registerTensors(HandlerTable &table) {
  table.add<arith::ConstantOp>(runConstant);
  table.add<tensor::CastOp>(runCast);
  table.add<tensor::CollapseShapeOp>(runCollapseShape);
  table.add<tensor::ConcatOp>(runConcat);
  table.add<tensor::DimOp>(runDim);
  table.add<tensor::EmptyOp>(runEmpty);
  table.add<tensor::ExpandShapeOp>(runExpandShape);
  table.add<tensor::ExtractOp>(runExtract);
  table.add<tensor::ExtractSliceOp>(runExtractSlice);
  table.add<tensor::FromElementsOp>(runFromElements);
  table.add<tensor::InsertOp>(runInsert);
  table.add<tensor::InsertSliceOp>(runInsertSlice);
  table.add<tensor::RankOp>(runRank);
  table.add<tensor::SplatOp>(runSplat);
}
