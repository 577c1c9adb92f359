//===- Conv.cpp - convolution and its gradients ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tape.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "llvm/Support/Parallel.h"
#include <cmath>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::reference;

namespace {

/// Weights [volume, groups, in, out]: channels in and out of each group.
struct Weights {
  int64_t volume, groups, in, out;
  Elements elements;

  explicit Weights(const DenseValue &w)
      : volume(w.shape[0]), groups(w.shape.size() == 4 ? w.shape[1] : 1),
        in(w.shape[w.shape.size() - 2]), out(w.shape.back()),
        elements(*w.data) {}

  int64_t getInChannels() const { return groups * in; }
  int64_t getOutChannels() const { return groups * out; }
  /// Each slice transposed.
  Weights transpose() const {
    Weights result = *this;
    std::swap(result.in, result.out);
    for (int64_t slice = 0; slice < volume * groups; ++slice)
      for (int64_t i = 0; i < in; ++i)
        for (int64_t o = 0; o < out; ++o)
          result.elements[(slice * out + o) * in + i] =
              elements[(slice * in + i) * out + o];
    return result;
  }
};

} // namespace

/// Error unless there is memory for a sum of this shape over products of these
/// operands. Each operand is copied up to three times: transposed, and as
/// absolute values for the bounds, which also take three tensors like the sum.
static llvm::Error checkSum(Operation *op,
                            ArrayRef<const DenseValue *> operands,
                            ArrayRef<int64_t> shape, const Frame &frame) {
  if (llvm::Error error = checkElementCount(op, shape))
    return error;
  int64_t count = llvm::product_of(shape) * (frame.wantsBounds() ? 4 : 1);
  for (const DenseValue *operand : operands)
    count += 3 * operand->getNumElements();
  return checkItems(op, count, sizeof(double));
}

static Elements getMagnitudes(Elements elements) {
  for (double &element : elements)
    element = std::abs(element);
  return elements;
}

/// By how much of its size a product may be off: where tf32 is allowed both
/// factors may be rounded to 11 significant bits.
static double getProductError(bool allowTf32) {
  constexpr double tf32Roundoff = 0x1p-11;
  return allowTf32 ? tf32Roundoff * (2 + tf32Roundoff) : 0;
}

/// y[r] = sum over k of x[map(r, k)] . w[k]. Rows are taken in blocks that
/// share each slice of the weights; every sum runs over k, then over channels.
static Elements sumOverMap(const KernelMap &map, const Elements &x,
                           const Weights &w) {
  constexpr int64_t blockRows = 64;
  int64_t inChannels = w.getInChannels(), outChannels = w.getOutChannels();
  Elements y(map.outRows * outChannels);
  int64_t numBlocks = (map.outRows + blockRows - 1) / blockRows;
  llvm::parallelFor(0, numBlocks, [&](size_t block) {
    int64_t begin = block * blockRows;
    int64_t end = std::min(map.outRows, begin + blockRows);
    for (int64_t k = 0; k < w.volume; ++k) {
      for (int64_t r = begin; r < end; ++r) {
        int64_t row = map.find(r, k);
        if (row < 0)
          continue;
        for (int64_t g = 0; g < w.groups; ++g) {
          const double *in = &x[row * inChannels + g * w.in];
          const double *slice = &w.elements[(k * w.groups + g) * w.in * w.out];
          double *__restrict out = &y[r * outChannels + g * w.out];
          for (int64_t i = 0; i < w.in; ++i)
            for (int64_t o = 0; o < w.out; ++o)
              out[o] += in[i] * slice[i * w.out + o];
        }
      }
    }
  });
  return y;
}

/// For each element of a result of sumOverMap(): how many products it sums.
static Elements countProducts(const KernelMap &map, const Weights &w) {
  Elements counts;
  for (int64_t r = 0; r < map.outRows; ++r) {
    int64_t neighbours = 0;
    for (int64_t k = 0; k < map.volume; ++k)
      neighbours += map.find(r, k) >= 0;
    counts.insert(counts.end(), w.getOutChannels(), neighbours * w.in);
  }
  return counts;
}

static llvm::Error setSumOverMap(Value result, const KernelMap &map,
                                 const DenseValue &x, const Weights &w,
                                 bool allowTf32, Frame &frame) {
  Elements y = sumOverMap(map, *x.data, w), magnitudes, products;
  if (frame.wantsBounds()) {
    Weights sizes = w;
    sizes.elements = getMagnitudes(w.elements);
    magnitudes = sumOverMap(map, getMagnitudes(*x.data), sizes);
    products = countProducts(map, w);
  }
  return frame.setSum(result, {map.outRows, w.getOutChannels()}, std::move(y),
                      std::move(magnitudes), std::move(products),
                      getProductError(allowTf32));
}

//===----------------------------------------------------------------------===//
// Epilogue
//===----------------------------------------------------------------------===//

