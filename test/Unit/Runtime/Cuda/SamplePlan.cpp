//===- SamplePlan.cpp - a small plan and what it computes -----------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SamplePlan.h"
#include "sparseconv/Support/Status.h"
#include <algorithm>
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::plan;

const float sparseconv::sampleWeights[4] = {0.5f, 1.0f, -2.0f, 4.0f};

static Buffer makeBuffer(const char *name, Buffer::Kind kind, SizeExpr bytes,
                         uint32_t index = 0, uint32_t first = 0,
                         uint32_t last = 0) {
  Buffer buffer;
  buffer.name = name;
  buffer.kind = kind;
  buffer.index = index;
  buffer.bytes = std::move(bytes);
  buffer.firstStep = first;
  buffer.lastStep = last;
  return buffer;
}

static Step makeLaunch(uint32_t kernel, std::vector<Param> params) {
  Step step;
  step.kernel = kernel;
  step.gridX = ceilDiv(SizeExpr::capacity(0, 0), SizeExpr::constant(32));
  step.blockX = 128;
  step.params = std::move(params);
  return step;
}

Plan sparseconv::makeSamplePlan(uint32_t streams, bool weightsInFile) {
  Plan plan;
  plan.producer = "test";
  plan.modules.push_back({"code",
                          {{Image::Kind::Ptx, "sm_80", "ptx 80"},
                           {Image::Kind::Cubin, "sm_80", "cubin 80"},
                           {Image::Kind::Cubin, "sm_90a", "cubin 90a"}}});
  plan.kernels = {
      {"add", 0, 1024, 60000}, {"keep", 0, 0, 0}, {"move", 0, 0, 0}};
  plan.addConstant("w",
                   std::string(reinterpret_cast<const char *>(sampleWeights),
                               sizeof(sampleWeights)));
  if (!weightsInFile) {
    plan.constants[0].inFile = false;
    plan.constants[0].bytes = {};
  }

  Function function;
  function.name = "main";
  function.numStreams = streams;
  function.slots = {"rows of x", "rows of y"};
  function.ops = {{"sparseconv.conv", ""}, {"sparseconv.pack", "net.mlir:3:8"}};
  Dim inputRows, outputRows, channels;
  inputRows.slot = 0;
  outputRows.slot = 1;
  outputRows.capacity = SizeExpr::capacity(0, 0);
  channels.size = 4;
  function.inputs = {{"x", ElementType::F32, {inputRows, channels}}};
  function.outputs = {{"y", ElementType::F32, {outputRows, channels}}};

  SizeExpr bytes = SizeExpr::capacity(0, 0) * SizeExpr::constant(16);
  using Kind = Buffer::Kind;
  function.buffers = {
      makeBuffer("x", Kind::Input, bytes),
      makeBuffer("y", Kind::Output, bytes),
      makeBuffer("w", Kind::Constant, SizeExpr::constant(16)),
      makeBuffer("sum", Kind::Scratch, bytes, 0, 0, 2),
      makeBuffer("kept", Kind::Scratch, bytes, 0, 1, 3),
      makeBuffer("copied", Kind::Scratch, bytes, 0, 3, 4),
      makeBuffer("runs", Kind::Persistent, SizeExpr::constant(8)),
  };

  Step add = makeLaunch(0, {Param::buffer(0), Param::buffer(2),
                            Param::buffer(3), Param::slot(0)});
  add.dynamicSharedBytes = 60000;
  add.cluster = 2;
  Step clear;
  clear.kind = Step::Kind::Memset;
  clear.target = 4;
  clear.bytes = bytes;
  clear.value = 0x3F800000;
  clear.valueBytes = 4;
  if (streams > 1)
    clear.stream = 1;
  Step keep = makeLaunch(1, {Param::buffer(3), Param::buffer(4), Param::slot(0),
                             Param::slot(1), Param::status()});
  keep.op = 1;
  keep.dependencies = {0, 1};
  Step copy;
  copy.kind = Step::Kind::Copy;
  copy.target = 5;
  copy.source = 4;
  copy.bytes = bytes;
  Step move = makeLaunch(2, {Param::buffer(5), Param::buffer(1), Param::slot(1),
                             Param::buffer(6),
                             Param::capacity(SizeExpr::capacity(0, 0)),
                             Param::i32(-7), Param::i64(int64_t(1) << 40)});
  function.steps = {add, clear, keep, copy, move};
  plan.functions.push_back(std::move(function));
  return plan;
}

