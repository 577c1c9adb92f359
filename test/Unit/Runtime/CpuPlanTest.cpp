//===- CpuPlanTest.cpp - plans for CPUs that somebody has changed ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuDevice.h"
#include <functional>
#include <gtest/gtest.h>
#include <omp.h>

using namespace sparseconv;
using namespace sparseconv::plan;

using Access = Image::Segment::Access;

/// Code of functions without arguments but the status record: one that returns
/// at once, and one that reports a division by zero.
static const std::string kReturns("\xC3", 1);
static const std::string kFails("\x48\x8B\x07"                 // mov rax, [rdi]
                                "\x48\x8B\x00"                 // mov rax, [rax]
                                "\x48\x8B\x00"                 // mov rax, [rax]
                                "\x48\xC7\x00\x0D\x00\x00\x00" // mov [rax], 13
                                "\xC3",
                                17);

/// A page of code, and one with a table of the only function that it may call
/// and a word that points to the code.
static Plan makePlan(const std::string &code = kReturns) {
  Plan plan;
  std::string bytes(2 * kPageBytes, '\0');
  bytes.replace(64, code.size(), code);
  bytes[kPageBytes + 8] = 64;
  Image &image = plan.modules.emplace_back().images.emplace_back(
      Image::Kind::MachineCode, "sse2", plan.keep(std::move(bytes)));
  image.segments = {{Access::Code, 0, kPageBytes},
                    {Access::Data, kPageBytes, kPageBytes}};
  image.relocations = {kPageBytes + 8};
  image.symbols = {{"packed.network.main", 64},
                   {"sparseconv_imports", kPageBytes}};
  image.imports = {"memcpy"};
  plan.functions.emplace_back().name = "main";
  return plan;
}

/// The reason for which a changed plan is refused.
static std::string refuse(const std::function<void(Image &)> &change) {
  Plan plan = makePlan();
  change(plan.modules[0].images[0]);
  return verify(plan).value_or("no reason");
}

TEST(CpuPlan, Runs) {
  std::shared_ptr<cpu::Program> program;
  auto error = cpu::Program::load(serialise(makePlan()), "sse2", program);
  ASSERT_FALSE(error) << error.getText();
  std::unique_ptr<cpu::Call> call;
  error = program->run(0, {}, call);
  EXPECT_FALSE(error) << error.getText();
}

// Through the interface that a GPU has, too.
TEST(CpuPlan, ReportsRunsThatNobodyAskedFor) {
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<runtime::Program> program;
  std::unique_ptr<runtime::Instance> instance;
  ASSERT_FALSE(cpu::CpuDevice::create("sse2", /*numThreads=*/1, device));
  ASSERT_FALSE(device->load(serialise(makePlan(kFails)), program));
  ASSERT_FALSE(program->createInstance(program->getFunctions()[0], {},
                                       /*flags=*/0, instance));
  EXPECT_FALSE(instance->checkRuns(false));
  omp_set_num_threads(3);
  for (int run = 0; run != 2; ++run)
    EXPECT_FALSE(instance->run(nullptr, {}, {}));
  EXPECT_EQ(omp_get_max_threads(), 3); // the caller's
  EXPECT_EQ(instance->checkRuns(false).getText(),
            "an earlier run of function 'main': integer division by zero");
  EXPECT_FALSE(instance->checkRuns(false));
  EXPECT_EQ(instance->getResults(true).getCode(), SPARSECONV_PROGRAM_ERROR);
  EXPECT_FALSE(instance->run(nullptr, {}, {}));
  EXPECT_EQ(instance->getResults(true).getCode(), SPARSECONV_PROGRAM_ERROR);
  EXPECT_EQ(instance->runHost({}).getCode(), SPARSECONV_PROGRAM_ERROR);
  EXPECT_FALSE(instance->checkRuns(false));
}

// A set of more rows than its capacity.
TEST(CpuPlan, TellsCapacitiesApart) {
  std::shared_ptr<cpu::Program> program;
  std::string code = kFails;
  code[12] = char(StatusCode::OverCapacity);
  ASSERT_FALSE(cpu::Program::load(serialise(makePlan(code)), "sse2", program));
  std::unique_ptr<cpu::Call> call;
  EXPECT_EQ(program->run(0, {}, call).getCode(), SPARSECONV_OVER_CAPACITY);
}

// Where arguments do not fit there is no run.
TEST(CpuPlan, KeepsTheLastResults) {
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<runtime::Program> program;
  std::unique_ptr<runtime::Instance> instance;
  ASSERT_FALSE(cpu::CpuDevice::create("sse2", /*numThreads=*/1, device));
  ASSERT_FALSE(device->load(serialise(makePlan()), program));
  ASSERT_FALSE(program->createInstance(program->getFunctions()[0], {},
                                       /*flags=*/0, instance));
  EXPECT_FALSE(instance->run(nullptr, {}, {}));
  EXPECT_TRUE(instance->run(nullptr, {nullptr, 5}, {}));
  EXPECT_FALSE(instance->getResults(true));
}

