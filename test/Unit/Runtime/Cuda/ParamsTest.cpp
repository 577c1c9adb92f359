//===- ParamsTest.cpp - parameters of kernels in PTX ----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlan.h"
#include "sparseconv/Runtime/PlanParams.h"
#include <gtest/gtest.h>
#include <set>

using namespace sparseconv;
using namespace sparseconv::plan;

/// "offset:size ..." of a kernel in PTX, or "none".
static std::string read(const std::string &ptx, const char *name) {
  std::map<std::string, ParamPlaces> kernels = readPtxKernels(ptx);
  auto it = kernels.find(name);
  if (it == kernels.end())
    return "none";
  std::string text;
  for (const ParamPlace &place : it->second)
    text += (text.empty() ? "" : " ") + std::to_string(place.offset) + ":" +
            std::to_string(place.size);
  return text;
}

TEST(Params, OfPtx) {
  std::string ptx = R"ptx(//
.version 8.0
.target sm_80
.address_size 64
.extern .shared .align 16 .b8 memory[];
.func (.param .b32 result) helper (.param .b64 other) { ret; }
.visible .entry first(
	.param .u64 .ptr .align 1 first_param_0, // .entry hidden(.param .u8 x)
	.param .u32 first_param_1,
	.param .u64 .ptr .global .align 16 first_param_2 /* ), */
)
.maxntid 128, 1, 1
{
	ld.param.u64 %rd1, [first_param_0];
	ret;
}
.entry second(.param .b8 a, .param .align 16 .b8 b[20], .param .f16 c) { ret; }
.entry third() { ret; }
.entry fourth
{ ret; }
.file 1 ".entry fifth(.param .u64 x)"
)ptx";
  EXPECT_EQ(read(ptx, "first"), "0:8 8:4 16:8");
  EXPECT_EQ(read(ptx, "second"), "0:1 16:20 36:2");
  EXPECT_EQ(read(ptx, "third"), "");
  EXPECT_EQ(read(ptx, "fourth"), "");
  for (const char *name : {"hidden", "helper", "fifth"})
    EXPECT_EQ(read(ptx, name), "none");
}

// Among all that is no entry, in any order.
TEST(Params, FindsEntriesAmongOtherWords) {
  const char *const others[] = {
      "x.entry h ",   ".entryx h ", "/* .entry h */", "// .entry h\n",
      "\".entry h\"", "/ ",         "ld.global.u32 ", "{ ret; }",
      "/*",           "\""};
  const size_t last = std::size(others) - 1;
  unsigned seed = 1;
  for (int round = 0; round != 1000; ++round) {
    std::string ptx;
    std::set<std::string> names, found;
    for (int i = 0; i != 20; ++i) {
      seed = seed * 1664525 + 1013904223;
      if (seed >> 30 == 0) {
        std::string name = "k" + std::to_string(i);
        ptx += ".entry " + name + (i % 2 ? "() " : "\n");
        names.insert(name);
      } else {
        ptx += others[(seed >> 16) % (last - 1)];
      }
    }
    // What does not end hides the rest.
    ptx += std::string(others[last - seed % 2]) + " .entry h";
    for (const auto &[name, places] : readPtxKernels(ptx))
      found.insert(name);
    EXPECT_EQ(found, names) << ptx;
  }
}

TEST(Params, OfPtxThatIsNone) {
  for (const char *list :
       {"(.param .u64 x", "(.param .u64 x[0])", "(.param .u64 x[70000])",
        "(.param .u64 x[", "(.param .align 3x .u64 x)", "(.param x)",
        "(.param .pred x)", "(.param .u129 x)", "(.u64 x)", "(,)",
        "(.param .u64 x,)", "(.param .u64 x, /* )"})
    EXPECT_EQ(read(std::string(".entry k") + list, "k"), "none") << list;
  EXPECT_TRUE(readPtxKernels("").empty());
  EXPECT_EQ(read(".entry", ""), "");
}

TEST(Params, OfLaunches) {
  ParamPlaces places =
      getPlaces({Param::i32(1), Param::i64(2), Param::i32(3), Param::i32(4),
                 Param::status(), Param::i32(5)});
  EXPECT_EQ(places,
            (ParamPlaces{{0, 4}, {8, 8}, {16, 4}, {20, 4}, {24, 8}, {32, 4}}));
  EXPECT_EQ(getBlockBytes(places), 36u);
  EXPECT_EQ(getBlockBytes({}), 0u);
}

TEST(Params, OfPlansThatLie) {
  auto refuse = [](const char *ptx) {
    Plan plan = makeSamplePlan();
    plan.modules[0].images[0].bytes = ptx;
    return verify(plan).value_or("no reason");
  };
  EXPECT_EQ(refuse(".entry add(.param .u64 a, .param .u64 b, .param .u64 c, "
                   ".param .u64 d) { ret; }"),
            "no reason");
  EXPECT_EQ(refuse(".entry add(.param .u64 a, .param .u64 b, .param .u64 c, "
                   ".param .u64 d, .param .u64 e) { ret; }"),
            "function 'main': step 0: the launch passes 4 parameters, kernel "
            "'add' takes 5");
  EXPECT_EQ(refuse(".entry add(.param .u64 a, .param .u64 b, .param .u64 c, "
                   ".param .align 8 .b8 d[4000]) { ret; }"),
            "function 'main': step 0: the launch passes parameter 3 in 8 bytes "
            "at byte 24, kernel 'add' takes 4000 at byte 24");
  EXPECT_EQ(refuse(".entry keep() { ret; }"),
            "function 'main': step 2: the launch passes 5 parameters, kernel "
            "'keep' takes 0");
}
