//===- KernelHarness.h - runs kernel operations in unit tests ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A test writes a module of functions on buffers that hold kernel operations,
// compiles it through convert-sparseconv-kernels-to-loops and LLVM's JIT, and
// calls the functions on arrays:
//
//   Kernel kernel("func.func @f(%x: memref<?xf32>, %n: index) { ... }");
//   Array<float> x({5});
//   kernel.run("f", x, int64_t(3));
//
// Functions are called with their memref arguments in identity layout. Fresh
// memory of compiled code holds a pattern of NaNs (see CpuRuntime.h), and so do
// the elements around each array, which run() checks afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TEST_UNIT_KERNELS_KERNELHARNESS_H
#define SPARSECONV_TEST_UNIT_KERNELS_KERNELHARNESS_H

#include "sparseconv/Support/Status.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cassert>
#include <gtest/gtest.h>
#include <memory>
#include <vector>

namespace mlir::sparseconv::test {

/// An argument of a compiled function: a memref descriptor.
class ArrayBase {
public:
  virtual ~ArrayBase() = default;
  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  int64_t size() const {
    int64_t product = 1;
    for (int64_t extent : shape)
      product *= extent;
    return product;
  }
  /// The descriptor, written anew: pointers, offset, sizes, strides.
  void *describe();
  /// Whether the elements around the array are as they were made.
  virtual bool isFenceIntact() const = 0;

protected:
  explicit ArrayBase(llvm::ArrayRef<int64_t> shape)
      : shape(shape.begin(), shape.end()) {}
  virtual void *getPointer() = 0;

private:
  llvm::SmallVector<int64_t> shape;
  llvm::SmallVector<int64_t> descriptor;
};

/// A dense array, row-major, aligned to 64 bytes. `T` is the element as memory
/// holds it: uint8_t for i1, int64_t for index, uint16_t for bf16. Elements
/// start as a NaN of every float type, 0x7FED in each 16-bit half.
template <typename T> class Array : public ArrayBase {
public:
  explicit Array(llvm::ArrayRef<int64_t> shape)
      : ArrayBase(shape), count(size()),
        storage(std::make_unique<Line[]>(getNumLines())) {
    auto *words = reinterpret_cast<uint16_t *>(storage.get());
    std::fill_n(words, getNumLines() * static_cast<int64_t>(sizeof(Line) / 2),
                kPattern);
  }
  Array(llvm::ArrayRef<int64_t> shape, const std::vector<T> &values)
      : Array(shape) {
    assert(static_cast<int64_t>(values.size()) == count);
    std::copy(values.begin(), values.end(), begin());
  }
  /// One dimension, as long as `values`.
  static Array of(const std::vector<T> &values) {
    return Array({static_cast<int64_t>(values.size())}, values);
  }

  T *begin() { return reinterpret_cast<T *>(storage.get() + 1); }
  T *end() { return begin() + count; }
  const T *begin() const {
    return reinterpret_cast<const T *>(storage.get() + 1);
  }
  const T *end() const { return begin() + count; }
  T &operator[](int64_t i) { return begin()[i]; }
  const T &operator[](int64_t i) const { return begin()[i]; }
  /// Of two dimensions.
  T &operator()(int64_t row, int64_t column) {
    return begin()[row * getShape()[1] + column];
  }
  const T &operator()(int64_t row, int64_t column) const {
    return begin()[row * getShape()[1] + column];
  }
  void fill(T value) { std::fill(begin(), end(), value); }
  /// The first `n` elements (by default all).
  std::vector<T> toVector(int64_t n = -1) const {
    return std::vector<T>(begin(), n < 0 ? end() : begin() + n);
  }

  bool isFenceIntact() const override {
    constexpr int64_t kLineWords = sizeof(Line) / 2;
    auto *words = reinterpret_cast<const uint16_t *>(storage.get());
    // From the first whole word behind the array on.
    int64_t after =
        kLineWords + (count * static_cast<int64_t>(sizeof(T)) + 1) / 2;
    auto isPattern = [](uint16_t word) { return word == kPattern; };
    return std::all_of(words, words + kLineWords, isPattern) &&
           std::all_of(words + after, words + getNumLines() * kLineWords,
                       isPattern);
  }

private:
  struct alignas(64) Line {
    char bytes[64];
  };
  static constexpr uint16_t kPattern = 0x7FED;

  void *getPointer() override { return begin(); }
  int64_t getNumLines() const {
    return (count * static_cast<int64_t>(sizeof(T)) + 63) / 64 + 2;
  }

  int64_t count;
  std::unique_ptr<Line[]> storage;
};

/// The status argument of kernels: memref<8xi64>.
class StatusArray : public Array<int64_t> {
public:
  StatusArray() : Array({8}) { fill(0); }
  ::sparseconv::StatusRecord get() const;
};

enum class Threads { Sequential, OpenMP };

/// A compiled module of functions on buffers.
class Kernel {
public:
  /// Compiles `ir`; a failure becomes a failure of the test. With OpenMP,
  /// parallel loops run on the threads that omp_set_num_threads() allows.
  explicit Kernel(llvm::StringRef ir, Threads threads = Threads::Sequential);
  Kernel(Kernel &&);
  ~Kernel();

  /// Calls `function` with arrays, and with scalars of the exact type: int64_t
  /// for index and i64, int32_t for i32, float for f32.
  template <typename... Args>
  void run(llvm::StringRef function, Args &&...args) {
    llvm::SmallVector<void *> packed;
    llvm::SmallVector<void *> descriptors;
    descriptors.reserve(sizeof...(Args));
    (pack(packed, descriptors, args), ...);
    call(function, packed);
    (checkFence(function, args), ...);
  }

private:
  struct Impl;

  template <typename T>
  static void pack(llvm::SmallVectorImpl<void *> &packed,
                   llvm::SmallVectorImpl<void *> &descriptors, T &argument) {
    if constexpr (std::is_base_of_v<ArrayBase, T>) {
      descriptors.push_back(argument.describe());
      packed.push_back(static_cast<void *>(&descriptors.back()));
    } else {
      static_assert(std::is_arithmetic_v<T>);
      packed.push_back(&argument);
    }
  }
  template <typename T>
  static void checkFence(llvm::StringRef function, const T &argument) {
    if constexpr (std::is_base_of_v<ArrayBase, T>)
      EXPECT_TRUE(argument.isFenceIntact())
          << function.str() << " wrote around one of its arguments";
  }
  void call(llvm::StringRef function, llvm::SmallVectorImpl<void *> &args);

  std::unique_ptr<Impl> impl;
};

} // namespace mlir::sparseconv::test

#endif // SPARSECONV_TEST_UNIT_KERNELS_KERNELHARNESS_H
