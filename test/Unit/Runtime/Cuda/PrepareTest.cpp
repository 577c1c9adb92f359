//===- PrepareTest.cpp - what is done once, ahead of runs -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "RuntimeTest.h"
#include <algorithm>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
using Floats = std::vector<float>;

/// Puts a step "pack" in front, which adds 1 to each of four weights, and
/// returns the number of the buffer that it writes. The weights are a constant,
/// or the input "w".
uint32_t addPreparation(plan::Plan &plan, bool isInput) {
  plan::Function &function = plan.functions[0];
  plan::Buffer weights, packed;
  weights.name = "weights";
  weights.bytes = packed.bytes = plan::SizeExpr::constant(16);
  if (isInput) {
    plan::Dim four;
    four.size = 4;
    weights.kind = plan::Buffer::Kind::Input;
    weights.index = function.inputs.size();
    function.inputs.push_back({"w", plan::ElementType::F32, {four}});
  } else {
    weights.kind = plan::Buffer::Kind::Constant;
    weights.index = plan.addConstant("weights", std::string(16, 0));
  }
  packed.name = "packed";
  packed.kind = plan::Buffer::Kind::Prepared;
  uint32_t number = function.buffers.size();
  function.buffers.push_back(weights);
  function.buffers.push_back(packed);
  for (plan::Step &step : function.steps)
    for (uint32_t &dependency : step.dependencies)
      ++dependency;
  function.steps[0].dependencies.push_back(0);
  plan::Step pack;
  pack.kernel = plan.kernels.size();
  pack.prepares = true;
  pack.params = {plan::Param::buffer(number), plan::Param::buffer(number + 1)};
  // Another stream waits for it.
  pack.stream = function.numStreams - 1;
  plan.kernels.push_back({"pack", 0, 0, 0});
  function.steps.insert(function.steps.begin(), pack);
  plan::setLifetimes(function);
  return number + 1;
}

class Prepare : public RuntimeTest {
protected:
  /// The sample, whose weights are packed. They are 0 and so become 1 where
  /// they are a constant.
  int createPacked(bool isInput, uint32_t streams = 1, uint32_t flags = 0) {
    addKernel();
    plan::Plan plan = makeSamplePlan(streams);
    uint32_t packed = addPreparation(plan, isInput);
    plan.functions[0].steps[1].params[1].index = packed;
    plan::setLifetimes(plan.functions[0]);
    return create(plan, 100, flags);
  }

  void addKernel() {
    fake().kernels["pack"] = {{8, 8}, [this](const FakeLaunch &l) {
                                ++numPacks;
                                for (int c = 0; c != 4; ++c)
                                  l.pointer<float>(1)[c] =
                                      l.pointer<float>(0)[c] + 1;
                              }};
  }

  static Floats compute(const Floats &x, const Floats &weights) {
    Floats y;
    for (size_t i = 0; i < x.size(); i += 4)
      for (int c = 0; c != 4 && x[i] + weights[0] + 1 >= 0; ++c)
        y.push_back(x[i + c] + weights[c] + 1);
    return y;
  }

  static sparseconv_tensor makeWeights(void *data) {
    static const int64_t four = 4;
    return {data, SPARSECONV_F32, 1, &four, 16};
  }

  /// `weights` on the fake device, or null for none.
  int bind(CUdeviceptr weights) {
    sparseconv_tensor inputs[] = {makeTensor(nullptr, nullptr, 0),
                                  makeWeights(toPointer(weights))};
    return sparseconv_instance_bind(instance, nullptr, inputs, 2);
  }

  CUdeviceptr allocate(const Floats &values) {
    CUdeviceptr address = 0;
    EXPECT_EQ(FakeDriver::getTable().cuMemAllocFromPoolAsync(
                  &address, values.size() * 4, nullptr, nullptr),
              CUDA_SUCCESS);
    fill(address, values);
    return address;
  }
  void fill(CUdeviceptr address, const Floats &values) {
    fake().drain();
    std::copy(values.begin(), values.end(),
              static_cast<float *>(toPointer(address)));
  }
  void free(CUdeviceptr address) {
    FakeDriver::getTable().cuMemFreeAsync(address, nullptr);
  }

