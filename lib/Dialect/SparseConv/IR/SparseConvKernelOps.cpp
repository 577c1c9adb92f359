//===- SparseConvKernelOps.cpp - kernel operations ------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CustomDirectives.h"
#include "mlir/IR/Builders.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"
#include "sparseconv/Dialect/SparseConv/IR/StatusArgument.h"

using namespace mlir;
using namespace mlir::sparseconv;

bool mlir::sparseconv::isKernelOp(Operation *op) {
  return isa_and_nonnull<SparseConvDialect>(op->getDialect()) &&
         op->getName().stripDialect().starts_with("kernel.");
}

DestinationStyleOpInterface mlir::sparseconv::getKernel(Operation *op) {
  return isKernelOp(op) ? dyn_cast<DestinationStyleOpInterface>(op)
                        : DestinationStyleOpInterface();
}

/// keyword `(` operands `:` types `)`
static ParseResult parseOperandGroup(OpAsmParser &parser, StringRef keyword,
                                     OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<Type> types;
  SMLoc loc = parser.getCurrentLocation();
  return failure(parser.parseKeyword(keyword) || parser.parseLParen() ||
                 parser.parseOperandList(operands) ||
                 parser.parseColonTypeList(types) || parser.parseRParen() ||
                 parser.resolveOperands(operands, types, loc, result.operands));
}

ParseResult sparseconv::parseKernelOp(OpAsmParser &parser,
                                      OperationState &result) {
  if (parseOperandGroup(parser, "ins", result) ||
      parseOperandGroup(parser, "outs", result) ||
      parser.parseOptionalAttrDict(result.attributes))
    return failure();
  // Operations with an epilogue have a region, which may be empty.
  if (result.name.hasTrait<OpTrait::OneRegion>()) {
    Region *epilogue = result.addRegion();
    if (succeeded(parser.parseOptionalKeyword("epilogue")) &&
        parser.parseRegion(*epilogue))
      return failure();
  }
  return parser.parseOptionalArrowTypeList(result.types);
}

static void printOperandGroup(OpAsmPrinter &printer, StringRef keyword,
                              ArrayRef<Value> operands) {
  printer << ' ' << keyword << '(';
  llvm::interleaveComma(operands, printer);
  printer << " : ";
  llvm::interleaveComma(ValueRange(operands).getTypes(), printer);
  printer << ')';
}

void sparseconv::printKernelOp(OpAsmPrinter &printer,
                               DestinationStyleOpInterface op) {
  SmallVector<Value> ins, outs;
  for (OpOperand &operand : op->getOpOperands())
    (op.isDpsInit(&operand) ? outs : ins).push_back(operand.get());
  printOperandGroup(printer, "ins", ins);
  printOperandGroup(printer, "outs", outs);
  printer.printOptionalAttrDict(op->getAttrs());
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    printer << " epilogue ";
    printer.printRegion(region);
  }
  printer.printOptionalArrowTypeList(op->getResultTypes());
}

void sparseconv::getKernelEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    auto buffer = dyn_cast<MemRefType>(operand.get().getType());
    if (!buffer)
      continue;
    effects.emplace_back(MemoryEffects::Read::get(), &operand);
    // On tensors the one buffer is the status record.
    bool isStatus = op.hasPureTensorSemantics() || op->getNumResults() != 0 ||
                    buffer == getStatusType(op.getContext());
    if (op.isDpsInit(&operand) || isStatus)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}
