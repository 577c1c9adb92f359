//===- Plan.cpp - small parts of plans ------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Plan.h"
#include <algorithm>
#include <map>

using namespace sparseconv::plan;

unsigned sparseconv::plan::getByteWidth(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
    return 1;
  case ElementType::I16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::F64:
    return 8;
  }
  return 0;
}

const char *sparseconv::plan::getName(ElementType type) {
  static const char *const names[kNumElementTypes] = {
      "i1", "i8", "ui8", "i16", "i32", "i64", "f16", "bf16", "f32", "f64"};
  return names[static_cast<unsigned>(type)];
}

std::optional<uint64_t> sparseconv::plan::countBytes(ElementType type,
                                                     const int64_t *sizes,
                                                     size_t rank) {
  uint64_t bytes = getByteWidth(type);
  for (size_t axis = 0; axis != rank; ++axis)
    if (sizes[axis] < 0 ||
        __builtin_mul_overflow(bytes, uint64_t(sizes[axis]), &bytes))
      return std::nullopt;
  return bytes;
}

std::string sparseconv::plan::describe(const StatusRecord &record,
                                       const std::vector<Op> &ops) {
  bool isKnown = record.opId >= 0 && uint64_t(record.opId) < ops.size();
  Op op = isKnown ? ops[record.opId] : Op();
  return formatStatus(record, op.name, op.location);
}

std::string sparseconv::plan::describeUnequalRows(const std::string &name,
                                                  int64_t rows,
                                                  const std::string &other,
                                                  int64_t otherRows) {
  return "'" + name + "' has " + std::to_string(rows) + " rows, but '" + other +
         "' has " + std::to_string(otherRows) + ": both need the same number";
}

std::string Function::describe() const { return "function '" + name + "'"; }

std::string Function::describe(bool isInput, size_t index) const {
  const Value &value = (isInput ? inputs : outputs)[index];
  return describe() + (isInput ? ": input '" : ": output '") + value.name + "'";
}

bool Plan::isForCpu() const {
  return !modules.empty() && !modules[0].images.empty() &&
         modules[0].images[0].kind == Image::Kind::MachineCode;
}

std::optional<uint64_t> Image::find(std::string_view name) const {
  for (const Symbol &symbol : symbols)
    if (symbol.name == name)
      return symbol.offset;
  return std::nullopt;
}

std::optional<uint64_t> Image::findFunction(std::string_view name) const {
  return find(std::string(kPackedPrefix).append(name));
}

Param Param::buffer(uint32_t index, SizeExpr offset) {
  Param param;
  param.kind = Kind::Buffer;
  param.index = index;
  param.expr = std::move(offset);
  return param;
}

Param Param::slot(uint32_t index) {
  Param param;
  param.kind = Kind::Slot;
  param.index = index;
  return param;
}

Param Param::status() {
  Param param;
  param.kind = Kind::Status;
  return param;
}

bool Value::hasStaticShape() const {
  return std::all_of(dims.begin(), dims.end(),
                     [](const Dim &dim) { return dim.size != kDynamic; });
}

std::vector<int64_t> Value::getSizes() const {
  std::vector<int64_t> sizes;
  for (const Dim &dim : dims)
    sizes.push_back(dim.size);
  return sizes;
}

Param Param::i32(int32_t value) {
  Param param;
  param.kind = Kind::I32;
  param.value = value;
  return param;
}

Param Param::i64(int64_t value) {
  Param param;
  param.kind = Kind::I64;
  param.value = value;
  return param;
}

Param Param::capacity(SizeExpr expr) {
  Param param;
  param.kind = Kind::Capacity;
  param.expr = std::move(expr);
  return param;
}

std::string_view Plan::keep(std::string bytes) {
  return storage.emplace_back(std::move(bytes));
}

uint32_t Plan::addConstant(std::string name, std::string bytes) {
  Constant constant;
  constant.name = std::move(name);
  constant.bytes = keep(std::move(bytes));
  constant.size = constant.bytes.size();
  constant.hash = hashBytes(constant.bytes);
  constants.push_back(std::move(constant));
  return constants.size() - 1;
}

const Function *Plan::findFunction(std::string_view name) const {
  for (const Function &function : functions)
    if (function.name == name)
      return &function;
  return nullptr;
}

std::vector<std::pair<uint32_t, uint32_t>> Function::findEqualRows() const {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;
  std::map<uint32_t, uint32_t> firsts; // by slot
  for (uint32_t i = 0; i != inputs.size(); ++i) {
    const std::vector<Dim> &dims = inputs[i].dims;
    if (dims.empty() || dims[0].size != kDynamic)
      continue;
    auto [first, isNew] = firsts.emplace(dims[0].slot, i);
    if (!isNew)
      pairs.emplace_back(i, first->second);
  }
  return pairs;
}

/// Eight bytes per step, with every bit of a word reaching every bit of the
/// state: it guards against damage, not against an adversary.
uint64_t sparseconv::plan::hashBytes(std::string_view bytes) {
  constexpr uint64_t multiplier = 0xD6E8FEB86659FD93u;
  uint64_t state = 0x9E3779B97F4A7C15u ^ bytes.size();
  auto mix = [&](uint64_t word) {
    state = (state ^ word) * multiplier;
    state ^= state >> 32;
  };
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word = 0;
    for (unsigned b = 0; b != 8; ++b)
      word |= uint64_t(static_cast<unsigned char>(bytes[i + b])) << (8 * b);
    mix(word);
  }
  uint64_t rest = 0;
  for (unsigned b = 0; i + b < bytes.size(); ++b)
    rest |= uint64_t(static_cast<unsigned char>(bytes[i + b])) << (8 * b);
  mix(rest);
  mix(0);
  return state;
}
