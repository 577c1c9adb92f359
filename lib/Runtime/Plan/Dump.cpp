//===- Dump.cpp - plans as text -------------------------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Runtime/Plan.h"
#include <locale>
#include <sstream>

using namespace sparseconv::plan;

/// "#2:'name'", or "#2" where there is no such element.
template <typename T>
static std::string refer(const std::vector<T> &list, uint32_t index) {
  std::string text = "#" + std::to_string(index);
  if (index < list.size())
    text += ":'" + list[index].name + "'";
  return text;
}

std::string sparseconv::plan::toString(const SizeExpr &expr,
                                       const Function &function) {
  std::vector<std::string> stack;
  for (const SizeTerm &term : expr.terms) {
    if (term.kind == SizeTerm::Kind::Constant) {
      stack.push_back(std::to_string(term.value));
      continue;
    }
    if (term.kind == SizeTerm::Kind::Capacity) {
      stack.push_back("cap(" +
                      (term.input < function.inputs.size()
                           ? function.inputs[term.input].name
                           : "#" + std::to_string(term.input)) +
                      ", " + std::to_string(term.dim) + ")");
      continue;
    }
    if (term.kind == SizeTerm::Kind::Growable) {
      stack.push_back("growable(" + std::to_string(term.growable) + ")");
      continue;
    }
    if (term.kind == SizeTerm::Kind::Exact && !stack.empty()) {
      stack.back() =
          "exact(" + std::to_string(term.slot) + ", " + stack.back() + ")";
      continue;
    }
    if (stack.size() < 2)
      return "<malformed>";
    std::string b = std::move(stack.back());
    stack.pop_back();
    std::string &a = stack.back();
    switch (term.kind) {
    case SizeTerm::Kind::Add:
      a = "(" + a + " + " + b + ")";
      break;
    case SizeTerm::Kind::Mul:
      a = "(" + a + " * " + b + ")";
      break;
    case SizeTerm::Kind::CeilDiv:
      a = "ceildiv(" + a + ", " + b + ")";
      break;
    case SizeTerm::Kind::FloorDiv:
      a = "floordiv(" + a + ", " + b + ")";
      break;
    case SizeTerm::Kind::Max:
      a = "max(" + a + ", " + b + ")";
      break;
    default:
      a = "min(" + a + ", " + b + ")";
      break;
    }
  }
  return stack.size() == 1 ? stack[0] : "<malformed>";
}

static void dumpValue(std::ostream &os, const char *kind, const Value &value,
                      const Function &function, bool isInput) {
  os << "  " << kind << " '" << value.name << "' "
     << (value.isScalar ? "scalar " : "");
  for (const Dim &dim : value.dims) {
    if (dim.size != kDynamic) {
      os << dim.size << 'x';
      continue;
    }
    // What the machine code of a CPU takes and returns has no slot.
    if (!isInput && !function.arguments.empty()) {
      os << "?x";
      continue;
    }
    os << "?(slot " << dim.slot;
    if (!isInput)
      os << ", at most " << toString(dim.capacity, function);
    os << ")x";
  }
  os << getName(value.type) << '\n';
}

static void dumpBuffer(std::ostream &os, const Buffer &buffer,
                       const Function &function) {
  static const char *const kinds[] = {"input",   "output",     "constant",
                                      "scratch", "persistent", "prepared"};
  os << "  buffer '" << buffer.name << "' "
     << kinds[static_cast<unsigned>(buffer.kind)];
  if (buffer.kind < Buffer::Kind::Scratch)
    os << ' ' << buffer.index;
  if (buffer.kind == Buffer::Kind::Scratch ||
      buffer.kind == Buffer::Kind::Prepared)
    os << " steps [" << buffer.firstStep << ", " << buffer.lastStep << ']';
  // Machine code of a CPU knows its sizes.
  if (function.arguments.empty())
    os << " bytes " << toString(buffer.bytes, function);
  os << '\n';
}

static std::string place(const Function &function, uint32_t buffer,
                         const SizeExpr &offset) {
  std::string text = refer(function.buffers, buffer);
  std::string bytes = toString(offset, function);
  return bytes == "0" ? text : text + " + " + bytes;
}