Plan sparseconv::makeLaunchPlan(uint32_t streams) {
  Plan plan = makeSamplePlan(streams);
  plan.functions[0].steps[1].kind = plan.functions[0].steps[3].kind =
      Step::Kind::Launch;
  SizeExpr bytes = SizeExpr::capacity(0, 0) * SizeExpr::constant(16);
  uint32_t kernel = plan.kernels.size();
  plan.kernels.push_back({"clear", 0, 0, 0});
  plan.kernels.push_back({"copy", 0, 0, 0});
  plan.functions[0].steps[1].kernel = kernel;
  plan.functions[0].steps[1].params = {Param::buffer(4),
                                       Param::capacity(bytes)};
  plan.functions[0].steps[3].kernel = kernel + 1;
  plan.functions[0].steps[3].params = {Param::buffer(4), Param::buffer(5),
                                       Param::capacity(bytes)};
  return plan;
}

Plan sparseconv::makePairPlan() {
  Plan plan = makeSamplePlan();
  Function &function = plan.functions[0];
  Value z = function.inputs[0];
  z.name = "z";
  z.dims[1].size = 2;
  function.inputs.push_back(std::move(z));
  function.buffers.push_back(
      makeBuffer("z", Buffer::Kind::Input,
                 SizeExpr::capacity(1, 0) * SizeExpr::constant(8), 1));
  return plan;
}

void sparseconv::addSampleKernels(cuda::FakeDriver &driver) {
  driver.kernels["add"] = {
      {8, 8, 8, 8}, [](const cuda::FakeLaunch &l) {
        for (int64_t i = 0; i < *l.pointer<int64_t>(3); ++i)
          for (int c = 0; c != 4; ++c)
            l.pointer<float>(2)[4 * i + c] =
                l.pointer<float>(0)[4 * i + c] + l.pointer<float>(1)[c];
      }};
  driver.kernels["keep"] = {
      {8, 8, 8, 8, 8}, [](const cuda::FakeLaunch &l) {
        int64_t &kept = *l.pointer<int64_t>(3);
        if (kept != 0)
          cuda::FakeDriver::get().misuse.push_back("a slot is not zero");
        for (int64_t i = 0; i < *l.pointer<int64_t>(2); ++i) {
          const float *row = l.pointer<float>(0) + 4 * i;
          if (row[0] == 13.5f) {
            StatusRecord record;
            record.code = static_cast<int64_t>(StatusCode::OutOfRange);
            record.opId = 1;
            record.row = i;
            record.value = 13;
            record.upper = 12;
            std::memcpy(l.pointer<char>(4), &record, sizeof(record));
          }
          if (row[0] >= 0)
            std::memcpy(l.pointer<float>(1) + 4 * kept++, row, 16);
        }
      }};
  driver.kernels["move"] = {
      {8, 8, 8, 8, 8, 4, 8}, [](const cuda::FakeLaunch &l) {
        std::memcpy(l.pointer<char>(1), l.pointer<char>(0),
                    *l.pointer<int64_t>(2) * 16);
        ++*l.pointer<int64_t>(3);
        if (int32_t(l.params[5]) != -7 || int64_t(l.params[6]) != 1ll << 40)
          cuda::FakeDriver::get().misuse.push_back("wrong parameters");
      }};
  driver.kernels["clear"] = {{8, 8}, [](const cuda::FakeLaunch &l) {
                               std::fill_n(l.pointer<float>(0), l.params[1] / 4,
                                           1.0f);
                             }};
  driver.kernels["copy"] = {{8, 8, 8}, [](const cuda::FakeLaunch &l) {
                              std::memcpy(l.pointer<char>(1),
                                          l.pointer<char>(0), l.params[2]);
                            }};
}

std::vector<float> sparseconv::computeSample(const std::vector<float> &x) {
  std::vector<float> y;
  for (size_t i = 0; i < x.size(); i += 4)
    for (int c = 0; c != 4 && x[i] + sampleWeights[0] >= 0; ++c)
      y.push_back(x[i + c] + sampleWeights[c]);
  return y;
}
