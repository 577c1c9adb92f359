//===- KernelTraitsTest.cpp - what kernels do with memory -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Target/Plan/KernelTraits.h"
#include "Replay.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "sparseconv/Pipelines/LowerToGpu.h"
#include "sparseconv/Pipelines/Registration.h"
#include "sparseconv/Target/PTX/ToPtx.h"
#include "sparseconv/Target/Plan/TranslateToPlan.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::sparseconv;
using namespace mlir::sparseconv::test;
namespace plan = ::sparseconv::plan;

static void registerAll(MLIRContext &context) {
  DialectRegistry registry;
  registerDialects(registry);
  registerPtxTarget(registry);
  context.appendDialectRegistry(registry);
}

namespace {

class KernelTraitsTest : public ::testing::Test {
protected:
  KernelTraitsTest() { registerAll(context); }

  /// By parameter: r, w, rw, or - for nothing.
  std::vector<std::string> getAccesses(StringRef parameters, StringRef body) {
    std::string text = ("gpu.module @m {\n  gpu.func @k(" + parameters +
                        ") kernel {\n" + body + "\n    gpu.return\n  }\n}")
                           .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    std::vector<std::string> result;
    if (!module) {
      ADD_FAILURE() << "not MLIR: " << text;
      return result;
    }
    module->walk([&](gpu::GPUFuncOp kernel) {
      for (ParamAccess access : getKernelTraits(kernel).params)
        result.push_back(access.reads    ? access.writes ? "rw" : "r"
                         : access.writes ? "w"
                                         : "-");
    });
    return result;
  }

  /// What a kernel is thought to cost.
  int64_t getCost(StringRef body) {
    std::string text =
        ("gpu.module @m {\n  gpu.func @k(%a: vector<2xf16>, %x: f32, "
         "%v: vector<4xf32>, %s: f32) kernel {\n" +
         body + "\n    gpu.return\n  }\n}")
            .str();
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    int64_t cost = -1;
    if (module)
      module->walk(
          [&](gpu::GPUFuncOp kernel) { cost = getKernelTraits(kernel).cost; });
    return cost;
  }

  MLIRContext context;
};

using Accesses = std::vector<std::string>;

} // namespace

TEST_F(KernelTraitsTest, LoadsAndStores) {
  EXPECT_EQ(getAccesses("%a: memref<4xf32>, %b: memref<4xf32>, "
                        "%c: memref<4xf32>, %d: memref<4xf32>",
                        R"(
    %i = arith.constant 0 : index
    %x = memref.load %a[%i] : memref<4xf32>
    memref.store %x, %b[%i] : memref<4xf32>
    %y = memref.load %c[%i] : memref<4xf32>
    scf.for %j = %i to %i step %i {
      memref.store %y, %c[%j] : memref<4xf32>
    })"),
            (Accesses{"r", "w", "rw", "-"}));
}