/// Runs the body of an epilogue on the accumulators `y`.
static llvm::Error runEpilogue(ConvOp op, Elements &y, Frame &frame) {
  auto tape = Tape::compile(op.getEpilogue().front(), frame);
  if (!tape)
    return tape.takeError();
  if (tape->getYields().size() != 1)
    return makeError(op, "an epilogue yields one value");
  SmallVector<const DenseValue *> extras;
  for (Value extra : op.getExtras())
    extras.push_back(&frame.getDense(extra));
  int64_t channels = op.getOutChannels();
  int64_t count = y.size();
  StatusRecord record;
  Operation *failed = nullptr;
  Tape::State state = tape->makeState();
  for (int64_t start = 0; start < count; start += kLanes) {
    int64_t n = std::min(kLanes, count - start);
    std::copy_n(y.begin() + start, n, state[0].f);
    for (auto [number, extra] : llvm::enumerate(extras)) {
      bool isRowOperand = extra->shape.size() == 2;
      for (int64_t l = 0; l < n; ++l)
        state[number + 1].f[l] =
            (*extra)[isRowOperand ? start + l : (start + l) % channels];
    }
    StatusCode code = tape->run(state, n, failed);
    if (code != StatusCode::None) {
      record.code = static_cast<int64_t>(code);
      return makeFailure(failed, record);
    }
    std::copy_n(state[tape->getYields()[0]].f, n, y.begin() + start);
  }
  return llvm::Error::success();
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

static llvm::Error runConv(ConvOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &x = frame.getDense(op.getX());
  if (llvm::Error error = checkRows(op, 0, x, map.inRows, StatusSide::InSet))
    return error;
  for (auto [number, operand] : llvm::enumerate(op.getExtras())) {
    const DenseValue &extra = frame.getDense(operand);
    if (extra.shape.size() != 2)
      continue;
    if (llvm::Error error =
            checkRows(op, 3 + number, extra, map.outRows, StatusSide::OutSet))
      return error;
  }
  const DenseValue &weights = frame.getDense(op.getW());
  if (llvm::Error error = checkSum(op, {&x, &weights},
                                   {map.outRows, op.getOutChannels()}, frame))
    return error;
  Weights w(weights);
  if (!op.hasEpilogue())
    return setSumOverMap(op.getY(), map, x, w, op.getAllowTf32(), frame);
  Elements y = sumOverMap(map, *x.data, w);
  if (llvm::Error error = runEpilogue(op, y, frame))
    return error;
  return frame.setDense(op.getY(), {map.outRows, w.getOutChannels()},
                        std::move(y));
}

static llvm::Error runInputGrad(InputGradOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &dy = frame.getDense(op.getDy());
  if (llvm::Error error = checkRows(op, 0, dy, map.outRows, StatusSide::OutSet))
    return error;
  const DenseValue &weights = frame.getDense(op.getW());
  auto type = cast<RankedTensorType>(op.getDx().getType());
  if (llvm::Error error = checkSum(op, {&dy, &weights},
                                   {map.inRows, type.getDimSize(1)}, frame))
    return error;
  if (llvm::Error error = checkElementCount(op, {map.inRows, map.volume}))
    return error;
  Weights w(weights);
  return setSumOverMap(op.getDx(), map.transpose(), dy, w.transpose(),
                       op.getAllowTf32(), frame);
}

/// dw[k] = sum over r of transpose(x[map(r, k)]) . dy[r], by groups.
static Elements sumOuterProducts(const KernelMap &map, const Elements &x,
                                 const Elements &dy, int64_t groups, int64_t in,
                                 int64_t out) {
  Elements dw(map.volume * groups * in * out);
  llvm::parallelFor(0, map.volume * groups, [&](size_t slice) {
    int64_t k = slice / groups, g = slice % groups;
    double *__restrict sum = &dw[slice * in * out];
    for (int64_t r = 0; r < map.outRows; ++r) {
      int64_t row = map.find(r, k);
      if (row < 0)
        continue;
      const double *a = &x[(row * groups + g) * in];
      const double *b = &dy[(r * groups + g) * out];
      for (int64_t i = 0; i < in; ++i)
        for (int64_t o = 0; o < out; ++o)
          sum[i * out + o] += a[i] * b[o];
    }
  });
  return dw;
}

static llvm::Error runWeightGrad(WeightGradOp op, Frame &frame) {
  const KernelMap &map = frame.getMap(op.getMap());
  const DenseValue &x = frame.getDense(op.getX());
  const DenseValue &dy = frame.getDense(op.getDy());
  if (llvm::Error error = checkRows(op, 0, x, map.inRows, StatusSide::InSet))
    return error;
  if (llvm::Error error = checkRows(op, 1, dy, map.outRows, StatusSide::OutSet))
    return error;
  auto type = cast<RankedTensorType>(op.getDw().getType());
  int64_t groups = type.getRank() == 4 ? type.getDimSize(1) : 1;
  int64_t in = x.shape[1] / groups, out = dy.shape[1] / groups;
  if (llvm::Error error = checkSum(op, {&x, &dy}, type.getShape(), frame))
    return error;
  Elements dw = sumOuterProducts(map, *x.data, *dy.data, groups, in, out);
  Elements magnitudes, products;
  if (frame.wantsBounds()) {
    magnitudes = sumOuterProducts(map, getMagnitudes(*x.data),
                                  getMagnitudes(*dy.data), groups, in, out);
    for (int64_t k = 0; k < map.volume; ++k) {
      int64_t pairs = 0;
      for (int64_t r = 0; r < map.outRows; ++r)
        pairs += map.find(r, k) >= 0;
      products.insert(products.end(), groups * in * out, pairs);
    }
  }
  return frame.setSum(op.getDw(), type.getShape(), std::move(dw),
                      std::move(magnitudes), std::move(products),
                      getProductError(op.getAllowTf32()));
}

void reference::registerConv(HandlerTable &table) {
  table.add<ConvOp>(runConv);
  table.add<InputGradOp>(runInputGrad);
  table.add<WeightGradOp>(runWeightGrad);
}
