//===- RowHelpers.cpp - running one kernel on rows ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowHelpers.h"
#include "KernelHarness.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <cstring>
#include <map>
#include <omp.h>
#include <set>

using namespace sparseconv;
using namespace sparseconv::test;
using mlir::sparseconv::test::Array;
using mlir::sparseconv::test::ArrayBase;
using mlir::sparseconv::test::Kernel;
using mlir::sparseconv::test::StatusArray;
using mlir::sparseconv::test::Threads;

//===----------------------------------------------------------------------===//
// Running kernels
//===----------------------------------------------------------------------===//

static std::string getBufferType(const HostTensor &tensor, bool isDynamic) {
  std::string text = "memref<";
  for (auto [axis, size] : llvm::enumerate(tensor.getShape())) {
    // Of a dense grid all sizes are static.
    bool isUnknown = tensor.getRank() <= 2 && (axis == 0 || isDynamic);
    text += (isUnknown ? "?" : std::to_string(size)) + "x";
  }
  return text + getName(tensor.getKind()).str() + ">";
}

/// The module with one function @kernel that holds the call.
static std::string getModule(const KernelCall &call) {
  std::string parameters, names[2], types[2];
  auto add = [&](bool isOut, const std::string &type) {
    std::string name = "%" + std::to_string(llvm::count(parameters, '%'));
    parameters += (parameters.empty() ? "" : ", ") + name + ": " + type;
    names[isOut] += (names[isOut].empty() ? "" : ", ") + name;
    types[isOut] += (types[isOut].empty() ? "" : ", ") + type;
  };
  for (const HostTensor &tensor : call.ins)
    add(false, getBufferType(tensor, call.dynamicChannels));
  if (call.hasStatus)
    add(false, "memref<8xi64>");
  for (const HostTensor &tensor : call.outs)
    add(true, getBufferType(tensor, call.dynamicChannels));
  return "func.func @kernel(" + parameters + ") {\n  sparseconv.kernel." +
         call.mnemonic + " ins(" + names[0] + " : " + types[0] + ") outs(" +
         names[1] + " : " + types[1] + ") {" + call.attributes +
         "}\n  return\n}\n";
}

template <typename T>
static std::unique_ptr<ArrayBase> copyAs(const HostTensor &tensor) {
  auto array = std::make_unique<Array<T>>(tensor.getShape());
  llvm::copy(tensor.as<T>(), array->begin());
  return array;
}

static std::unique_ptr<ArrayBase> makeArray(const HostTensor &tensor) {
  switch (getByteWidth(tensor.getKind())) {
  case 2:
    return copyAs<uint16_t>(tensor);
  case 4:
    return copyAs<uint32_t>(tensor);
  default:
    return copyAs<uint64_t>(tensor);
  }
}

template <typename T> static void copyBack(ArrayBase &array, HostTensor &to) {
  llvm::copy(static_cast<Array<T> &>(array), to.as<T>().begin());
}

static void readArray(ArrayBase &array, HostTensor &to) {
  switch (getByteWidth(to.getKind())) {
  case 2:
    return copyBack<uint16_t>(array, to);
  case 4:
    return copyBack<uint32_t>(array, to);
  default:
    return copyBack<uint64_t>(array, to);
  }
}

template <size_t... positions>
static void runWith(Kernel &kernel, llvm::ArrayRef<ArrayBase *> arrays,
                    std::index_sequence<positions...>) {
  kernel.run("kernel", *arrays[positions]...);
}

static void runWith(Kernel &kernel, llvm::ArrayRef<ArrayBase *> arrays) {
  switch (arrays.size()) {
  case 3:
    return runWith(kernel, arrays, std::make_index_sequence<3>());
  case 4:
    return runWith(kernel, arrays, std::make_index_sequence<4>());
  case 5:
    return runWith(kernel, arrays, std::make_index_sequence<5>());
  default:
    FAIL() << "no kernel on rows has " << arrays.size() << " arguments";
  }
}

static KernelResult runOnce(Kernel &kernel, const KernelCall &call,
                            unsigned threads, char poison) {
  KernelResult result{call.outs, {}};
  if (call.overwrites)
    for (HostTensor &tensor : result.outs)
      std::fill_n(tensor.getData(), tensor.getNumBytes(), poison);
  std::vector<std::unique_ptr<ArrayBase>> owned;
  llvm::SmallVector<ArrayBase *> arrays;
  auto add = [&](std::unique_ptr<ArrayBase> array) {
    arrays.push_back(array.get());
    owned.push_back(std::move(array));
  };
  for (const HostTensor &tensor : call.ins)
    add(makeArray(tensor));
  auto status = std::make_unique<StatusArray>();
  StatusArray *record = status.get();
  std::memcpy(record->begin(), &call.status, sizeof(call.status));
  if (call.hasStatus)
    add(std::move(status));
  size_t firstOut = arrays.size();
  for (const HostTensor &tensor : result.outs)
    add(makeArray(tensor));

  omp_set_num_threads(threads);
  runWith(kernel, arrays);
  if (call.hasStatus)
    result.status = record->get();
  for (auto [position, tensor] : llvm::enumerate(result.outs))
    readArray(*arrays[firstOut + position], tensor);
  return result;
}

