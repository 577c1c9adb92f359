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
#include "sparseconv/Dialect/SparseConv/IR/EntryNames.h"
#include "sparseconv/Dialect/SparseConv/IR/EntrySizes.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvTypes.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"
#include "sparseconv/Dialect/SparseConv/IR/TrustedTables.h"
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

/// Any operation of the dialect may move into a caller. Kernel operations have
/// numbers in the table of the module, which is one for all of its functions.
struct CallInlinerInterface : public DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final {
    return true;
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Attributes of other operations, of arguments and of results
//===----------------------------------------------------------------------===//

static bool isCount(Attribute value) {
  auto number = dyn_cast<IntegerAttr>(value);
  return number && number.getType().isInteger(64) && number.getInt() >= 0;
}

/// An error that says what is wrong with the attribute, if it does not hold.
static LogicalResult expect(Operation *op, NamedAttribute attribute, bool holds,
                            const Twine &what) {
  if (holds)
    return success();
  return op->emitOpError("expects '")
         << attribute.getName().getValue() << "' to be " << what;
}

static LogicalResult refuse(Operation *op, NamedAttribute attribute,
                            const Twine &whose) {
  return op->emitOpError("has the attribute '")
         << attribute.getName().getValue() << "', which is none of " << whose;
}

LogicalResult
SparseConvDialect::verifyOperationAttribute(Operation *op,
                                            NamedAttribute attribute) {
  StringRef name = attribute.getName();
  Attribute value = attribute.getValue();
  if (name == kOpTableAttr || name == kKernelTableAttr)
    return expect(op, attribute, isOpTable(value),
                  "pairs of a name and a location");
  if (name == kOpIdAttr)
    return expect(op, attribute, isCount(value),
                  "the number of an operation (i64)");
  if (name == kReachAttrName)
    return expect(op, attribute, isCount(value), "a number (i64)");
  if (name == kTargetAttrName)
    return expect(op, attribute, isa<ModuleOp>(op) && isa<TargetAttr>(value),
                  "a #sparseconv.target of a module");
  if (name == kTrustedAttr || name == kLoadAttrName)
    return expect(op, attribute, isa<UnitAttr>(value), "without a value");
  return refuse(op, attribute, "an operation");
}

LogicalResult SparseConvDialect::verifyRegionArgAttribute(
    Operation *op, unsigned, unsigned number, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kNameAttr || name == kRowsAttr)
    return expect(op, attribute, isa<StringAttr>(attribute.getValue()),
                  "a string");
  // Types change with a function, so only those of `func` are looked at.
  auto function = dyn_cast<func::FuncOp>(op);
  if (name == kSizeOfAttr)
    return function ? verifySizeOf(op, attribute.getValue(),
                                   function.getArgumentTypes())
                    : success();
  if (name == kRestoredAttrName)
    return expect(op, attribute, isa<UnitAttr>(attribute.getValue()),
                  "without a value");
  if (name == kStatusAttr)
    return expect(op, attribute,
                  isa<UnitAttr>(attribute.getValue()) &&
                      (!function || function.getArgumentTypes()[number] ==
                                        getStatusType(getContext())),
                  "without a value, and of a memref<8xi64>");
  return refuse(op, attribute, "an argument");
}

LogicalResult SparseConvDialect::verifyRegionResultAttribute(
    Operation *op, unsigned, unsigned, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kNameAttr)
    return expect(op, attribute, isa<StringAttr>(attribute.getValue()),
                  "a string");
  auto function = dyn_cast<func::FuncOp>(op);
  if (name == kSizeOfAttr)
    return function ? verifySizeOf(op, attribute.getValue(),
                                   function.getResultTypes())
                    : success();
  return refuse(op, attribute, "a result");
}

void SparseConvDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerOps();
  addInterfaces<AliasInterface, BytecodeInterface, CallInlinerInterface>();
}
