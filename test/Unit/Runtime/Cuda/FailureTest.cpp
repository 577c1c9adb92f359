//===- FailureTest.cpp - failures of the driver and of plans --------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeTest.h"
#include "sparseconv/Runtime/PlanParams.h"
#include "sparseconv/Support/Status.h"
#include <cstdio>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace sparseconv;
using namespace sparseconv::cuda;

namespace {
class Failure : public RuntimeTest {
protected:
  /// All that one can do; returns the first failure.
  int doEverything() {
    if (int code = create(makeSamplePlan(2), 10, SPARSECONV_POISON))
      return code;
    std::vector<float> x = makeInput(5);
    if (int code = runHost(x))
      return code;
    std::vector<float> y(computeSample(x).size());
    if (int code = sparseconv_instance_read_output(instance, 0, y.data(),
                                                   y.size() * 4))
      return code;
    if (int code =
            sparseconv_instance_capture(instance, nullptr, 0, nullptr, 0))
      return code;
    int64_t sizes[] = {5, 4};
    sparseconv_tensor input = makeTensor(nullptr, sizes, 80);
    if (int code = sparseconv_instance_replay(instance, nullptr, &input, 1))
      return code;
    return sparseconv_instance_results(instance, 1);
  }
};
} // namespace

TEST_F(Failure, EveryCallInTurn) {
  ASSERT_EQ(doEverything(), SPARSECONV_OK) << sparseconv_last_error();
  int64_t calls = fake().calls.size();
  destroy();
  EXPECT_GT(calls, 80);
  std::set<std::string> unnoticed, failed;
  for (int64_t i = 0; i != calls; ++i) {
    SetUp();
    fake().failAt = i;
    int code = doEverything();
    std::string name = fake().failed;
    failed.insert(name);
    ASSERT_NE(name, "") << i;
    if (code == SPARSECONV_OK) {
      unnoticed.insert(name);
    } else {
      EXPECT_EQ(code, SPARSECONV_CUDA_ERROR) << i << ' ' << name;
      EXPECT_NE(std::string(sparseconv_last_error()).find("(fake failure)"),
                std::string::npos)
          << i << ' ' << name << ": " << sparseconv_last_error();
    }
    // What was made before can be used again: the failure was not sticky.
    if (instance) {
      std::vector<float> x = makeInput(6);
      EXPECT_EQ(runHost(x), SPARSECONV_OK) << i << ' ' << name;
      EXPECT_EQ(readOutput(), computeSample(x)) << i << ' ' << name;
    }
    destroy();
    // What did not go away because the call to that end failed.
    std::string live = fake().getLive();
    EXPECT_TRUE(live == "" ||
                (name == "cuCtxPopCurrent" && live == "current context 1"))
        << i << ' ' << name << ": " << live;
    EXPECT_EQ(fake().misuse, std::vector<std::string>()) << i << ' ' << name;
  }
  FakeDriver::reset();
  // What there is nobody to tell about, and code that does not load where PTX
  // does.
  EXPECT_EQ(unnoticed,
            (std::set<std::string>{"cuCtxPopCurrent", "cuModuleLoadDataEx"}));
  EXPECT_TRUE(failed.count("cuLaunchKernel") && failed.count("cuGraphLaunch"));
}

TEST_F(Failure, NamesTheKernel) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  std::vector<float> x = makeInput(5);
  auto getText = [&](const char *name) {
    fake().failName = name;
    EXPECT_EQ(runHost(x), SPARSECONV_CUDA_ERROR);
    return std::string(sparseconv_last_error());
  };
  std::string in = "function 'main': ",
              why = ": CUDA_ERROR_FAKE (fake failure)";
  EXPECT_EQ(getText("cuLaunchKernelEx"), in + "step 0, kernel 'add'" + why);
  EXPECT_EQ(getText("cuMemsetD32Async"), in + "step 1, memset of 'kept'" + why);
  EXPECT_EQ(getText("cuLaunchKernel"),
            in + "step 2, kernel 'keep' of sparseconv.pack at net.mlir:3:8" +
                why);
  EXPECT_EQ(getText("cuMemcpyDtoDAsync"),
            in + "step 3, copy to 'copied'" + why);
  EXPECT_EQ(getText("cuEventSynchronize"), in + "the run failed" + why);
  destroy();
  // A fault of a kernel is found where it happens.
  ASSERT_EQ(create(makeSamplePlan(), 10, SPARSECONV_SYNCHRONOUS),
            SPARSECONV_OK);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(getText("cuStreamSynchronize"), in + "step 0, kernel 'add'" + why);
}