  int runWith(const Floats &x, void *weights) {
    int64_t sizes[] = {int64_t(x.size()) / 4, 4};
    sparseconv_tensor inputs[] = {
        makeTensor(const_cast<float *>(x.data()), sizes, x.size() * 4),
        makeWeights(weights)};
    return sparseconv_instance_run_host(instance, inputs, 2);
  }

  int numPacks = 0;
};
} // namespace

TEST_F(Prepare, ConstantsArePackedOnce) {
  for (uint32_t streams : {1, 2})
    for (uint32_t flags : {0u, uint32_t(SPARSECONV_POISON)}) {
      numPacks = 0;
      ASSERT_EQ(createPacked(/*isInput=*/false, streams, flags), SPARSECONV_OK)
          << sparseconv_last_error();
      EXPECT_EQ(numPacks, 1);
      for (size_t rows : {50, 0, 100}) {
        Floats x = makeInput(rows, rows);
        ASSERT_EQ(runHost(x), SPARSECONV_OK) << sparseconv_last_error();
        EXPECT_EQ(readOutput(), compute(x, Floats(4)));
      }
      ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
                SPARSECONV_OK)
          << sparseconv_last_error();
      Floats x = makeInput(20);
      int64_t sizes[] = {20, 4};
      sparseconv_tensor input = makeTensor(nullptr, sizes, 320);
      ASSERT_EQ(runHost(x), SPARSECONV_OK);
      ASSERT_EQ(sparseconv_instance_replay(instance, nullptr, &input, 1),
                SPARSECONV_OK);
      ASSERT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
      EXPECT_EQ(readOutput(), compute(x, Floats(4)));
      EXPECT_EQ(numPacks, 1);
      destroy();
    }
}

TEST_F(Prepare, WhatIsNotBoundIsPackedInEveryRun) {
  ASSERT_EQ(createPacked(/*isInput=*/true, 2, SPARSECONV_POISON),
            SPARSECONV_OK);
  EXPECT_EQ(numPacks, 0);
  for (int i = 1; i != 4; ++i) {
    Floats x = makeInput(30, i), weights = {float(i), 0, 2, 3};
    ASSERT_EQ(runWith(x, weights.data()), SPARSECONV_OK)
        << sparseconv_last_error();
    EXPECT_EQ(readOutput(), compute(x, weights));
    EXPECT_EQ(numPacks, i);
  }
}

TEST_F(Prepare, WeightsAreBoundAndBoundAgain) {
  for (uint32_t streams : {1, 2}) {
    numPacks = 0;
    ASSERT_EQ(createPacked(/*isInput=*/true, streams, SPARSECONV_POISON),
              SPARSECONV_OK);
    Floats x = makeInput(30), old = {1, 2, 3, 4}, next = {5, 6, 7, 8};
    CUdeviceptr weights = allocate(old);
    ASSERT_EQ(bind(weights), SPARSECONV_OK) << sparseconv_last_error();
    for (int i = 0; i != 3; ++i) {
      ASSERT_EQ(runWith(x, nullptr), SPARSECONV_OK) << sparseconv_last_error();
      EXPECT_EQ(readOutput(), compute(x, old));
    }
    EXPECT_EQ(numPacks, 1);
    // Who changes weights says so.
    fill(weights, next);
    ASSERT_EQ(runWith(x, nullptr), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), compute(x, old));
    ASSERT_EQ(bind(weights), SPARSECONV_OK);
    ASSERT_EQ(runWith(x, nullptr), SPARSECONV_OK);
    EXPECT_EQ(readOutput(), compute(x, next));
    EXPECT_EQ(numPacks, 2);
    // Each run says again.
    ASSERT_EQ(sparseconv_instance_bind(instance, nullptr, nullptr, 0),
              SPARSECONV_OK);
    ASSERT_EQ(runWith(x, old.data()), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), compute(x, old));
    EXPECT_EQ(numPacks, 3);
    free(weights);
    destroy();
  }
}