TEST_F(KernelTraitsTest, Views) {
  EXPECT_EQ(getAccesses("%a: memref<f32>, %b: memref<f32>, %c: memref<?xf32>",
                        R"(
    %i = arith.constant 0 : index
    %n = memref.dim %c, %i : memref<?xf32>
    %p = memref.reinterpret_cast %a to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
    %q = memref.cast %p : memref<?xf32, strided<[1]>> to memref<?xf32>
    %s = memref.subview %q[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
    %x = vector.load %s[%i] : memref<?xf32, strided<[1]>>, vector<4xf32>
    %t = memref.reinterpret_cast %b to offset: [0], sizes: [%n], strides: [1] : memref<f32> to memref<?xf32, strided<[1]>>
    vector.store %x, %t[%i] : memref<?xf32, strided<[1]>>, vector<4xf32>)"),
            (Accesses{"r", "w", "-"}));
}

TEST_F(KernelTraitsTest, Atomics) {
  EXPECT_EQ(getAccesses("%a: memref<4xi32>, %b: !llvm.ptr<1>", R"(
    %i = arith.constant 0 : index
    %one = arith.constant 1 : i32
    %x = memref.atomic_rmw addi %one, %a[%i] : (i32, memref<4xi32>) -> i32
    %y = llvm.atomicrmw add %b, %one monotonic : !llvm.ptr<1>, i32)"),
            (Accesses{"rw", "rw"}));
}

TEST_F(KernelTraitsTest, Pointers) {
  EXPECT_EQ(getAccesses("%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, "
                        "%c: !llvm.ptr<1>, %d: !llvm.ptr<3>",
                        R"(
    %p = llvm.getelementptr %a[4] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i8
    %x = llvm.load %p invariant : !llvm.ptr<1> -> f32
    llvm.store %x, %b : f32, !llvm.ptr<1>
    nvvm.cp.async.shared.global %d, %c, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>)"),
            (Accesses{"r", "w", "r", "rw"}));
}

TEST_F(KernelTraitsTest, OneOfTwoPointers) {
  EXPECT_EQ(getAccesses("%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, "
                        "%c: !llvm.ptr<1>, %d: !llvm.ptr<1>, %i: i1",
                        R"(
    %p = arith.select %i, %a, %b : !llvm.ptr<1>
    %q = llvm.select %i, %c, %d : i1, !llvm.ptr<1>
    %x = llvm.load %p invariant : !llvm.ptr<1> -> f32
    llvm.store %x, %q : f32, !llvm.ptr<1>)"),
            (Accesses{"r", "r", "w", "w", "rw"}));
}

TEST_F(KernelTraitsTest, PointersThatGoElsewhere) {
  // One is stored, one becomes a number, and one goes round a loop.
  EXPECT_EQ(getAccesses("%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, "
                        "%c: !llvm.ptr<1>, %d: !llvm.ptr<1>",
                        R"(
    %i = arith.constant 0 : index
    llvm.store %a, %b : !llvm.ptr<1>, !llvm.ptr<1>
    %n = llvm.ptrtoint %c : !llvm.ptr<1> to i64
    %e = scf.for %j = %i to %i step %i iter_args(%q = %d) -> (!llvm.ptr<1>) {
      scf.yield %q : !llvm.ptr<1>
    })"),
            (Accesses{"rw", "w", "rw", "rw"}));
}

TEST_F(KernelTraitsTest, Assembly) {
  EXPECT_EQ(getAccesses("%a: !llvm.ptr<1>, %b: !llvm.ptr<1>", R"(
    %x = llvm.inline_asm has_side_effects {sparseconv.load} "ld.global.nc.b32 $0, [$1];", "=r,l" %a : (!llvm.ptr<1>) -> i32
    %y = llvm.inline_asm has_side_effects "ld.global.nc.b32 $0, [$1];", "=r,l" %b : (!llvm.ptr<1>) -> i32)"),
            (Accesses{"r", "rw"}));
}

// What multiplies matrices is expected to take longer than what moves rows.
TEST_F(KernelTraitsTest, Costs) {
  int64_t simple = getCost("%y = arith.addf %x, %x : f32");
  int64_t product = getCost("%y = math.fma %x, %x, %x : f32");
  EXPECT_GT(simple, 0);
  EXPECT_GT(product, simple);
  for (StringRef body :
       {"%y = vector.fma %v, %v, %v : vector<4xf32>",
        "nvvm.wgmma.fence.aligned",
        "%d = nvvm.mma.sync A[%a, %a] B[%a] C[%a, %a] "
        "{layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, "
        "shape = #nvvm.shape<m = 16, n = 8, k = 8>} : (vector<2xf16>, "
        "vector<2xf16>, vector<2xf16>) -> "
        "!llvm.struct<(vector<2xf16>, vector<2xf16>)>"})
    EXPECT_EQ(getCost(body), product) << body.str();
}

/// A network for a chip in several streams: no two of its steps race, memory is
/// shared by those alone who come one after the other, and the streams are
/// worth it. So it is, too, where weights have been packed ahead of the run.
class NetworkTest
    : public ::testing::TestWithParam<std::pair<const char *, const char *>> {
protected:
  NetworkTest() { registerAll(context); }

  MLIRContext context;
};

TEST_P(NetworkTest, HasNoRaces) {
  auto [network, chip] = GetParam();
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(
      std::string(SPARSECONV_NETWORKS "/") + network + ".mlir", &context);
  ASSERT_TRUE(module);
  PassManager pm(&context);
  LowerToGpuOptions options;
  options.target = std::string("cuda:") + chip;
  buildLowerToGpuPipeline(pm, options);
  ASSERT_TRUE(succeeded(pm.run(*module)));
  llvm::StringMap<KernelTraits> traits;
  module->walk([&](gpu::GPUFuncOp kernel) {
    traits[kernel.getName()] = getKernelTraits(kernel);
  });
  FailureOr<plan::Plan> program = translateToPlan(*module, StringRef(chip), 1);
  FailureOr<plan::Plan> scheduled =
      translateToPlan(*module, StringRef(chip), 4);
  ASSERT_TRUE(succeeded(program) && succeeded(scheduled));
  const plan::Function &before = program->functions.front();
  plan::Function &after = scheduled->functions.front();
  // Kernels are numbered in the order of their launches.
  std::vector<KernelTraits> kernels;
  llvm::StringMap<uint32_t> numbers;
  for (const plan::Kernel &kernel : program->kernels) {
    numbers[kernel.name] = kernels.size();
    kernels.push_back(traits[kernel.name]);
  }
  for (plan::Step &step : after.steps)
    step.kernel = numbers[scheduled->kernels[step.kernel].name];
  EXPECT_EQ(before.numStreams, 1u);
  EXPECT_EQ(after.numStreams, 4u);
  for (Part part : allParts)
    EXPECT_EQ(findRace(before, after, kernels, part), "");

  plan::Capacities capacities;
  for (const plan::Value &input : before.inputs) {
    std::vector<int64_t> &sizes = capacities.inputs.emplace_back();
    for (const plan::Dim &dim : input.dims)
      sizes.push_back(dim.size == plan::kDynamic ? 91767 : dim.size);
  }
  auto getLayout = [&](const plan::Function &function, Part part) {
    std::vector<bool> isPrepared;
    for (const plan::Step &step : function.steps)
      isPrepared.push_back(part == Part::Unprepared && step.prepares);
    plan::Phase phase = part == Part::Counts ? plan::Phase::Counts
                        : part == Part::Rest ? plan::Phase::Rest
                                             : plan::Phase::Whole;
    std::string error;
    std::optional<plan::Layout> layout =
        plan::layOut(function, plan::Schedule(function, isPrepared, phase),
                     capacities, error);
    EXPECT_TRUE(layout) << error;
    EXPECT_EQ(layout ? findSharedMemory(function, *layout, part) : "", "");
    return layout ? layout->arenaBytes : 0;
  };
  int64_t bytesBefore = getLayout(before, Part::All),
          bytesAfter = getLayout(after, Part::All);
  getLayout(after, Part::Unprepared);
  // What is counted first takes little of all memory.
  EXPECT_LT(getLayout(after, Part::Counts), bytesAfter / 4);
  getLayout(after, Part::Rest);
  RecordProperty("arena of one stream", std::to_string(bytesBefore));
  RecordProperty("arena of four streams", std::to_string(bytesAfter));
  EXPECT_LT(bytesAfter, bytesBefore * 2);
  EXPECT_EQ(getLongestChain(before), before.steps.size());
  EXPECT_LT(getLongestChain(after), before.steps.size() * 3 / 4);
}

INSTANTIATE_TEST_SUITE_P(Chips, NetworkTest,
                         ::testing::Values(std::pair("minkunet42", "sm_80"),
                                           std::pair("minkunet42", "sm_90a"),
                                           std::pair("second", "sm_90a")));
