//===- PlanTest.cpp - expressions, verification and files of plans --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingPlan.h"
#include "GrowingPlan.h"
#include "SamplePlan.h"
#include <functional>
#include <gtest/gtest.h>

using namespace sparseconv;
using namespace sparseconv::plan;

static std::string evaluateText(const SizeExpr &expr,
                                const Capacities &capacities) {
  std::string error;
  std::optional<int64_t> value = evaluate(expr, capacities, error);
  return value ? std::to_string(*value) : error;
}

static SizeExpr num(int64_t value) { return SizeExpr::constant(value); }

TEST(SizeExpr, Arithmetic) {
  Capacities capacities = {{{10, 4}, {7}}, {}, {}};
  SizeExpr a = SizeExpr::capacity(0, 0), b = SizeExpr::capacity(1, 0);
  EXPECT_EQ(evaluateText(a + b, capacities), "17");
  EXPECT_EQ(evaluateText(a * b + SizeExpr::capacity(0, 1), capacities), "74");
  EXPECT_EQ(evaluateText(ceilDiv(a, b), capacities), "2");
  EXPECT_EQ(evaluateText(floorDiv(a, b), capacities), "1");
  EXPECT_EQ(evaluateText(max(a, b), capacities), "10");
  EXPECT_EQ(evaluateText(min(a, b), capacities), "7");
  EXPECT_EQ(evaluateText(floorDiv(b + num(-10), num(2)), capacities), "-2");
  EXPECT_EQ(evaluateText(ceilDiv(b + num(-10), num(2)), capacities), "-1");
}

// A number that was counted is no less than 0, and no more than its capacity.
TEST(SizeExpr, ExactSizes) {
  Capacities capacities = {{{10}}, {}, {}};
  SizeExpr size = exact(1, SizeExpr::capacity(0, 0) * num(2)) + num(1);
  EXPECT_EQ(evaluateText(size, capacities), "21");
  for (auto [counted, expected] : {std::pair(7, "8"), std::pair(0, "1"),
                                   std::pair(90, "21"), std::pair(-5, "1")}) {
    capacities.slots = {3, counted};
    EXPECT_EQ(evaluateText(size, capacities), expected);
  }
  EXPECT_EQ(evaluateText(exact(0, {}), capacities),
            "a size expression lacks operands");
}

TEST(SizeExpr, FoldsConstants) {
  EXPECT_EQ((num(6) * num(7)).terms.size(), 1u);
  EXPECT_EQ((num(6) * num(7)).terms[0].value, 42);
  EXPECT_EQ((num(INT64_MAX) + num(1)).terms.size(), 3u);
}

TEST(SizeExpr, Errors) {
  Capacities capacities = {{{INT64_MAX}}, {}, {}};
  SizeExpr big = SizeExpr::capacity(0, 0);
  EXPECT_EQ(evaluateText(big + num(1), capacities),
            "a size does not fit 63 bits");
  EXPECT_EQ(evaluateText(big * num(2), capacities),
            "a size does not fit 63 bits");
  EXPECT_EQ(evaluateText(ceilDiv(big, num(0)), capacities),
            "division of a size by 0");
  EXPECT_EQ(evaluateText(ceilDiv(big, num(2)), capacities),
            "4611686018427387904");
  EXPECT_EQ(evaluateText(SizeExpr::capacity(0, 1), capacities),
            "a size refers to a dimension that is not there");
  EXPECT_EQ(evaluateText({}, capacities),
            "a size expression does not leave one value");
}

/// A plan is the same after writing and reading, and its text has these lines.
static void expectRoundTrip(const Plan &plan,
                            std::initializer_list<const char *> lines = {}) {
  ASSERT_EQ(verify(plan), std::nullopt);
  std::string file = serialise(plan), error;
  std::optional<Plan> read = parse(file, error);
  ASSERT_TRUE(read) << error;
  EXPECT_EQ(serialise(*read), file);
  std::string text = dump(*read);
  EXPECT_EQ(text, dump(plan));
  for (const char *line : lines)
    EXPECT_NE(text.find(line), std::string::npos) << line << "\nin\n" << text;
  for (size_t i = 0; i != plan.constants.size(); ++i)
    EXPECT_EQ(read->constants[i].bytes, plan.constants[i].bytes);
}

TEST(PlanFile, RoundTrip) {
  for (uint32_t streams : {1, 2})
    for (bool inFile : {true, false})
      expectRoundTrip(makeSamplePlan(streams, inFile));
}