TEST(CpuPlan, BindsTheTypesOfInputs) {
  Plan plan = makePlan();
  Function &function = plan.functions[0];
  Value weight{"w", ElementType::F32, {Dim()}};
  weight.dims[0].size = 2;
  Buffer &buffer = function.buffers.emplace_back();
  buffer.kind = Buffer::Kind::Input;
  function.inputs.push_back(weight);
  function.arguments.push_back(weight);
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<runtime::Program> program;
  std::unique_ptr<runtime::Instance> instance;
  ASSERT_FALSE(cpu::CpuDevice::create("sse2", /*numThreads=*/1, device));
  ASSERT_FALSE(device->load(serialise(plan), program));
  ASSERT_FALSE(program->createInstance(program->getFunctions()[0], {},
                                       /*flags=*/0, instance));
  alignas(16) double data[2] = {};
  int64_t size = 2;
  sparseconv_tensor tensor = {data, SPARSECONV_F64, 1, &size, sizeof(data)};
  EXPECT_EQ(instance->bind(nullptr, {&tensor, 1}).getText(),
            "function 'main': input 'w' is f32, the tensor is f64");
  tensor.type = SPARSECONV_F32;
  EXPECT_FALSE(instance->bind(nullptr, {&tensor, 1}));
}

// A count of arguments that are not there.
TEST(CpuPlan, RefusesArgumentsWithoutData) {
  std::shared_ptr<runtime::Device> device;
  std::shared_ptr<runtime::Program> program;
  std::unique_ptr<runtime::Instance> instance;
  ASSERT_FALSE(cpu::CpuDevice::create("sse2", /*numThreads=*/1, device));
  ASSERT_FALSE(device->load(serialise(makePlan()), program));
  ASSERT_FALSE(program->createInstance(program->getFunctions()[0], {},
                                       /*flags=*/0, instance));
  EXPECT_EQ(instance->run(nullptr, {nullptr, 5}, {}).getText(),
            "function 'main' has 0 inputs, not 5");
}

/// One that takes x[?x4] and z[?x2], which needs as many rows.
static Plan makePairPlan() {
  Plan plan = makePlan();
  Function &function = plan.functions[0];
  function.slots = {"x.0"};
  for (auto [name, columns] : {std::pair("x", 4), std::pair("z", 2)}) {
    Value input{name, ElementType::F32, {Dim(), Dim()}};
    input.dims[1].size = columns;
    Buffer &buffer = function.buffers.emplace_back();
    buffer.kind = Buffer::Kind::Input;
    buffer.index = function.inputs.size();
    function.inputs.push_back(input);
    function.arguments.push_back(input);
  }
  return plan;
}

TEST(CpuPlan, EqualRows) {
  std::shared_ptr<cpu::Program> program;
  auto error = cpu::Program::load(serialise(makePairPlan()), "sse2", program);
  ASSERT_FALSE(error) << error.getText();
  std::unique_ptr<cpu::Call> call;
  EXPECT_FALSE(program->run(0, {{nullptr, {0, 4}}, {nullptr, {0, 2}}}, call));
  float x[8] = {}, z[2] = {};
  error = program->run(0, {{x, {2, 4}}, {z, {1, 2}}}, call);
  EXPECT_EQ(error.getCode(), SPARSECONV_INVALID_ARGUMENT);
  EXPECT_EQ(error.getText(),
            "'z' has 1 rows, but 'x' has 2: both need the same number");
}

TEST(CpuPlan, ReasonsOfSlots) {
  Plan plan = makePairPlan();
  plan.functions[0].inputs[1].dims[0].slot = 1;
  EXPECT_EQ(verify(plan).value_or("no reason"),
            "function 'main': input 'z': slot 1 is not there");
}

TEST(CpuPlan, ReasonsOfCode) {
  const std::string in = "module '': the code for sse2: ";
  EXPECT_EQ(refuse([](Image &i) { i.chip = "mmx"; }),
            "module '': 'mmx' is no vector level such as avx2");
  EXPECT_EQ(refuse([](Image &i) { i.segments[1].offset = 0; }),
            in + "the segment at 0 does not begin where the one before it ends,"
                 " or is no whole pages");
  EXPECT_EQ(refuse([](Image &i) { i.segments[1].size = 8; }),
            in + "the segment at 4096 does not begin where the one before it "
                 "ends, or is no whole pages");
  EXPECT_EQ(refuse([](Image &i) { i.segments[1].size = ~uint64_t(4095); }),
            in + "the segment at 4096 does not begin where the one before it "
                 "ends, or is no whole pages");
  EXPECT_EQ(refuse([](Image &i) { i.segments.pop_back(); }),
            in + "the segments are not the whole of it");
  EXPECT_EQ(refuse([](Image &i) { i.relocations[0] = 2 * kPageBytes; }),
            in + "a relocation at 8192 is not inside");
  EXPECT_EQ(refuse([](Image &i) { i.relocations[0] = 12; }),
            in + "a relocation at 12 is not inside");
  EXPECT_EQ(refuse([](Image &i) { i.symbols[0].offset = 2 * kPageBytes; }),
            in + "symbol 'packed.network.main' is not inside");
  for (uint64_t place : {uint64_t(0), 2 * kPageBytes - 4, ~uint64_t(7)})
    EXPECT_NE(refuse([&](Image &i) { i.symbols[1].offset = place; }),
              "no reason");
  EXPECT_EQ(refuse([](Image &i) { i.imports.resize(513); }),
            in + "there is no table of what it calls");
}

// What is called lies where code is, not in memory that can be written.
TEST(CpuPlan, ReasonsOfFunctions) {
  const std::string in = "function 'main': ";
  EXPECT_EQ(refuse([](Image &i) { i.symbols.erase(i.symbols.begin()); }),
            in + "the code for sse2 does not have it");
  EXPECT_EQ(refuse([](Image &i) { i.symbols[0].offset = kPageBytes + 64; }),
            in + "the code for sse2 has it where there is no code");
  EXPECT_EQ(refuse([](Image &i) { i.segments[0].access = Access::Constant; }),
            in + "the code for sse2 has it where there is no code");
}
