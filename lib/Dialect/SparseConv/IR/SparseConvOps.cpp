//===- SparseConvOps.cpp - registration and shared directives -------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "CustomDirectives.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpImplementation.h"
#include "sparseconv/Dialect/SparseConv/IR/Verification.h"

using namespace mlir;
using namespace mlir::sparseconv;

//===----------------------------------------------------------------------===//
// Directives
//===----------------------------------------------------------------------===//

/// `box<...>` or `list<...>`, the attribute without its dialect prefix.
ParseResult sparseconv::parseOffsetSet(OpAsmParser &parser,
                                       OffsetSetInterface &offsets) {
  SMLoc loc = parser.getCurrentLocation();
  Attribute attr;
  if (succeeded(parser.parseOptionalKeyword("box")))
    attr = BoxAttr::parse(parser, {});
  else if (succeeded(parser.parseOptionalKeyword("list")))
    attr = OffsetListAttr::parse(parser, {});
  else
    return parser.emitError(loc, "expects 'box<...>' or 'list<...>'");
  offsets = llvm::dyn_cast_if_present<OffsetSetInterface>(attr);
  return success(attr != nullptr);
}

void sparseconv::printOffsetSet(OpAsmPrinter &printer, Operation *,
                                OffsetSetInterface offsets) {
  if (auto box = dyn_cast<BoxAttr>(Attribute(offsets))) {
    printer << "box";
    return box.print(printer);
  }
  printer << "list";
  cast<OffsetListAttr>(Attribute(offsets)).print(printer);
}

/// The floor rule goes without saying.
ParseResult sparseconv::parseOutputRule(OpAsmParser &parser,
                                        OutputRuleAttr &rule) {
  bool cover = succeeded(parser.parseOptionalKeyword("cover"));
  rule = OutputRuleAttr::get(parser.getContext(),
                             cover ? OutputRule::Cover : OutputRule::Floor);
  return success();
}

void sparseconv::printOutputRule(OpAsmPrinter &printer, Operation *,
                                 OutputRuleAttr rule) {
  if (rule.getValue() == OutputRule::Cover)
    printer << " cover";
}

ParseResult sparseconv::parseScatterKind(OpAsmParser &parser,
                                         PoolKindAttr &kind) {
  PoolKind found = PoolKind::Sum;
  for (PoolKind other : {PoolKind::Max, PoolKind::Avg})
    if (succeeded(parser.parseOptionalKeyword(stringifyPoolKind(other))))
      found = other;
  kind = PoolKindAttr::get(parser.getContext(), found);
  return success();
}

void sparseconv::printScatterKind(OpAsmPrinter &printer, Operation *,
                                  PoolKindAttr kind) {
  if (kind.getValue() != PoolKind::Sum)
    printer << ' ' << stringifyPoolKind(kind.getValue());
}

//===----------------------------------------------------------------------===//
// Verification
//===----------------------------------------------------------------------===//

bool sparseconv::isZeroOffset(OffsetSetInterface offsets) {
  return offsets.getVolume() == 1 &&
         llvm::all_of(offsets.getFlatOffsets(),
                      [](int64_t number) { return number == 0; });
}

LogicalResult sparseconv::verifyOffsets(Operation *op,
                                        OffsetSetInterface offsets,
                                        CoordsType fine) {
  if (offsets.getDim() != fine.getDim())
    return op->emitOpError("expects offsets of ")
           << fine.getDim() << " axes, but found " << offsets.getDim();
  for (unsigned axis = 0; axis < fine.getDim(); ++axis) {
    auto [low, high] = offsets.getExtent(axis);
    int64_t far = -low > high ? low : high;
    int64_t guard = fine.getPacking().getGuard()[axis];
    if (std::abs(far) > guard / fine.getStride()[axis])
      return op->emitOpError("offset ")
             << far << " times stride " << fine.getStride()[axis] << " on axis "
             << axis << " is beyond the packing's guard " << guard;
  }
  return success();
}

LogicalResult sparseconv::verifyPointColumns(Operation *op,
                                             RankedTensorType points,
                                             CoordsType coords) {
  int64_t columns = coords.getDim() + 1;
  if (points.getDimSize(1) != columns)
    return op->emitOpError("expects points with ")
           << columns << " columns (batch and " << coords.getDim()
           << " axes), but found " << points;
  return success();
}

#include "sparseconv/Dialect/SparseConv/IR/SparseConvOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.cpp.inc"

void SparseConvDialect::registerOps() {
  addOperations<
#define GET_OP_LIST
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.cpp.inc"
      >();
}