TEST(PlanFile, RoundTripOfGrowableCapacities) {
  expectRoundTrip(
      makeGrowingPlan(),
      {"  growable 0 slot 3 from 8, at most (cap(x, 0) * 10) op 0\n",
       "  growable 1 slot 4 from max(8, growable(0)), at most (growable(0) * "
       "10) op 1\n",
       "  buffer 'y' output 0 bytes (growable(1) * 16)\n"});
}

TEST(PlanFile, RoundTripOfExactSizes) {
  expectRoundTrip(
      makeCountingPlan(),
      {"  output 'y' ?(slot 1, at most exact(1, cap(x, 0)))x4xf32\n",
       "  step 2: launch #2:'select' grid (ceildiv(exact(0, cap(x, 0)), 8), "
       "1) block 32 after 1 counts op 0\n",
       "  step 3: launch #3:'take' grid (ceildiv(exact(1, cap(x, 0)), 8), 1) "
       "block 32 after 0 2 op 0\n"});
}

TEST(PlanFile, RoundTripOfPrologues) {
  Plan plan = makeSamplePlan();
  plan.functions[0].steps[0].hasPrologue = true;
  expectRoundTrip(std::move(plan), {"cluster 2 prologue"});
}

TEST(PlanFile, RoundTripOfEqualRows) {
  Plan plan = makePairPlan();
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
  EXPECT_EQ(plan.functions[0].findEqualRows(), (Pairs{{1, 0}}));
  EXPECT_EQ(makeSamplePlan().functions[0].findEqualRows(), Pairs());
  expectRoundTrip(std::move(plan), {"  input 'x' ?(slot 0)x4xf32\n",
                                    "  input 'z' ?(slot 0)x2xf32\n"});
}

TEST(PlanFile, Dump) {
  expectRoundTrip(
      makeSamplePlan(2),
      {"plan version 9 by 'test'\n", "  cubin sm_90a 9 bytes\n",
       "  input 'x' ?(slot 0)x4xf32\n",
       "  output 'y' ?(slot 1, at most cap(x, 0))x4xf32\n",
       "  buffer 'sum' scratch steps [0, 2] bytes (cap(x, 0) * 16)\n",
       "  step 0: launch #0:'add' grid (ceildiv(cap(x, 0), 32), 1) block 128 "
       "shared 60000 cluster 2\n",
       "    buffer #0:'x'\n", "    slot 1\n", "    i64 cap(x, 0)\n",
       "  step 1: memset #4:'kept' bytes (cap(x, 0) * 16) value 1065353216 of "
       "4 bytes stream 1\n",
       "  step 2: launch #1:'keep' grid (ceildiv(cap(x, 0), 32), 1) block 128 "
       "after 0 1 op 1\n",
       "  step 3: copy #5:'copied' from #4:'kept' bytes (cap(x, 0) * 16)\n"});
}

/// The message for a file whose bytes `change` changes; with a right checksum
/// where `seal`.
static std::string damage(const std::function<void(std::string &)> &change) {
  std::string file = serialise(makeSamplePlan());
  change(file);
  std::string error;
  return parse(file, error) ? "no error" : error;
}

static void seal(std::string &file) {
  uint64_t hash = hashBytes(std::string_view(file).substr(40));
  for (int i = 0; i != 8; ++i)
    file[24 + i] = char(hash >> (8 * i));
}

TEST(PlanFile, Damage) {
  EXPECT_EQ(damage([](std::string &f) { f[0] = 'X'; }),
            "not a plan: the file does not begin with 'SPCVPLAN'");
  EXPECT_EQ(damage([](std::string &f) { f.clear(); }),
            "not a plan: the file does not begin with 'SPCVPLAN'");
  EXPECT_EQ(damage([](std::string &f) { f[8] = 1; }),
            "the plan has version 1, this runtime reads version 9: compile it "
            "again");
  EXPECT_EQ(damage([](std::string &f) { f[12] = 1; }),
            "the plan has flags that this runtime does not know");
  EXPECT_EQ(damage([](std::string &f) { f.resize(20); }),
            "the file ends inside its header");
  EXPECT_NE(damage([](std::string &f) { f.pop_back(); }).find("bytes long"),
            std::string::npos);
  EXPECT_EQ(damage([](std::string &f) { f[200] ^= 1; }),
            "the file is damaged: its checksum does not match");
  EXPECT_EQ(damage([](std::string &f) {
              f[40] = 9;
              seal(f);
            }),
            "the plan has a section of unknown kind 9");
  EXPECT_EQ(damage([](std::string &f) {
              f[48 + 7] = 0x7F;
              seal(f);
            }),
            "section 1 is outside the file");
  // The producer's name, which comes first, of 2^32 - 1 bytes.
  EXPECT_EQ(damage([](std::string &f) {
              f.replace(88, 4, 4, char(0xFF));
              seal(f);
            }),
            "the plan ends early at byte 4 of the plan section");
  // As many modules.
  EXPECT_NE(damage([](std::string &f) {
              f.replace(96, 4, 4, char(0xFF));
              seal(f);
            }).find("a list of 4294967295 elements does not fit"),
            std::string::npos);
}

