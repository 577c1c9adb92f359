//===- Coords.cpp - coordinate sets ---------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sets are held as tuples of integers, not as packed keys: the packing counts
// here only for the range of coordinates that it allows.
//
//===----------------------------------------------------------------------===//

#include "Interpreter.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

int64_t CoordinateSet::find(const Point &point) const {
  auto it = std::lower_bound(points.begin(), points.end(), point);
  return it != points.end() && *it == point ? it - points.begin() : -1;
}

/// Sorts and drops duplicates.
static void makeDistinct(std::vector<Point> &points) {
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
}

namespace {
/// Points of which many may be equal, in memory for twice the distinct ones.
class PointCollector {
public:
  explicit PointCollector(Operation *op) : op(op) {}

  llvm::Error add(const Point &point) {
    if (points.size() == room)
      if (llvm::Error error = makeRoom())
        return error;
    points.push_back(point);
    return llvm::Error::success();
  }
  std::vector<Point> takeDistinct() {
    makeDistinct(points);
    return std::move(points);
  }

private:
  llvm::Error makeRoom() {
    constexpr size_t least = 1 << 16;
    makeDistinct(points);
    if (2 * points.size() < room)
      return llvm::Error::success();
    size_t wanted = std::max(least, 2 * room);
    if (llvm::Error error = checkItems(op, wanted, sizeof(Point)))
      return error;
    room = wanted;
    points.reserve(room);
    return llvm::Error::success();
  }

