//===- SparseConvDialect.cpp - the dialect and its hooks ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.h"
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Transforms/InliningUtils.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::sparseconv;

#include "sparseconv/Dialect/SparseConv/IR/SparseConvDialect.cpp.inc"

namespace {

/// Short names for what would otherwise be written out at every use.
struct AliasInterface : public OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attr, raw_ostream &os) const override {
    if (isa<PackingAttr>(attr)) {
      os << "packing";
      return AliasResult::FinalAlias;
    }
    return AliasResult::NoAlias;
  }

  AliasResult getAlias(Type type, raw_ostream &os) const override {
    return llvm::TypeSwitch<Type, AliasResult>(type)
        .Case([&](CoordsType coords) {
          os << "coords";
          for (int64_t stride : coords.getStride())
            os << '_' << stride;
          return AliasResult::OverridableAlias;
        })
        .Case([&](KernelMapType map) {
          os << "map" << map.getVolume();
          return AliasResult::OverridableAlias;
        })
        .Default(AliasResult::NoAlias);
  }
};

/// Version of the encoding that wrote a bytecode file.
struct Version : public DialectVersion {
  explicit Version(int64_t number) : number(number) {}
  int64_t number;
};

/// Types and attributes travel as text; the version says which text.
struct BytecodeInterface : public BytecodeDialectInterface {
  explicit BytecodeInterface(Dialect *dialect)
      : BytecodeDialectInterface(dialect) {}

  void writeVersion(DialectBytecodeWriter &writer) const override {
    writer.writeVarInt(SparseConvDialect::kBytecodeVersion);
  }

  std::unique_ptr<DialectVersion>
  readVersion(DialectBytecodeReader &reader) const override {
    uint64_t number;
    if (failed(reader.readVarInt(number)))
      return nullptr;
    if (number > SparseConvDialect::kBytecodeVersion) {
      reader.emitError() << "sparseconv bytecode of version " << number
                         << " is newer than this build reads (version "
                         << SparseConvDialect::kBytecodeVersion << ")";
      return nullptr;
    }
    return std::make_unique<Version>(number);
  }
};

} // namespace

namespace {
/// Any operation of the dialect may move into a caller.
struct CallInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

LogicalResult
SparseConvDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  StringAttr name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kOpTableAttr && !isOpTable(value))
    return op->emitOpError("expects pairs of a name and a location in '")
           << name.getValue() << "'";
  if (name == kOpIdAttr) {
    auto number = dyn_cast<IntegerAttr>(value);
    if (!number || !number.getType().isInteger(64) || number.getInt() < 0)
      return op->emitOpError("expects a number of an operation (i64) in '")
             << name.getValue() << "'";
  }
  if (name == kTargetAttrName &&
      (!isa<ModuleOp>(op) || !isa<TargetAttr>(value)))
    return op->emitOpError("expects '")
           << name.getValue() << "' to be a #sparseconv.target of a module";
  return success();
}

/// Types change with a function, so only those of `func` are looked at.
LogicalResult
SparseConvDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned,
                                            NamedAttribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || attribute.getName() != kSizeOfAttr)
    return success();
  return verifySizeOf(op, attribute.getValue(), function.getArgumentTypes());
}

LogicalResult SparseConvDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  auto function = dyn_cast<func::FuncOp>(op);
  if (!function || attribute.getName() != kSizeOfAttr)
    return success();
  return verifySizeOf(op, attribute.getValue(), function.getResultTypes());
}

void SparseConvDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  addInterfaces<AliasInterface, BytecodeInterface, CallInlinerInterface>();
}