class AnyPlan : public ::testing::TestWithParam<Plan (*)()> {};
INSTANTIATE_TEST_SUITE_P(Plans, AnyPlan,
                         ::testing::Values(
                             +[] { return makeSamplePlan(2); }, makeGrowingPlan,
                             makeCountingPlan));

TEST_P(AnyPlan, EveryTruncationAndByteIsSafe) {
  std::string file = serialise(GetParam()()), error;
  for (size_t size = 0; size != file.size(); ++size)
    EXPECT_FALSE(parse(std::string_view(file).substr(0, size), error));
  for (size_t i = 40; i != file.size(); ++i)
    for (unsigned char value : {0x00, 0x01, 0x7F, 0xFF}) {
      std::string changed = file;
      changed[i] = char(value);
      seal(changed);
      if (std::optional<Plan> plan = parse(changed, error))
        dump(*plan);
    }
}

/// The reason for which a changed plan is refused.
static std::string refuse(const std::function<void(Plan &, Function &)> &change,
                          uint32_t streams = 1) {
  Plan plan = makeSamplePlan(streams);
  change(plan, plan.functions[0]);
  return verify(plan).value_or("no reason");
}

TEST(PlanVerify, Reasons) {
  using P = Plan;
  using F = Function;
  EXPECT_EQ(refuse([](P &p, F &) { p.modules[0].images.clear(); }),
            "module 'code' has no code");
  EXPECT_EQ(refuse([](P &p, F &) { p.modules[0].images[0].chip = "gfx90a"; }),
            "module 'code': 'gfx90a' is no chip such as sm_90a");
  EXPECT_EQ(refuse([](P &p, F &) { p.kernels[1].module = 1; }),
            "kernel 'keep': module 1 is not there");
  EXPECT_EQ(refuse([](P &p, F &) { p.constants[0].size = 3; }),
            "constant 'w' has 16 bytes, not its size of 3");
  EXPECT_EQ(refuse([](P &p, F &) { p.functions.push_back({}); }),
            "function '': it has no name");
  std::string in = "function 'main': ";
  EXPECT_EQ(refuse([](P &, F &f) { f.numStreams = 17; }),
            in + "it has 17 streams, expected 1 to 16");
  EXPECT_EQ(refuse([](P &, F &f) { f.inputs[0].dims[0].slot = 2; }),
            in + "input 'x': slot 2 is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.inputs[0].dims[1].size = -2; }),
            in + "input 'x': a dimension has size -2");
  EXPECT_EQ(
      refuse([](P &, F &f) { f.inputs[0].dims[1] = f.inputs[0].dims[0]; }),
      in + "input 'x': slot 0 holds two dimensions of inputs");
  // Rows may be those of another input, and nothing else.
  for (bool isFirst : {false, true})
    EXPECT_EQ(refuse([=](P &p, F &) {
                p = makePairPlan();
                std::vector<Value> &inputs = p.functions[0].inputs;
                std::swap(inputs[!isFirst].dims[0], inputs[!isFirst].dims[1]);
              }),
              in + "input 'z': slot 0 holds two dimensions of inputs");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[1].index = 1; }),
            in + "buffer 'y': input or output 1 is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[1].kind = Buffer::Kind::Input; }),
            in + "buffer 'y': input or output 0 has two buffers");
  EXPECT_EQ(
      refuse([](P &, F &f) { f.buffers[1].kind = Buffer::Kind::Persistent; }),
      in + "an input or output has no buffer");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[2].bytes = num(15); }),
            in + "buffer 'w': its size is not that of its constant");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[3].lastStep = 5; }),
            in + "buffer 'sum': lifetime [0, 5] is not inside the 5 steps");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[3].lastStep = 1; }),
            in + "step 2: buffer 'sum' is used outside its lifetime");
  EXPECT_EQ(refuse([](P &, F &f) {
              f.buffers[3].bytes.terms = {SizeExpr::capacity(0, 2).terms[0]};
            }),
            in + "buffer 'sum': a size refers to dimension 2 of input 0, which "
                 "is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.buffers[3].bytes.terms.pop_back(); }),
            in + "buffer 'sum': a size expression does not leave one value");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[0].kernel = 3; }),
            in + "step 0: kernel 3 is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[0].blockX = 1025; }),
            in + "step 0: a block of 1025 threads");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[0].dynamicSharedBytes = 60001; }),
            in + "step 0: the launch asks for 60001 bytes of shared memory, "
                 "kernel 'add' says 60000");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[0].params[0].index = 9; }),
            in + "step 0: buffer 9 is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[0].params[3].index = 2; }),
            in + "step 0: slot 2 is not there");
  EXPECT_EQ(
      refuse([](P &, F &f) { f.steps[0].params.assign(513, Param::i64(1)); }),
      in + "step 0: 4104 bytes of parameters are more than 4096");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[1].target = 0; }),
            in + "step 1: buffer 'x' is written, but only to be read");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[1].valueBytes = 2; }),
            in + "step 1: a memset of 2-byte values");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[2].dependencies = {2}; }),
            in + "step 2: it depends on step 2, which is not before it");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[2].stream = 1; }),
            in + "step 2: stream 1 is not there");
  EXPECT_EQ(refuse([](P &, F &f) { f.steps[2].op = 2; }),
            in + "step 2: op 2 is not there");
}

