//===- MemoryTest.cpp - tensors and sets that there is no memory for ------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// With 40 MiB of address space left, each operation asks for more, for its
// result or for what it needs on the way.
//
//===----------------------------------------------------------------------===//

#include "Helpers.h"
#include <cstdio>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::test;

namespace {
/// While it lives, the process gets at most `bytes` more.
class AddressSpace {
public:
  explicit AddressSpace(size_t bytes) {
    // What is freed goes back to the system, so that it does not count.
    mallopt(M_MMAP_THRESHOLD, 1 << 16);
    malloc_trim(0);
    getrlimit(RLIMIT_AS, &before);
    size_t pages = 0;
    std::FILE *file = std::fopen("/proc/self/statm", "r");
    if (file && std::fscanf(file, "%zu", &pages) != 1)
      pages = 0;
    if (file)
      std::fclose(file);
    rlimit limit = before;
    limit.rlim_cur = pages * sysconf(_SC_PAGESIZE) + bytes;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~AddressSpace() { setrlimit(RLIMIT_AS, &before); }
  AddressSpace(const AddressSpace &) = delete;

private:
  rlimit before;
};
} // namespace

static constexpr const char *kPrelude = R"mlir(
  #p = #sparseconv.packing<i64, batch = 8, bits = [16, 16, 16], guard = [128, 128, 128]>
  !set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
  !coarse = !sparseconv.coords<3, stride = [100, 100, 100], #p>
  !map = !sparseconv.kernel_map<1, !set to !set>
  !wide = !sparseconv.kernel_map<1030301, !set to !set>
  func.func @f(%million: index, %x: tensor<?x1xf32>, %rows: tensor<?xi32>, %at: tensor<?x4xf32>) {
    %one = arith.constant 1.0 : f32
    %c0 = arith.constant 0 : index
    %c3 = arith.constant 3 : index
    %some = arith.muli %million, %c3 : index
    %origin = arith.constant dense<0> : tensor<1x4xi32>
    %c, %order, %row_of = sparseconv.pack %origin : tensor<1x4xi32> -> !set
    %m = sparseconv.kernel_map %c to %c offsets(box<1, 1, 1>) : !map
)mlir";

/// 24 MB as the reference holds them: of two, one has no place.
static constexpr const char *kColumn =
    "%column = tensor.splat %one[%some] : tensor<?x1xf32>\n";
static constexpr const char *kRow =
    "%row = tensor.splat %one : tensor<1x3000000xf32>\n";

/// The error of `ops` with little memory.
static std::string runShort(const std::string &ops) {
  std::string text = kPrelude + ops + "\nreturn\n}";
  std::vector<HostTensor> args = {makeIndex(1000000), makeF32({1, 1}, {1}),
                                  makeI32({1}, {0}),
                                  makeF32({1, 4}, {0, 0, 0, 0})};
  AddressSpace space(40 << 20);
  return runToError(text, args);
}

/// `ops` end in an error of `op`.
static void expectShort(const std::string &op, const std::string &ops) {
  std::string error = runShort(ops);
  EXPECT_NE(error.find(": " + op + ": out of memory: cannot allocate "),
            std::string::npos)
      << op << ": " << error;
}

class Memory : public testing::Test {
  void SetUp() override {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    GTEST_SKIP() << "a sanitizer needs address space of its own";
#endif
#endif
    // Threads get their stacks before memory is short.
    EXPECT_EQ(runToError("func.func @f(%x: tensor<?xf32>) {\n"
                         "%y = arith.addf %x, %x : tensor<?xf32>\nreturn\n}",
                         {HostTensor(ElementKind::F32, {1 << 20})}),
              "no error");
  }
};

TEST_F(Memory, SmallProgramsHaveEnough) {
  EXPECT_EQ(runShort(kColumn), "no error");
  EXPECT_EQ(runShort(kRow), "no error");
}

TEST_F(Memory, Sets) {
  expectShort("sparseconv.expand",
              "%e = sparseconv.expand %c offsets(box<101, 101, 101>) : !set");
  expectShort("sparseconv.upsample", R"(
    %coarse, %o, %r = sparseconv.pack %origin : tensor<1x4xi32> -> !coarse
    %e = sparseconv.upsample %coarse by [100, 100, 100] : !coarse -> !set)");
  expectShort("sparseconv.pack", R"(
    %zero = arith.constant 0 : i32
    %many = tensor.splat %zero[%million] : tensor<?x4xi32>
    %p, %o, %r = sparseconv.pack %many : tensor<?x4xi32> -> !set)");
}

TEST_F(Memory, Pools) {
  std::string set = kRow;
  expectShort("sparseconv.pool", set + R"(
    %y = sparseconv.pool max %row, %m : tensor<1x3000000xf32>, !map -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.unpool", set + R"(
    %y = sparseconv.unpool %row, %m : tensor<1x3000000xf32>, !map -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.pool_grad", set + R"(
    %y = sparseconv.pool_grad sum %row, %m : tensor<1x3000000xf32>, !map -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.global_pool", R"(
    %y = sparseconv.global_pool sum %x, %c batch(%some) : tensor<?x1xf32>, !set -> tensor<?x1xf32>)");
  expectShort("sparseconv.global_pool_grad", std::string(kColumn) + R"(
    %y = sparseconv.global_pool_grad sum %column, %c : tensor<?x1xf32>, !set -> tensor<?x1xf32>)");
}

TEST_F(Memory, Rows) {
  std::string row = kRow;
  expectShort("sparseconv.scatter", R"(
    %y = sparseconv.scatter %x, %rows into %some : tensor<?x1xf32>, tensor<?xi32> -> tensor<?x1xf32>)");
  expectShort("sparseconv.gather", row + R"(
    %y = sparseconv.gather %row, %rows : tensor<1x3000000xf32>, tensor<?xi32> -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.to_dense", R"(
    %y = sparseconv.to_dense %x, %c origin [0, 0, 0] : tensor<?x1xf32>, !set -> tensor<1x200x200x200x1xf32>)");
  expectShort("sparseconv.voxelise", row + R"(
    %y = sparseconv.voxelise nearest avg %row, %at, %c : tensor<1x3000000xf32>, tensor<?x4xf32>, !set -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.devoxelise", row + R"(
    %y = sparseconv.devoxelise nearest %row, %at, %c : tensor<1x3000000xf32>, tensor<?x4xf32>, !set -> tensor<?x3000000xf32>)");
}

TEST_F(Memory, Convolutions) {
  expectShort("sparseconv.conv", R"(
    %w = tensor.splat %one : tensor<1x1x3000000xf32>
    %y = sparseconv.conv %x, %w, %m : tensor<?x1xf32>, tensor<1x1x3000000xf32>, !map -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.input_grad", R"(
    %w = tensor.splat %one : tensor<1x3000000x1xf32>
    %y = sparseconv.input_grad %x, %w, %m : tensor<?x1xf32>, tensor<1x3000000x1xf32>, !map -> tensor<?x3000000xf32>)");
  expectShort("sparseconv.weight_grad", R"(
    %thin = tensor.splat %one : tensor<1x3000xf32>
    %y = sparseconv.weight_grad %thin, %thin, %m : tensor<1x3000xf32>, tensor<1x3000xf32>, !map -> tensor<1x3000x3000xf32>)");
  expectShort("sparseconv.neighbour_table", R"(
    %wide = sparseconv.kernel_map %c to %c offsets(box<101, 101, 101>) : !wide
    %spare = tensor.splat %one[%some] : tensor<?xf32>
    %more = tensor.splat %one[%million] : tensor<?xf32>
    %t = sparseconv.neighbour_table %wide : !wide -> tensor<?x1030301xi32>
    %n = tensor.dim %spare, %c0 : tensor<?xf32>
    %l = tensor.dim %more, %c0 : tensor<?xf32>)");
}

TEST_F(Memory, Tensors) {
  std::string column = kColumn;
  expectShort("tensor.concat", R"(
    %part = tensor.splat %one[%million] : tensor<?x1xf32>
    %y = tensor.concat dim(0) %part, %part, %part, %part, %part, %part
        : (tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>) -> tensor<?x1xf32>)");
  expectShort("tensor.extract_slice", R"(
    %y = tensor.extract_slice %x[0, 0] [%some, 1] [0, 1] : tensor<?x1xf32> to tensor<?x1xf32>)");
  expectShort("tensor.insert_slice", column + R"(
    %part = tensor.splat %one : tensor<1x1xf32>
    %y = tensor.insert_slice %part into %column[0, 0] [1, 1] [1, 1] : tensor<1x1xf32> into tensor<?x1xf32>)");
  expectShort("tensor.insert", column + R"(
    %y = tensor.insert %one into %column[%c0, %c0] : tensor<?x1xf32>)");
  expectShort("arith.addf", column + R"(
    %y = arith.addf %column, %column : tensor<?x1xf32>)");
  expectShort("linalg.fill", column + R"(
    %y = linalg.fill ins(%one : f32) outs(%column : tensor<?x1xf32>) -> tensor<?x1xf32>)");
}

TEST_F(Memory, Results) {
  std::string text = R"(
    func.func @f(%n: index) -> tensor<?xf64> {
      %one = arith.constant 1.0 : f64
      %column = tensor.splat %one[%n] : tensor<?xf64>
      return %column : tensor<?xf64>
    })";
  AddressSpace space(40 << 20);
  std::string error = runToError(text, {makeIndex(3000000)});
  EXPECT_EQ(error.find("result 0: tensor<3000000xf64>: out of memory: cannot "
                       "allocate 24000000 bytes"),
            0u)
      << error;
}

/// Sizes whose product, or whose last index, passes 2^63.
TEST(Overflow, Sizes) {
  auto run = [](const std::string &ops, int64_t n) {
    return runToError("func.func @f(%n: index, %x: tensor<?xf32>) {\n" + ops +
                          "\nreturn\n}",
                      {makeIndex(n), makeF32({4}, {1, 2, 3, 4})});
  };
  int64_t far = int64_t(1) << 62;
  EXPECT_EQ(run("%y = tensor.extract_slice %x[1] [%n] [4] : tensor<?xf32> to "
                "tensor<?xf32>",
                far + 1),
            "test.mlir:2:6: tensor.extract_slice: index 9223372036854775807 on "
            "axis 0 is outside a size of 4");
  EXPECT_EQ(run("%y = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : "
                "tensor<?xf32> into tensor<?x2xf32>",
                far + 2),
            "test.mlir:2:6: tensor.expand_shape: operand 0 has size "
            "4611686018427387906 on axis 0, expected 2");
  EXPECT_EQ(run("%e = tensor.empty(%n) : tensor<?x0xf32>\n%y = tensor.concat "
                "dim(0) %e, %e : (tensor<?x0xf32>, tensor<?x0xf32>) -> "
                "tensor<?x0xf32>",
                far),
            "test.mlir:3:6: tensor.concat: the sizes on axis 0 pass 2^63");
}