TEST_F(Prepare, GraphsFollowWhatIsBound) {
  ASSERT_EQ(createPacked(/*isInput=*/true, 2), SPARSECONV_OK);
  Floats x = makeInput(30), first = {1, 2, 3, 4}, second = {5, 6, 7, 8};
  CUdeviceptr a = allocate(first), b = allocate(second);
  ASSERT_EQ(bind(a), SPARSECONV_OK);
  ASSERT_EQ(runWith(x, nullptr), SPARSECONV_OK); // brings x
  ASSERT_EQ(sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0),
            SPARSECONV_OK);
  int64_t sizes[] = {30, 4};
  sparseconv_tensor inputs[] = {makeTensor(nullptr, sizes, 480),
                                makeWeights(nullptr)};
  auto replay = [&] {
    EXPECT_EQ(sparseconv_instance_replay(instance, nullptr, inputs, 2),
              SPARSECONV_OK)
        << sparseconv_last_error();
    EXPECT_EQ(sparseconv_instance_results(instance, 1), SPARSECONV_OK);
    return readOutput();
  };
  EXPECT_EQ(replay(), compute(x, first));
  ASSERT_EQ(bind(b), SPARSECONV_OK);
  EXPECT_EQ(replay(), compute(x, second));
  EXPECT_EQ(numPacks, 2);
  free(a);
  free(b);
}

TEST_F(Prepare, IsDoneAgainWhereMemoryHasGrown) {
  addGrowingKernels(fake());
  addKernel();
  plan::Plan plan = makeGrowingPlan();
  addPreparation(plan, /*isInput=*/false);
  ASSERT_EQ(create(plan, 20), SPARSECONV_OK) << sparseconv_last_error();
  EXPECT_EQ(numPacks, 1);
  int64_t capacities[] = {50, 60};
  ASSERT_EQ(sparseconv_instance_reserve(instance, capacities, 2),
            SPARSECONV_OK);
  EXPECT_EQ(numPacks, 2);
}

TEST_F(Prepare, MemoryOfItsOwnStaysAsItIs) {
  ASSERT_EQ(createPacked(/*isInput=*/true, 1, SPARSECONV_POISON),
            SPARSECONV_OK);
  void *data = nullptr;
  uint64_t bytes = 0;
  ASSERT_EQ(sparseconv_instance_input_buffer(instance, 1, &data, &bytes),
            SPARSECONV_OK);
  Floats x = makeInput(30), values = {1, 2, 3, 4};
  auto *weights = static_cast<float *>(data);
  fake().drain();
  std::copy(values.begin(), values.end(), weights);
  ASSERT_EQ(bind(reinterpret_cast<uintptr_t>(data)), SPARSECONV_OK);
  for (int i = 0; i != 2; ++i) {
    ASSERT_EQ(runWith(x, nullptr), SPARSECONV_OK) << sparseconv_last_error();
    EXPECT_EQ(readOutput(), compute(x, values));
    EXPECT_EQ(Floats(weights, weights + 4), values);
  }
}