/// The same for a plan with growable capacities.
static std::string
refuseGrowing(const std::function<void(Function &)> &change) {
  Plan plan = makeGrowingPlan();
  change(plan.functions[0]);
  return verify(plan).value_or("no reason");
}

TEST(PlanVerify, GrowableCapacities) {
  using F = Function;
  std::string in = "function 'main': growable capacity ";
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[1].slot = 5; }),
            in + "1: slot 5 is not there");
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[1].slot = 3; }),
            in + "1: slot 3 holds another number, too");
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[0].slot = 0; }),
            in + "0: slot 0 holds another number, too");
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[0].op = 2; }),
            in + "0: op 2 is not there");
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[0].op = ~uint32_t(0); }),
            in + "0: op 4294967295 is not there");
  // Of itself, or of one behind it.
  EXPECT_EQ(
      refuseGrowing([](F &f) { f.growables[0].start = SizeExpr::growable(0); }),
      in + "0: a size refers to growable capacity 0, which is not before it");
  EXPECT_EQ(
      refuseGrowing([](F &f) { f.growables[0].bound = SizeExpr::growable(1); }),
      in + "0: a size refers to growable capacity 1, which is not before it");
  EXPECT_EQ(refuseGrowing([](F &f) { f.growables[1].start.terms.clear(); }),
            in + "1: a size expression does not leave one value");
  EXPECT_EQ(
      refuseGrowing([](F &f) { f.buffers[1].bytes = SizeExpr::growable(2); }),
      "function 'main': buffer 't': a size refers to growable capacity 2, "
      "which "
      "is not before it");
  EXPECT_EQ(refuseGrowing([](F &f) { f.outputs[0].dims[0].slot = 4; }),
            "function 'main': output 'y': slot 4 holds a capacity");
}

TEST(PlanVerify, ExactSizes) {
  auto refuseCounting = [](const std::function<void(Function &)> &change) {
    Plan plan = makeCountingPlan();
    change(plan.functions[0]);
    return verify(plan).value_or("no reason");
  };
  using F = Function;
  std::string in = "function 'main': ";
  EXPECT_EQ(refuseCounting([](F &f) { f.steps[2].dependencies = {0, 1}; }),
            in + "step 2: it counts, but depends on step 0, which does not");
  EXPECT_EQ(refuseCounting([](F &f) { f.buffers[5].bytes = exact(2, num(1)); }),
            in + "buffer 'taken': a size refers to slot 2, which is not there");
  EXPECT_EQ(refuseCounting([](F &f) { f.buffers[5].bytes = exact(1, {}); }),
            in + "buffer 'taken': a size expression lacks operands");
}