  Operation *op;
  std::vector<Point> points;
  size_t room = 0;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Checks a coordinate of a set of type `type` that came from row `row`.
static llvm::Error checkPoint(Operation *op, int64_t row, const Point &point,
                              CoordsType type) {
  PackingAttr packing = type.getPacking();
  if (point[0] < 0 || point[0] > packing.getMaxBatch())
    return makeOutOfRange(op, row, -1, point[0], 0, packing.getMaxBatch());
  for (unsigned axis = 0; axis < type.getDim(); ++axis) {
    int64_t value = point[axis + 1];
    int64_t lower = packing.getMin(axis), upper = packing.getMax(axis);
    if (value < lower || value > upper)
      return makeOutOfRange(op, row, axis, value, lower, upper);
    int64_t stride = type.getStride()[axis];
    if (value % stride == 0)
      continue;
    StatusRecord record;
    record.code = static_cast<int64_t>(StatusCode::NotMultipleOfStride);
    record.row = row;
    record.axis = axis;
    record.value = value;
    record.lower = stride;
    return makeFailure(op, record);
  }
  return llvm::Error::success();
}

/// Checks the number of rows of a new set (or of points).
static llvm::Error checkCount(Operation *op, int64_t rows,
                              std::optional<int64_t> capacity = std::nullopt) {
  StatusRecord record;
  record.value = rows;
  if (rows > ::sparseconv::kMaxRows) {
    record.code = static_cast<int64_t>(StatusCode::TooManyRows);
    record.upper = ::sparseconv::kMaxRows;
    return makeFailure(op, record);
  }
  if (capacity && rows > *capacity) {
    record.code = static_cast<int64_t>(StatusCode::OverCapacity);
    record.upper = *capacity;
    return makeFailure(op, record);
  }
  return llvm::Error::success();
}

static bool isInside(const Point &point, RegionAttr region) {
  for (unsigned axis = 0; axis < region.getDim(); ++axis)
    if (point[axis + 1] < region.getLower()[axis] ||
        point[axis + 1] >= region.getUpper()[axis])
      return false;
  return true;
}

//===----------------------------------------------------------------------===//
// To and from tensors
//===----------------------------------------------------------------------===//

/// All is computed in f32, so that targets find the same bits.
static llvm::Error runQuantise(QuantiseOp op, Frame &frame) {
  const DenseValue &points = frame.getDense(op.getPoints());
  ArrayRef<float> origin = op.getOrigin(), size = op.getVoxelSize();
  int64_t count = points.getRows(), given = points.shape[1];
  int64_t dim = size.size(), columns = dim + 1, first = given - dim;
  if (llvm::Error error = checkElementCount(op, {count, columns}))
    return error;
  Elements result(count * columns);
  auto fits = [](float whole) { return whole >= -0x1p31f && whole < 0x1p31f; };
  for (int64_t p = 0; p < count; ++p) {
    float batch = first ? static_cast<float>(points[p * given]) : 0;
    bool isPoint = batch == std::floor(batch) && fits(batch);
    SmallVector<float, 4> whole;
    for (int64_t axis = 0; axis < dim; ++axis) {
      float x = static_cast<float>(points[p * given + first + axis]);
      whole.push_back(std::floor((x - origin[axis]) / size[axis]));
      isPoint &= fits(whole.back());
    }
    result[p * columns] = isPoint ? batch : -1;
    for (int64_t axis = 0; axis < dim && isPoint; ++axis)
      result[p * columns + 1 + axis] = whole[axis];
  }
  return frame.setDense(op.getCoordinates(), {count, columns},
                        std::move(result));
}

static llvm::Error runPack(PackOp op, Frame &frame) {
  const DenseValue &tensor = frame.getDense(op.getPoints());
  auto type = cast<CoordsType>(op.getCoords().getType());
  int64_t count = tensor.getRows(), columns = type.getDim() + 1;
  if (llvm::Error error = checkCount(op, count))
    return error;
  std::optional<RegionAttr> clip = op.getClip();
  using Numbered = std::pair<Point, int64_t>;
  if (llvm::Error error = checkItems(
          op, count, sizeof(Numbered) + sizeof(Point) + 2 * sizeof(double)))
    return error;
  // Sorted together with their numbers, so that the first of several equal
  // points is the lowest one.
  std::vector<Numbered> numbered;
  numbered.reserve(count);
  for (int64_t i = 0; i < count; ++i) {
    Point point{};
    for (int64_t c = 0; c < columns; ++c)
      point[c] = static_cast<int64_t>(tensor[i * columns + c]);
    if (clip && (point[0] == -1 || !isInside(point, *clip)))
      continue;
    if (llvm::Error error = checkPoint(op, i, point, type))
      return error;
    numbered.emplace_back(point, i);
  }
  std::sort(numbered.begin(), numbered.end());
  std::vector<Point> points;
  Elements order, rowOf(count, -1);
  points.reserve(count);
  order.reserve(count);
  for (const auto &[point, number] : numbered) {
    if (points.empty() || points.back() != point) {
      points.push_back(point);
      order.push_back(number);
    }
    rowOf[number] = points.size() - 1;
  }
  int64_t rows = points.size();
  frame.setSet(op.getCoords(), std::move(points));
  if (llvm::Error error = frame.setDense(op.getOrder(), rows, std::move(order)))
    return error;
  return frame.setDense(op.getRowOf(), count, std::move(rowOf));
}

static llvm::Error runUnpack(UnpackOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  int64_t columns = set.getDim() + 1;
  if (llvm::Error error = checkElementCount(op, {set.size(), columns}))
    return error;
  Elements elements;
  elements.reserve(set.size() * columns);
  for (const Point &point : set.points)
    elements.insert(elements.end(), point.begin(), point.begin() + columns);
  return frame.setDense(op.getPoints(), {set.size(), columns},
                        std::move(elements));
}

static llvm::Error runSize(SizeOp op, Frame &frame) {
  frame.set(op.getSize(), frame.getSet(op.getCoords()).size());
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Sets from sets
//===----------------------------------------------------------------------===//

static int64_t floorTo(int64_t value, int64_t stride) {
  int64_t rest = value % stride;
  return value - (rest < 0 ? rest + stride : rest);
}

/// Makes the set of all coordinates c + direction * S * d, for c of the source
/// of `op` and d of `offsets`, that are multiples of the result's stride. S is
/// `finer`, the finer of the two strides.
template <typename OpTy>
static llvm::Error makeCover(OpTy op, Frame &frame, ArrayRef<int64_t> finer,
                             int direction, OffsetSetInterface offsets) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  RegionAttr clip = op.getClipAttr();
  auto type = cast<CoordsType>(op.getResult().getType());
  unsigned dim = type.getDim();
  SmallVector<int64_t> flat = offsets.getFlatOffsets();
  PointCollector collector(op);
  for (auto [row, center] : llvm::enumerate(set.points)) {
    for (size_t k = 0; k < flat.size(); k += dim) {
      Point point = center;
      bool isMultiple = true;
      for (unsigned axis = 0; axis < dim; ++axis) {
        point[axis + 1] += direction * finer[axis] * flat[k + axis];
        isMultiple &= point[axis + 1] % type.getStride()[axis] == 0;
      }
      if (!isMultiple || (clip && !isInside(point, clip)))
        continue;
      if (llvm::Error error = checkPoint(op, row, point, type))
        return error;
      if (llvm::Error error = collector.add(point))
        return error;
    }
  }
  std::vector<Point> points = collector.takeDistinct();
  if (llvm::Error error = checkCount(op, points.size(), op.getCapacity()))
    return error;
  frame.setSet(op.getResult(), std::move(points));
  return llvm::Error::success();
}

static llvm::Error runDownsample(DownsampleOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  // An output o meets the inputs o + S_in * d: an input is met by c - S_in * d.
  if (op.getRule() == OutputRule::Cover)
    return makeCover(op, frame, set.type.getStride(), -1, *op.getOffsets());
  auto type = cast<CoordsType>(op.getResult().getType());
  if (llvm::Error error = checkItems(op, set.size(), sizeof(Point)))
    return error;
  std::vector<Point> points;
  for (auto [row, fine] : llvm::enumerate(set.points)) {
    Point point = fine;
    for (unsigned axis = 0; axis < type.getDim(); ++axis)
      point[axis + 1] = floorTo(point[axis + 1], type.getStride()[axis]);
    if (op.getClip() && !isInside(point, *op.getClip()))
      continue;
    if (llvm::Error error = checkPoint(op, row, point, type))
      return error;
    points.push_back(point);
  }
  makeDistinct(points);
  frame.setSet(op.getResult(), std::move(points));
  return llvm::Error::success();
}

static llvm::Error runUpsample(UpsampleOp op, Frame &frame) {
  auto type = cast<CoordsType>(op.getResult().getType());
  return makeCover(op, frame, type.getStride(), 1, op.getEffectiveOffsets());
}

static llvm::Error runSubdivide(SubdivideOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  auto type = cast<CoordsType>(op.getFine().getType());
  int64_t cells = op.getNumCells(), rows = set.size(), points = rows;
  const DenseValue *order = nullptr, *rowOf = nullptr;
  if (op.getPointsOrder()) {
    order = &frame.getDense(op.getPointsOrder());
    rowOf = &frame.getDense(op.getPointsRowOf());
    points = rowOf->getRows();
    if (llvm::Error error = checkRows(op, 1, *order, rows, StatusSide::Set))
      return error;
  }
  if (llvm::Error error = checkCount(op, points * cells))
    return error;
  using Numbered = std::pair<Point, int64_t>;
  if (llvm::Error error =
          checkItems(op, std::max(rows, points) * cells,
                     sizeof(Numbered) + sizeof(Point) + 4 * sizeof(double)))
    return error;
  SmallVector<int64_t> offsets =
      BoxAttr::get(op.getContext(), op.getBy(), /*corner=*/true)
          .getFlatOffsets();
  std::vector<Numbered> numbered;
  for (auto [row, point] : llvm::enumerate(set.points)) {
    for (int64_t cell = 0; cell < cells; ++cell) {
      Point fine = point;
      for (unsigned axis = 0; axis < type.getDim(); ++axis)
        fine[axis + 1] +=
            type.getStride()[axis] * offsets[cell * type.getDim() + axis];
      if (llvm::Error error = checkPoint(op, row, fine, type))
        return error;
      numbered.emplace_back(fine, row * cells + cell);
    }
  }
  if (llvm::Error error = checkCount(op, numbered.size()))
    return error;
  std::sort(numbered.begin(), numbered.end());
  std::vector<Point> fine;
  Elements fineRows, fineOrder, places(rows * cells);
  for (const auto &[point, number] : numbered) {
    int64_t row = number / cells;
    places[number] = fine.size();
    fine.push_back(point);
    fineRows.push_back(row);
    fineOrder.push_back((order ? static_cast<int64_t>((*order)[row]) : row) *
                            cells +
                        number % cells);
  }
  Elements fineRowOf(points * cells, -1);
  for (int64_t i = 0; i < points; ++i) {
    int64_t row = rowOf ? static_cast<int64_t>((*rowOf)[i]) : i;
    if (row >= 0 && row < rows)
      std::copy_n(places.begin() + row * cells, cells,
                  fineRowOf.begin() + i * cells);
  }
  int64_t count = fine.size();
  frame.setSet(op.getFine(), std::move(fine));
  if (llvm::Error error =
          frame.setDense(op.getRows(), count, std::move(fineRows)))
    return error;
  if (llvm::Error error =
          frame.setDense(op.getOrder(), count, std::move(fineOrder)))
    return error;
  return frame.setDense(op.getRowOf(), points * cells, std::move(fineRowOf));
}

static llvm::Error runRescale(RescaleOp op, Frame &frame) {
  auto type = cast<CoordsType>(op.getResult().getType());
  const CoordinateSet &set = frame.getSet(op.getCoords());
  if (llvm::Error error = checkItems(op, set.size(), sizeof(Point)))
    return error;
  std::vector<Point> points = set.points;
  for (auto [row, point] : llvm::enumerate(points)) {
    for (auto [axis, factor] : llvm::enumerate(op.getBy()))
      point[axis + 1] *= factor;
    if (llvm::Error error = checkPoint(op, row, point, type))
      return error;
  }
  frame.setSet(op.getResult(), std::move(points));
  return llvm::Error::success();
}

static llvm::Error runExpand(ExpandOp op, Frame &frame) {
  auto type = cast<CoordsType>(op.getResult().getType());
  return makeCover(op, frame, type.getStride(), op.getTransposed() ? 1 : -1,
                   op.getOffsets());
}

static llvm::Error runUnion(UnionOp op, Frame &frame) {
  const CoordinateSet &lhs = frame.getSet(op.getLhs());
  const CoordinateSet &rhs = frame.getSet(op.getRhs());
  int64_t most = lhs.size() + rhs.size();
  if (llvm::Error error = checkItems(op, most, sizeof(Point) + sizeof(double)))
    return error;
  std::vector<Point> points;
  points.reserve(most);
  points.insert(points.end(), lhs.points.begin(), lhs.points.end());
  points.insert(points.end(), rhs.points.begin(), rhs.points.end());
  makeDistinct(points);
  if (llvm::Error error = checkCount(op, points.size()))
    return error;
  frame.setSet(op.getCoords(), std::move(points));
  const CoordinateSet &set = frame.getSet(op.getCoords());
  for (auto [side, result] :
       {std::pair(&lhs, op.getLhsRows()), std::pair(&rhs, op.getRhsRows())}) {
    Elements rows;
    rows.reserve(side->size());
    for (const Point &point : side->points)
      rows.push_back(set.find(point));
    if (llvm::Error error =
            frame.setDense(result, side->size(), std::move(rows)))
      return error;
  }
  return llvm::Error::success();
}

static llvm::Error runIntersection(IntersectionOp op, Frame &frame) {
  const CoordinateSet &lhs = frame.getSet(op.getLhs());
  const CoordinateSet &rhs = frame.getSet(op.getRhs());
  int64_t most = std::min(lhs.size(), rhs.size());
  if (llvm::Error error =
          checkItems(op, most, sizeof(Point) + 2 * sizeof(double)))
    return error;
  std::vector<Point> points;
  Elements lhsRows, rhsRows;
  points.reserve(most);
  lhsRows.reserve(most);
  rhsRows.reserve(most);
  for (auto [row, point] : llvm::enumerate(lhs.points)) {
    int64_t other = rhs.find(point);
    if (other < 0)
      continue;
    points.push_back(point);
    lhsRows.push_back(row);
    rhsRows.push_back(other);
  }
  int64_t count = points.size();
  frame.setSet(op.getCoords(), std::move(points));
  if (llvm::Error error =
          frame.setDense(op.getLhsRows(), count, std::move(lhsRows)))
    return error;
  return frame.setDense(op.getRhsRows(), count, std::move(rhsRows));
}

static llvm::Error runPrune(PruneOp op, Frame &frame) {
  const CoordinateSet &set = frame.getSet(op.getCoords());
  const DenseValue &mask = frame.getDense(op.getMask());
  if (llvm::Error error = checkRows(op, 1, mask, set.size(), StatusSide::Set))
    return error;
  if (llvm::Error error =
          checkItems(op, set.size(), sizeof(Point) + sizeof(double)))
    return error;
  std::vector<Point> points;
  Elements rows;
  points.reserve(set.size());
  rows.reserve(set.size());
  for (auto [row, point] : llvm::enumerate(set.points)) {
    if (mask[row] == 0)
      continue;
    points.push_back(point);
    rows.push_back(row);
  }
  int64_t count = points.size();
  frame.setSet(op.getResult(), std::move(points));
  return frame.setDense(op.getRows(), count, std::move(rows));
}

void reference::registerCoords(HandlerTable &table) {
  table.add<QuantiseOp>(runQuantise);
  table.add<PackOp>(runPack);
  table.add<UnpackOp>(runUnpack);
  table.add<SizeOp>(runSize);
  table.add<DownsampleOp>(runDownsample);
  table.add<UpsampleOp>(runUpsample);
  table.add<SubdivideOp>(runSubdivide);
  table.add<RescaleOp>(runRescale);
  table.add<ExpandOp>(runExpand);
  table.add<UnionOp>(runUnion);
  table.add<IntersectionOp>(runIntersection);
  table.add<PruneOp>(runPrune);
}
