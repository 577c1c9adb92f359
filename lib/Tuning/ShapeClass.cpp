//===- ShapeClass.cpp - layers that the same choices may suit -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Tuning/Choices.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// "27x64x64".
static std::string joinSizes(ArrayRef<int64_t> sizes) {
  return llvm::join(
      llvm::map_range(sizes, [](int64_t size) { return std::to_string(size); }),
      "x");
}

static std::string describeSets(CoordsType in, CoordsType out) {
  return joinSizes(in.getStride()) + " to " + joinSizes(out.getStride());
}

static void print(llvm::raw_ostream &os, ImplicitGemmOpInterface op) {
  os << op.getFeatures().getType().getElementType()
     << (op.getAllowTf32() ? " as tf32" : "")
     << (op.getAllowNondeterministic() ? " in any order " : " ")
     << joinSizes(op.getWeightsType().getShape()) << ' ';
  KernelMapType map = op.getMap().getType();
  os << describeSets(map.getIn(), map.getOut());
}

/// Long lists of offsets are told apart by their number alone.
static void print(llvm::raw_ostream &os, KernelMapOp op) {
  constexpr size_t kLongest = 80;
  std::string offsets;
  llvm::raw_string_ostream(offsets) << op.getOffsets();
  if (offsets.size() > kLongest)
    offsets = "list";
  StringRef name = offsets;
  name.consume_front("#sparseconv.");
  os << op.getMap().getType().getVolume() << ' ' << name << ' '
     << describeSets(op.getIn().getType(), op.getOut().getType())
     << (op.getTransposed() ? " transposed" : "")
     << (op.getIn() == op.getOut() ? " of one set" : "") << " i"
     << op.getIn().getType().getPacking().getKeyWidth();
}

static void print(llvm::raw_ostream &os, DownsampleOp op) {
  os << describeSets(op.getCoords().getType(), op.getResult().getType()) << " i"
     << op.getResult().getType().getPacking().getKeyWidth();
}

std::string mlir::sparseconv::getShapeClass(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  auto describe = [&](auto layer) {
    os << op->getName().stripDialect() << ' ';
    print(os, layer);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<ImplicitGemmOpInterface, KernelMapOp>(describe)
      .Case([&](DownsampleOp downsample) {
        if (downsample.getRule() == OutputRule::Floor)
          describe(downsample);
      });
  return text;
}