KernelResult test::runKernel(const KernelCall &call) {
  // Never destroyed: at exit, what the JIT needs for that is gone already.
  static auto &kernels = *new std::map<std::string, Kernel>;
  std::string module = getModule(call);
  auto found = kernels.find(module);
  if (found == kernels.end())
    found = kernels.emplace(module, Kernel(module, Threads::OpenMP)).first;
  KernelResult result = runOnce(found->second, call, 1, 0x7f);
  KernelResult again = runOnce(found->second, call, 3, 0x55);
  EXPECT_EQ(std::memcmp(&result.status, &again.status, sizeof(StatusRecord)),
            0);
  for (auto [first, second] : llvm::zip_equal(result.outs, again.outs))
    EXPECT_EQ(llvm::StringRef(first.getData(), first.getNumBytes()),
              llvm::StringRef(second.getData(), second.getNumBytes()))
        << "the bits of two runs differ: " << module;
  return result;
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

HostTensor test::makeNormal(std::mt19937 &random, ElementKind kind,
                            llvm::ArrayRef<int64_t> shape) {
  HostTensor tensor(kind, shape);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < tensor.getNumElements(); ++i)
    tensor.setDouble(i, normal(random));
  return tensor;
}

HostTensor test::makeI32(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<int64_t> elements) {
  HostTensor tensor(ElementKind::I32, shape);
  EXPECT_EQ(tensor.getNumElements(), int64_t(elements.size()));
  llvm::copy(elements, tensor.as<int32_t>().begin());
  return tensor;
}

HostTensor test::makeF32(llvm::ArrayRef<int64_t> shape,
                         llvm::ArrayRef<float> elements) {
  HostTensor tensor(ElementKind::F32, shape);
  EXPECT_EQ(tensor.getNumElements(), int64_t(elements.size()));
  llvm::copy(elements, tensor.as<float>().begin());
  return tensor;
}

bool test::isGreater(double a, double b) {
  return std::isnan(a) ? !std::isnan(b) : a > b;
}

/// Half the distance of 1 to the next number, and of 0 to the next.
static std::pair<double, double> getRoundings(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return {0x1p-11, 0x1p-25};
  case ElementKind::BF16:
    return {0x1p-8, 0x1p-134};
  default:
    return {0x1p-24, 0x1p-150};
  }
}

void test::expectSums(const HostTensor &found, llvm::ArrayRef<Sum> expected) {
  ASSERT_EQ(found.getNumElements(), int64_t(expected.size()));
  auto [relative, absolute] = getRoundings(found.getKind());
  for (auto [i, sum] : llvm::enumerate(expected)) {
    double bound = relative * std::abs(sum.value) +
                   (sum.terms + 2) * 0x1p-24 * sum.magnitude + absolute;
    double error = std::abs(found.getDouble(i) - sum.value);
    // Written so that a NaN fails.
    ASSERT_TRUE(error <= bound)
        << found.getTypeString() << " at " << i << ": " << found.getDouble(i)
        << " is not " << sum.value << " within " << bound;
  }
}

void test::expectValues(const HostTensor &found,
                        llvm::ArrayRef<double> expected) {
  ASSERT_EQ(found.getNumElements(), int64_t(expected.size()));
  for (auto [i, value] : llvm::enumerate(expected)) {
    double other = found.getDouble(i);
    ASSERT_TRUE(other == value || (std::isnan(other) && std::isnan(value)))
        << found.getTypeString() << " at " << i << ": " << other << " is not "
        << value;
  }
}

void test::expectNoError(const StatusRecord &status) {
  EXPECT_EQ(status.getCode(), StatusCode::None)
      << formatStatus(status, "kernel");
}

//===----------------------------------------------------------------------===//
// Sets
//===----------------------------------------------------------------------===//

static std::string join(llvm::ArrayRef<int64_t> numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

std::string TestSet::getPacking() const {
  return "#sparseconv.packing<i" + std::to_string(keyWidth) +
         ", batch = " + std::to_string(batchBits) + ", bits = " + join(bits) +
         ", guard = " + join(std::vector<int64_t>(getDim(), kGuard)) + ">";
}

std::string TestSet::getType() const {
  return "!sparseconv.coords<" + std::to_string(getDim()) +
         ", stride = " + join(stride) + ", " + getPacking() + ">";
}

uint64_t TestSet::pack(llvm::ArrayRef<int64_t> point) const {
  uint64_t key = point[0];
  for (int64_t axis = 0; axis < getDim(); ++axis)
    key = (key << bits[axis]) +
          (point[axis + 1] + (int64_t(1) << (bits[axis] - 1)));
  return key;
}

bool TestSet::holds(llvm::ArrayRef<int64_t> point) const {
  if (point[0] < 0 || point[0] >= int64_t(1) << batchBits)
    return false;
  for (int64_t axis = 0; axis < getDim(); ++axis) {
    int64_t bias = int64_t(1) << (bits[axis] - 1);
    if (point[axis + 1] < -bias + kGuard || point[axis + 1] > bias - 1 - kGuard)
      return false;
  }
  return true;
}

HostTensor TestSet::getKeys(llvm::ArrayRef<std::vector<int64_t>> points) const {
  bool isWide = keyWidth == 64;
  HostTensor keys(isWide ? ElementKind::I64 : ElementKind::I32,
                  {int64_t(points.size())});
  for (auto [row, point] : llvm::enumerate(points)) {
    if (isWide)
      keys.as<uint64_t>()[row] = pack(point);
    else
      keys.as<uint32_t>()[row] = pack(point);
  }
  return keys;
}

std::vector<std::vector<int64_t>> TestSet::makePoints(std::mt19937 &random,
                                                      int64_t count,
                                                      int64_t batches,
                                                      int64_t extent) const {
  std::set<std::vector<int64_t>> points;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<int64_t> point{int64_t(random() % batches)};
    for (int64_t step : stride)
      point.push_back((int64_t(random() % extent) - extent / 2) * step);
    points.insert(std::move(point));
  }
  return {points.begin(), points.end()};
}