TEST_F(Prepare, RefusesWhatCannotBeBound) {
  ASSERT_EQ(createPacked(/*isInput=*/true), SPARSECONV_OK);
  CUdeviceptr weights = allocate(Floats(8));
  int64_t sizes[] = {1, 4};
  sparseconv_tensor inputs[] = {makeTensor(toPointer(weights), sizes, 12),
                                makeWeights(toPointer(weights))};
  auto refuse = [&](const char *text) {
    EXPECT_EQ(sparseconv_instance_bind(instance, nullptr, inputs, 2),
              SPARSECONV_INVALID_ARGUMENT);
    EXPECT_STREQ(sparseconv_last_error(), text);
  };
  refuse("function 'main': input 'x' needs 16 bytes, the tensor has 12");
  inputs[0].data = nullptr;
  inputs[1].bytes = 12;
  refuse("function 'main': input 'w' needs 16 bytes, the tensor has 12");
  inputs[1].type = SPARSECONV_I32;
  refuse("function 'main': input 'w' is f32, the tensor is i32");
  EXPECT_EQ(sparseconv_instance_bind(instance, nullptr, inputs, 1),
            SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(sparseconv_instance_bind(nullptr, nullptr, inputs, 2),
            SPARSECONV_INVALID_ARGUMENT);
  // A run may not bring other data than what is bound.
  ASSERT_EQ(bind(weights), SPARSECONV_OK);
  Floats other(4);
  EXPECT_EQ(runWith(makeInput(3), other.data()), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': input 'w' is bound to other memory");
  free(weights);
}

TEST_F(Prepare, BindingWaitsForTheRunBefore) {
  // Which may read on any stream what is packed and freed now.
  ASSERT_EQ(createPacked(/*isInput=*/true), SPARSECONV_OK);
  CUdeviceptr x = allocate(makeInput(3)), weights = allocate({1, 2, 3, 4});
  int64_t sizes[] = {3, 4};
  sparseconv_tensor inputs[] = {makeTensor(toPointer(x), sizes, 48),
                                makeWeights(toPointer(weights))};
  ASSERT_EQ(sparseconv_instance_run(instance, nullptr, inputs, 2, nullptr, 0),
            SPARSECONV_OK)
      << sparseconv_last_error();
  fake().calls.clear();
  ASSERT_EQ(bind(weights), SPARSECONV_OK) << sparseconv_last_error();
  auto find = [&](const char *name) {
    return std::find(fake().calls.begin(), fake().calls.end(), name);
  };
  ASSERT_NE(find("cuEventSynchronize"), fake().calls.end());
  EXPECT_LT(find("cuEventSynchronize"), find("cuMemFreeAsync"));
  EXPECT_LT(find("cuEventSynchronize"), find("cuLaunchKernel"));
  free(x);
  free(weights);
}

TEST_F(Prepare, NothingIsBoundWhereItFails) {
  ASSERT_EQ(createPacked(/*isInput=*/true), SPARSECONV_OK);
  Floats x = makeInput(30), values = {1, 2, 3, 4};
  CUdeviceptr weights = allocate(values);
  for (const char *name : {"cuLaunchKernel", "cuMemAllocFromPoolAsync"}) {
    fake().failName = name;
    EXPECT_NE(bind(weights), SPARSECONV_OK) << name;
    ASSERT_EQ(runWith(x, values.data()), SPARSECONV_OK)
        << sparseconv_last_error();
    EXPECT_EQ(readOutput(), compute(x, values));
  }
  free(weights);
}

TEST_F(Prepare, RefusesPlansThatPrepareTooMuch) {
  auto refuse = [&](void (*change)(plan::Function &, uint32_t)) {
    plan::Plan plan = makeSamplePlan();
    uint32_t packed = addPreparation(plan, /*isInput=*/false);
    EXPECT_EQ(plan::verify(plan), std::nullopt);
    change(plan.functions[0], packed);
    return plan::verify(plan).value_or("");
  };
  EXPECT_EQ(refuse([](plan::Function &f, uint32_t) {
              f.steps[0].params[0].index = 1;
            }),
            "function 'main': step 0: it prepares, but uses buffer 'y' of a "
            "run");
  EXPECT_EQ(
      refuse([](plan::Function &f, uint32_t packed) {
        f.steps[0].prepares = false;
        f.steps[2].prepares = true;
        f.steps[2].target = packed;
        f.steps[2].bytes = plan::SizeExpr::constant(16);
        f.steps[2].dependencies = {0};
        plan::setLifetimes(f);
      }),
      "function 'main': step 2: it prepares, but depends on step 0, which "
      "does not");
}
