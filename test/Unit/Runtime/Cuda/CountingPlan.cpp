//===- CountingPlan.cpp - a plan whose sizes are counted ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountingPlan.h"
#include "sparseconv/Support/Status.h"
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::plan;

static Buffer makeBuffer(const char *name, Buffer::Kind kind,
                         const SizeExpr &bytes) {
  Buffer buffer;
  buffer.name = name;
  buffer.kind = kind;
  buffer.bytes = bytes;
  return buffer;
}

static Step makeLaunch(uint32_t kernel, const SizeExpr &rows,
                       std::vector<Param> params) {
  Step step;
  step.op = 0;
  step.kernel = kernel;
  step.gridX = ceilDiv(rows, SizeExpr::constant(8));
  step.blockX = 32;
  step.params = std::move(params);
  return step;
}

Plan sparseconv::makeCountingPlan() {
  Plan plan;
  plan.producer = "test";
  plan.modules.push_back({"code", {{Image::Kind::Cubin, "sm_90a", "cubin"}}});
  for (const char *name : {"twice", "mark", "select", "take", "pass"})
    plan.kernels.push_back({name, 0, 0, 0});

  Function function;
  function.name = "main";
  function.numStreams = 2;
  function.slots = {"rows of x", "rows of y"};
  function.ops = {{"sparseconv.prune", "net.mlir:3:8"}};
  SizeExpr capacity = SizeExpr::capacity(0, 0), x = exact(0, capacity),
           y = exact(1, capacity), row = SizeExpr::constant(16),
           word = SizeExpr::constant(8);
  Dim inputRows, outputRows, channels;
  outputRows.slot = 1;
  outputRows.capacity = y;
  channels.size = 4;
  function.inputs = {{"x", ElementType::F32, {inputRows, channels}}};
  function.outputs = {{"y", ElementType::F32, {outputRows, channels}}};
  using Kind = Buffer::Kind;
  function.buffers = {makeBuffer("x", Kind::Input, capacity * row),
                      makeBuffer("y", Kind::Output, y * row),
                      makeBuffer("doubled", Kind::Scratch, x * row),
                      makeBuffer("flags", Kind::Scratch, x * word),
                      makeBuffer("rows", Kind::Scratch, x * word),
                      makeBuffer("taken", Kind::Scratch, y * row)};
  Step twice =
      makeLaunch(0, x, {Param::buffer(0), Param::buffer(2), Param::slot(0)});
  twice.stream = 1;
  Step mark = makeLaunch(
      1, x,
      {Param::buffer(0), Param::buffer(3), Param::slot(0), Param::status()});
  Step select = makeLaunch(
      2, x,
      {Param::buffer(3), Param::buffer(4), Param::slot(0), Param::slot(1)});
  mark.counts = select.counts = true;
  select.dependencies = {1};
  Step take = makeLaunch(
      3, y,
      {Param::buffer(2), Param::buffer(4), Param::buffer(5), Param::slot(1)});
  take.dependencies = {0, 2};
  Step pass =
      makeLaunch(4, y, {Param::buffer(5), Param::buffer(1), Param::slot(1)});
  function.steps = {twice, mark, select, take, pass};
  setLifetimes(function);
  plan.functions.push_back(std::move(function));
  return plan;
}

static void mark(const cuda::FakeLaunch &l) {
  for (int64_t i = 0; i < *l.pointer<int64_t>(2); ++i) {
    float first = l.pointer<float>(0)[4 * i];
    l.pointer<int64_t>(1)[i] = first >= 0;
    if (first == 13) {
      StatusRecord record;
      record.code = static_cast<int64_t>(StatusCode::OutOfRange);
      record.row = i;
      record.value = 13;
      record.upper = 12;
      std::memcpy(l.pointer<char>(3), &record, sizeof(record));
    }
  }
}

void sparseconv::addCountingKernels(cuda::FakeDriver &driver) {
  driver.kernels["twice"] = {
      {8, 8, 8}, [](const cuda::FakeLaunch &l) {
        for (int64_t i = 0; i < *l.pointer<int64_t>(2) * 4; ++i)
          l.pointer<float>(1)[i] = 2 * l.pointer<float>(0)[i];
      }};
  driver.kernels["mark"] = {{8, 8, 8, 8}, mark};
  driver.kernels["select"] = {{8, 8, 8, 8}, [](const cuda::FakeLaunch &l) {
                                int64_t &kept = *l.pointer<int64_t>(3);
                                for (int64_t i = 0; i < *l.pointer<int64_t>(2);
                                     ++i)
                                  if (l.pointer<int64_t>(0)[i])
                                    l.pointer<int64_t>(1)[kept++] = i;
                              }};
  driver.kernels["take"] = {
      {8, 8, 8, 8}, [](const cuda::FakeLaunch &l) {
        for (int64_t i = 0; i < *l.pointer<int64_t>(3); ++i)
          std::memcpy(l.pointer<float>(2) + 4 * i,
                      l.pointer<float>(0) + 4 * l.pointer<int64_t>(1)[i], 16);
      }};
  driver.kernels["pass"] = {{8, 8, 8}, [](const cuda::FakeLaunch &l) {
                              std::memcpy(l.pointer<char>(1),
                                          l.pointer<char>(0),
                                          *l.pointer<int64_t>(2) * 16);
                            }};
}

std::vector<float> sparseconv::computeCounting(const std::vector<float> &x) {
  std::vector<float> y;
  for (size_t i = 0; i < x.size(); i += 4)
    for (int c = 0; c != 4 && x[i] >= 0; ++c)
      y.push_back(2 * x[i + c]);
  return y;
}