TEST_F(Failure, OutOfMemory) {
  fake().memory = 3000;
  EXPECT_EQ(create(makeSamplePlan(), 100), SPARSECONV_OUT_OF_MEMORY);
  EXPECT_STREQ(sparseconv_last_error(),
               "the working memory of function 'main' (4096 bytes, 3000 of "
               "3000 are free on the device): CUDA_ERROR_OUT_OF_MEMORY (out of "
               "memory)");
  int64_t capacity = 20;
  ASSERT_EQ(
      sparseconv_instance_create(program, "main", &capacity, 1, 0, &instance),
      SPARSECONV_OK);
  ASSERT_EQ(runHost(makeInput(20)), SPARSECONV_OK);
}

TEST_F(Failure, SizeOverflow) {
  plan::Plan plan = makeSamplePlan();
  plan.functions[0].buffers[0].bytes =
      plan::SizeExpr::capacity(0, 0) *
      plan::SizeExpr::constant(int64_t(1) << 40);
  EXPECT_EQ(create(plan, kMaxRows), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': buffer 'x': a size does not fit 63 bits "
               "((cap(x, 0) * 1099511627776))");
  int64_t capacity = -1;
  EXPECT_EQ(
      sparseconv_instance_create(program, "main", &capacity, 1, 0, &instance),
      SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(
      sparseconv_instance_create(program, "main", &capacity, 0, 0, &instance),
      SPARSECONV_INVALID_ARGUMENT);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main' has 1 dynamic dimensions, but 0 capacities are "
               "given");
}

TEST_F(Failure, BufferTooSmall) {
  plan::Plan plan = makeSamplePlan();
  plan.functions[0].buffers[1].bytes =
      plan::SizeExpr::capacity(0, 0) * plan::SizeExpr::constant(12);
  EXPECT_EQ(create(plan, 10), SPARSECONV_INVALID_PLAN);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': buffer 'y' of 120 bytes is too small for 'y'");
}

TEST_F(Failure, CountBeyondCapacity) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  fake().kernels["keep"].body = [](const FakeLaunch &l) {
    *l.pointer<int64_t>(3) = 11;
  };
  fake().kernels["move"].body = [](const FakeLaunch &) {};
  EXPECT_EQ(runHost(makeInput(5)), SPARSECONV_OVER_CAPACITY);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': output 'y': dimension 0 is 11, its capacity "
               "is 10");
}

TEST_F(Failure, Devices) {
  int count = -1;
  EXPECT_EQ(sparseconv_device_count(&count), SPARSECONV_OK);
  EXPECT_EQ(count, 1);
  EXPECT_EQ(sparseconv_context_create(1, &context), SPARSECONV_NO_DEVICE);
  EXPECT_STREQ(sparseconv_last_error(), "there is no device 1, only 0 .. 0");
  fake().devices = 0;
  EXPECT_EQ(sparseconv_device_count(&count), SPARSECONV_OK);
  EXPECT_EQ(count, 0);
  EXPECT_EQ(sparseconv_context_create(0, &context), SPARSECONV_NO_DEVICE);
}

TEST_F(Failure, WithoutADriver) {
  replaceDriver(nullptr);
  const DriverTable *table = nullptr;
  std::string reason;
  if (loadDriver(table, reason) == SPARSECONV_OK)
    GTEST_SKIP() << "this machine has a driver";
  int count = -1;
  EXPECT_EQ(sparseconv_device_count(&count), SPARSECONV_NO_DRIVER);
  EXPECT_EQ(sparseconv_context_create(0, &context), SPARSECONV_NO_DRIVER);
  EXPECT_NE(std::string(sparseconv_last_error())
                .find("there is no CUDA driver on this machine"),
            std::string::npos);
}

