//===- GrowingPlan.cpp - a plan whose sets grow ---------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GrowingPlan.h"
#include "sparseconv/Support/Status.h"
#include <cstring>

using namespace sparseconv;
using namespace sparseconv::plan;

static Buffer makeBuffer(const char *name, Buffer::Kind kind,
                         const SizeExpr &rows) {
  Buffer buffer;
  buffer.name = name;
  buffer.kind = kind;
  buffer.bytes = rows * SizeExpr::constant(16);
  buffer.lastStep = 1;
  return buffer;
}

Plan sparseconv::makeGrowingPlan() {
  Plan plan;
  plan.producer = "test";
  plan.modules.push_back({"code", {{Image::Kind::Cubin, "sm_90a", "cubin"}}});
  plan.kernels = {{"copies", 0, 0, 0}};

  Function function;
  function.name = "main";
  function.slots = {"rows of x", "rows of t", "rows of y", "limit of t",
                    "limit of y"};
  function.ops = {{"sparseconv.downsample", "net.mlir:3:8"},
                  {"sparseconv.expand", "net.mlir:4:8"}};
  SizeExpr x = SizeExpr::capacity(0, 0), t = SizeExpr::growable(0),
           y = SizeExpr::growable(1);
  SizeExpr few = SizeExpr::constant(8), most = SizeExpr::constant(10);
  function.growables = {{3, 0, few, x * most}, {4, 1, max(few, t), t * most}};

  Dim inputRows, outputRows, channels;
  inputRows.slot = 0;
  outputRows.slot = 2;
  outputRows.capacity = y;
  channels.size = 4;
  function.inputs = {{"x", ElementType::F32, {inputRows, channels}}};
  function.outputs = {{"y", ElementType::F32, {outputRows, channels}}};
  function.buffers = {makeBuffer("x", Buffer::Kind::Input, x),
                      makeBuffer("t", Buffer::Kind::Scratch, t),
                      makeBuffer("y", Buffer::Kind::Output, y)};
  for (uint32_t op : {0, 1}) {
    Step step;
    step.op = op;
    step.gridX = ceilDiv(SizeExpr::growable(op), SizeExpr::constant(32));
    step.blockX = 128;
    step.params = {Param::buffer(op),
                   Param::buffer(op + 1),
                   Param::slot(op),
                   Param::slot(op + 1),
                   Param::slot(op + 3),
                   Param::status(),
                   Param::capacity(SizeExpr::growable(op)),
                   Param::i32(static_cast<int32_t>(op))};
    function.steps.push_back(std::move(step));
  }
  function.steps[1].dependencies = {0};
  plan.functions.push_back(std::move(function));
  return plan;
}

void sparseconv::addGrowingKernels(cuda::FakeDriver &driver) {
  driver.kernels["copies"] = {
      {8, 8, 8, 8, 8, 8, 8, 4}, [](const cuda::FakeLaunch &l) {
        const auto *from = l.pointer<float>(0);
        int64_t total = 0, limit = *l.pointer<int64_t>(4);
        if (limit != int64_t(l.params[6]))
          cuda::FakeDriver::get().misuse.push_back("two different limits");
        for (int64_t i = 0; i < *l.pointer<int64_t>(2); ++i)
          total += int64_t(from[4 * i]);
        *l.pointer<int64_t>(3) = total <= limit ? total : 0;
        if (total > limit) {
          StatusRecord record;
          record.code = static_cast<int64_t>(StatusCode::OverCapacity);
          record.opId = int32_t(l.params[7]);
          record.value = total;
          record.upper = limit;
          std::memcpy(l.pointer<char>(5), &record, sizeof(record));
          return;
        }
        auto *to = l.pointer<float>(1);
        for (int64_t i = 0; i < *l.pointer<int64_t>(2); ++i)
          for (int64_t copy = 0; copy < int64_t(from[4 * i]); ++copy, to += 4)
            std::memcpy(to, from + 4 * i, 16);
      }};
}

std::vector<float> sparseconv::makeGrowingRows(size_t rows, float copies) {
  std::vector<float> x;
  for (size_t i = 0; i != rows; ++i)
    x.insert(x.end(), {copies, float(i), float(i) / 2, -float(i)});
  return x;
}

std::vector<float> sparseconv::computeGrowing(const std::vector<float> &x) {
  std::vector<float> y;
  for (size_t i = 0; i < x.size(); i += 4)
    for (int64_t copy = 0; copy < int64_t(x[i]) * int64_t(x[i]); ++copy)
      y.insert(y.end(), x.begin() + i, x.begin() + i + 4);
  return y;
}
