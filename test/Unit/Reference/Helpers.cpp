//===- Helpers.cpp - running IR text on the reference ---------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include <cmath>

using namespace sparseconv;
using namespace mlir::sparseconv;

HostTensor test::makeTensor(ElementKind kind, const Shape &shape,
                            const std::vector<double> &elements) {
  HostTensor tensor(kind, shape);
  EXPECT_EQ(static_cast<size_t>(tensor.getNumElements()), elements.size());
  for (size_t i = 0; i < elements.size(); ++i)
    tensor.setDouble(i, elements[i]);
  return tensor;
}

HostTensor test::makeIndex(int64_t value) {
  HostTensor tensor(ElementKind::I64, {});
  tensor.as<int64_t>()[0] = value;
  return tensor;
}

HostTensor test::makePoints(const std::vector<Point> &points, int64_t columns) {
  std::vector<double> elements;
  for (const Point &point : points)
    elements.insert(elements.end(), point.begin(), point.end());
  return makeI32({static_cast<int64_t>(points.size()), columns}, elements);
}

HostTensor test::makeRandom(std::mt19937 &random, const Shape &shape) {
  std::normal_distribution<double> normal;
  HostTensor tensor(ElementKind::F32, shape);
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setDouble(i, normal(random));
  return tensor;
}

std::vector<test::Point> test::makeRandomPoints(std::mt19937 &random,
                                                int64_t count, int64_t dim,
                                                int64_t batches, int64_t extent,
                                                int64_t stride) {
  std::uniform_int_distribution<int64_t> batch(0, batches - 1);
  std::uniform_int_distribution<int64_t> axis(-extent, extent);
  std::vector<Point> points(count);
  for (Point &point : points) {
    point.push_back(batch(random));
    for (int64_t i = 0; i < dim; ++i)
      point.push_back(stride * axis(random));
  }
  return points;
}

std::vector<double> test::getElements(const HostTensor &tensor) {
  std::vector<double> elements;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    elements.push_back(tensor.getDouble(i));
  return elements;
}

std::string test::join(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return text;
}

std::string test::getSetType(int64_t dim, const std::vector<int64_t> &stride) {
  std::vector<int64_t> bits(dim, 14), guard(dim, 64);
  return "!sparseconv.coords<" + std::to_string(dim) + ", stride = [" +
         join(stride) + "], #sparseconv.packing<i64, batch = 6, bits = [" +
         join(bits) + "], guard = [" + join(guard) + "]>>";
}

std::string test::fill(std::string text,
                       const std::map<std::string, std::string> &values) {
  for (size_t begin; (begin = text.find("${")) != std::string::npos;) {
    size_t end = text.find('}', begin);
    auto it = values.find(text.substr(begin + 2, end - begin - 2));
    if (it == values.end()) {
      ADD_FAILURE() << "no value for " << text.substr(begin, end - begin + 1);
      return text;
    }
    text.replace(begin, end - begin + 1, it->second);
  }
  return text;
}

static mlir::MLIRContext &getContext() {
  static mlir::MLIRContext *context = [] {
    mlir::DialectRegistry registry;
    registry.insert<mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::linalg::LinalgDialect, mlir::math::MathDialect,
                    mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                    SparseConvDialect>();
    auto *created = new mlir::MLIRContext(registry);
    created->loadAllAvailableDialects();
    return created;
  }();
  return *context;
}

static mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      text, mlir::ParserConfig(&getContext()), "test.mlir");
  EXPECT_TRUE(module) << text;
  return module;
}

std::vector<HostTensor> test::run(const std::string &text,
                                  const std::vector<HostTensor> &args,
                                  bool exact) {
  auto module = parse(text);
  if (!module)
    return {};
  auto results = runReference(*module, "f", args, {exact});
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError()) << "\n" << text;
    return {};
  }
  return *results;
}

std::vector<BoundedResult>
test::runWithBounds(const std::string &text,
                    const std::vector<HostTensor> &args) {
  auto module = parse(text);
  if (!module)
    return {};
  auto results = runReferenceWithBounds(*module, "f", args);
  if (!results) {
    ADD_FAILURE() << llvm::toString(results.takeError()) << "\n" << text;
    return {};
  }
  return *results;
}

std::string test::runToError(const std::string &text,
                             const std::vector<HostTensor> &args) {
  auto module = parse(text);
  if (!module)
    return "";
  auto results = runReference(*module, "f", args);
  return results ? "no error" : llvm::toString(results.takeError());
}

void test::expectElements(const HostTensor &tensor,
                          const std::vector<double> &elements) {
  ASSERT_EQ(static_cast<size_t>(tensor.getNumElements()), elements.size());
  for (size_t i = 0; i < elements.size(); ++i) {
    double found = tensor.getDouble(i);
    if (std::isnan(elements[i]))
      EXPECT_TRUE(std::isnan(found)) << "element " << i << " is " << found;
    else
      EXPECT_EQ(found, elements[i]) << "element " << i;
  }
}

void test::expectNear(const std::vector<double> &found,
                      const std::vector<double> &expected, double tolerance) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i)
    ASSERT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

double test::dot(const std::vector<double> &a, const std::vector<double> &b) {
  EXPECT_EQ(a.size(), b.size());
  double sum = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += a[i] * b[i];
  return sum;
}