TEST_F(Failure, Chips) {
  // The code that is loaded on a device, or the reason why none is.
  auto load = [&](int major, int minor) {
    SetUp();
    fake().major = major;
    fake().minor = minor;
    int code = create(makeSamplePlan(), 10);
    std::string text = code ? sparseconv_last_error() : fake().images[0];
    EXPECT_EQ(code,
              text.find("module") == 0 ? SPARSECONV_WRONG_CHIP : SPARSECONV_OK);
    destroy();
    return text;
  };
  EXPECT_EQ(load(9, 0), "cubin 90a");
  EXPECT_EQ(load(8, 0), "cubin 80");
  EXPECT_EQ(load(8, 9), "cubin 80");
  EXPECT_EQ(load(10, 0), "ptx 80");
  EXPECT_EQ(load(7, 5),
            "module 'code' has code for sm_80 (PTX), sm_80, sm_90a, none of "
            "which runs on sm_75 (Fake 9000)");
}

TEST_F(Failure, BadCode) {
  fake().badImage = "cubin";
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  EXPECT_EQ(fake().images, std::vector<std::string>{"ptx 80"});
  destroy();
  fake().badImage = "";
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_CUDA_ERROR);
  EXPECT_STREQ(sparseconv_last_error(),
               "module 'code': code for sm_90a on Fake 9000: CUDA_ERROR_FAKE "
               "(fake failure): line 1: syntax error");
}

TEST_F(Failure, KernelsThatDoNotFit) {
  fake().maxShared = 50000;
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_WRONG_CHIP);
  EXPECT_STREQ(sparseconv_last_error(),
               "kernel 'add': it needs 61024 bytes of shared memory, a block "
               "on sm_90a (Fake 9000) has at most 50000");
  destroy();
  fake().maxShared = 232448;
  fake().kernels.erase("keep");
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_CUDA_ERROR);
  EXPECT_STREQ(sparseconv_last_error(),
               "kernel 'keep': it is not found in its module: CUDA_ERROR_FAKE "
               "(fake failure)");
}

TEST_F(Failure, KernelsOfOtherParameters) {
  fake().kernels["keep"].params.push_back(8);
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_INVALID_PLAN);
  EXPECT_STREQ(
      sparseconv_last_error(),
      "function 'main': step 2: the launch passes 5 parameters, kernel "
      "'keep' takes 6");
  destroy();
  // An older driver does not tell, so the launch is what fails: nothing is read
  // beyond its parameters.
  replaceDriver(&FakeDriver::getOldTable());
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  EXPECT_EQ(runHost(makeInput(5)), SPARSECONV_CUDA_ERROR);
  EXPECT_EQ(std::string(sparseconv_last_error())
                .find("function 'main': step 2, kernel 'keep'"),
            0u);
  destroy();
  fake().kernels["keep"].params.pop_back();
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  std::vector<float> x = makeInput(5);
  ASSERT_EQ(runHost(x), SPARSECONV_OK);
  EXPECT_EQ(readOutput(), computeSample(x));
  destroy();
  replaceDriver(&FakeDriver::getTable());
  fake().kernels["move"].params[5] = 8;
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_INVALID_PLAN);
  EXPECT_STREQ(sparseconv_last_error(),
               "function 'main': step 4: the launch passes parameter 5 in 4 "
               "bytes at byte 40, kernel 'move' takes 8 at byte 40");
}