static void dumpParam(std::ostream &os, const Param &param,
                      const Function &function) {
  switch (param.kind) {
  case Param::Kind::Buffer:
    os << "buffer " << place(function, param.index, param.expr);
    return;
  case Param::Kind::Slot:
    os << "slot " << param.index;
    return;
  case Param::Kind::Status:
    os << "status";
    return;
  case Param::Kind::I32:
    os << "i32 " << param.value;
    return;
  case Param::Kind::I64:
    os << "i64 " << param.value;
    return;
  case Param::Kind::Capacity:
    os << "i64 " << toString(param.expr, function);
    return;
  }
}

static void dumpStep(std::ostream &os, uint32_t index, const Plan &plan,
                     const Function &function) {
  const Step &step = function.steps[index];
  os << "  step " << index << ": ";
  switch (step.kind) {
  case Step::Kind::Launch:
    os << "launch " << refer(plan.kernels, step.kernel) << " grid ("
       << toString(step.gridX, function) << ", "
       << toString(step.gridY, function) << ") block " << step.blockX;
    if (step.dynamicSharedBytes)
      os << " shared " << step.dynamicSharedBytes;
    if (step.cluster != 1)
      os << " cluster " << step.cluster;
    break;
  case Step::Kind::Memset:
    os << "memset " << place(function, step.target, step.targetOffset)
       << " bytes " << toString(step.bytes, function) << " value " << step.value
       << " of " << unsigned(step.valueBytes) << " bytes";
    break;
  case Step::Kind::Copy:
    os << "copy " << place(function, step.target, step.targetOffset) << " from "
       << place(function, step.source, step.sourceOffset) << " bytes "
       << toString(step.bytes, function);
    break;
  }
  if (step.stream)
    os << " stream " << step.stream;
  if (!step.dependencies.empty()) {
    os << " after";
    for (uint32_t dependency : step.dependencies)
      os << ' ' << dependency;
  }
  if (step.prepares)
    os << " prepares";
  if (step.counts)
    os << " counts";
  if (step.hasPrologue)
    os << " prologue";
  if (step.op != kNone)
    os << " op " << step.op;
  os << '\n';
  for (const Param &param : step.params) {
    os << "    ";
    dumpParam(os, param, function);
    os << '\n';
  }
}

static const char *getKindName(Image::Kind kind) {
  static const char *const names[] = {"ptx", "cubin", "machine code"};
  return names[static_cast<unsigned>(kind)];
}

std::string sparseconv::plan::dump(const Plan &plan) {
  std::ostringstream os;
  os.imbue(std::locale::classic());
  os << "plan version " << kVersion << " by '" << plan.producer << "'\n";
  for (const Module &module : plan.modules) {
    os << "module '" << module.name << "'\n";
    for (const Image &image : module.images)
      os << "  " << getKindName(image.kind) << ' ' << image.chip << ' '
         << image.bytes.size() << " bytes\n";
  }
  for (const Kernel &kernel : plan.kernels)
    os << "kernel '" << kernel.name << "' module "
       << refer(plan.modules, kernel.module) << " shared "
       << kernel.staticSharedBytes << " + " << kernel.dynamicSharedBytes
       << '\n';
  for (const Constant &constant : plan.constants)
    os << "constant '" << constant.name << "' " << constant.size << " bytes"
       << (constant.inFile ? "" : " by reference") << '\n';
  for (const Function &function : plan.functions) {
    os << "function '" << function.name << "' streams " << function.numStreams
       << '\n';
    for (const Value &input : function.inputs)
      dumpValue(os, "input", input, function, /*isInput=*/true);
    for (const Value &output : function.outputs)
      dumpValue(os, "output", output, function, /*isInput=*/false);
    for (const Value &argument : function.arguments)
      dumpValue(os, "argument", argument, function, /*isInput=*/false);
    for (size_t i = 0; i != function.slots.size(); ++i)
      os << "  slot " << i << " '" << function.slots[i] << "'\n";
    for (size_t i = 0; i != function.growables.size(); ++i) {
      const Growable &growable = function.growables[i];
      os << "  growable " << i << " slot " << growable.slot << " from "
         << toString(growable.start, function) << ", at most "
         << toString(growable.bound, function) << " op " << growable.op << '\n';
    }
    for (const Buffer &buffer : function.buffers)
      dumpBuffer(os, buffer, function);
    for (size_t i = 0; i != function.ops.size(); ++i)
      os << "  op " << i << ' '
         << (function.ops[i].name.empty() ? "unnamed" : function.ops[i].name)
         << " at '" << function.ops[i].location << "'\n";
    for (uint32_t i = 0; i != function.steps.size(); ++i)
      dumpStep(os, i, plan, function);
  }
  return os.str();
}