// Its interface ends a list of parameters with an error, which tools report.
TEST_F(Failure, TheDriverIsNotAskedWhatPtxSays) {
  plan::Plan program = makeSamplePlan();
  std::string ptx;
  for (const plan::Step &step : program.functions[0].steps) {
    if (step.kind != plan::Step::Kind::Launch)
      continue;
    std::string list;
    for (const plan::ParamPlace &place : plan::getPlaces(step.params))
      list += std::string(list.empty() ? "" : ", ") + ".param .u" +
              std::to_string(8 * place.size) + " p";
    ptx +=
        ".entry " + program.kernels[step.kernel].name + "(" + list + ") {}\n";
  }
  program.modules[0].images = {{plan::Image::Kind::Ptx, "sm_80", ptx}};
  fake().kernels["keep"].params.push_back(8);
  EXPECT_EQ(create(program, 10), SPARSECONV_OK);
  destroy();
  EXPECT_EQ(create(makeSamplePlan(), 10), SPARSECONV_INVALID_PLAN);
}

TEST_F(Failure, ModulesAreShared) {
  ASSERT_EQ(create(makeSamplePlan(), 10), SPARSECONV_OK);
  std::string file = plan::serialise(makeSamplePlan());
  sparseconv_program *second = nullptr;
  ASSERT_EQ(sparseconv_program_load(context, file.data(), file.size(), &second),
            SPARSECONV_OK);
  EXPECT_EQ(fake().images.size(), 1u);
  sparseconv_program_destroy(second);
}

TEST_F(Failure, Files) {
  ASSERT_EQ(sparseconv_context_create(0, &context), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_program_load(context, "SPCVPLAN", 8, &program),
            SPARSECONV_INVALID_PLAN);
  EXPECT_STREQ(sparseconv_last_error(), "the file ends inside its header");
  EXPECT_EQ(
      sparseconv_program_load_file(context, "/nonexistent/plan", &program),
      SPARSECONV_FILE_ERROR);
  EXPECT_STREQ(sparseconv_last_error(),
               "/nonexistent/plan: the file cannot be read: No such file or "
               "directory");
  std::string path = ::testing::TempDir() + "sparseconv-plan-test";
  std::ofstream(path, std::ios::binary) << plan::serialise(makeSamplePlan());
  EXPECT_EQ(sparseconv_program_load_file(context, path.c_str(), &program),
            SPARSECONV_OK);
  std::remove(path.c_str());
}

// Files without end, and one that says so of itself.
TEST_F(Failure, LargeFiles) {
  ASSERT_EQ(sparseconv_context_create(0, &context), SPARSECONV_OK);
  EXPECT_EQ(sparseconv_program_load_file(context, "/dev/zero", &program),
            SPARSECONV_INVALID_PLAN);
  std::string file = plan::serialise(makeSamplePlan());
  std::string path = ::testing::TempDir() + "sparseconv-large-plan-test";
  auto load = [&](uint64_t stated, uint64_t size) {
    for (int i = 0; i != 8; ++i)
      file[16 + i] = char(stated >> (8 * i));
    std::ofstream(path, std::ios::binary) << file;
    EXPECT_EQ(truncate(path.c_str(), size), 0);
    return sparseconv_program_load_file(context, path.c_str(), &program);
  };
  const uint64_t huge = uint64_t(1) << 42; // as a file without data
  EXPECT_EQ(load(huge, huge), SPARSECONV_OUT_OF_MEMORY);
  EXPECT_EQ(sparseconv_last_error(),
            path +
                ": the host has no memory for a plan of 4398046511104 bytes");
  EXPECT_EQ(load(UINT64_MAX, huge), SPARSECONV_INVALID_PLAN);
  EXPECT_EQ(load(file.size(), huge), SPARSECONV_INVALID_PLAN);
  // What a file that is cut says of its size is no reason to look for memory.
  EXPECT_EQ(load(huge / 2, file.size()), SPARSECONV_INVALID_PLAN);
  EXPECT_EQ(load(file.size() + 1, file.size()), SPARSECONV_INVALID_PLAN);
  EXPECT_EQ(load(file.size(), file.size()), SPARSECONV_OK);
  sparseconv_program_destroy(std::exchange(program, nullptr));
  // More than is read before the file says how long it is.
  plan::Plan large = makeSamplePlan();
  large.addConstant("large", std::string(100000, 'x'));
  file = plan::serialise(large);
  EXPECT_EQ(load(file.size(), file.size()), SPARSECONV_OK)
      << sparseconv_last_error();
  std::remove(path.c_str());
}
