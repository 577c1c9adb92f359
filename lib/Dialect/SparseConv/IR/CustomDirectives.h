//===- CustomDirectives.h - pieces of assembly formats ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_IR_CUSTOMDIRECTIVES_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_IR_CUSTOMDIRECTIVES_H

#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"

namespace mlir::sparseconv {

/// `box<...>` or `list<...>`: an offset set without its dialect prefix.
ParseResult parseOffsetSet(OpAsmParser &parser, OffsetSetInterface &offsets);
void printOffsetSet(OpAsmPrinter &printer, Operation *op,
                    OffsetSetInterface offsets);

/// ` cover`, or nothing for the floor rule.
ParseResult parseOutputRule(OpAsmParser &parser, OutputRuleAttr &rule);
void printOutputRule(OpAsmPrinter &printer, Operation *op, OutputRuleAttr rule);

/// ` max`, ` avg`, or nothing for a sum.
ParseResult parseScatterKind(OpAsmParser &parser, PoolKindAttr &kind);
void printScatterKind(OpAsmPrinter &printer, Operation *op, PoolKindAttr kind);

/// `present` or `volume`.
ParseResult parseCountKind(OpAsmParser &parser, CountKindAttr &count);
void printCountKind(OpAsmPrinter &printer, Operation *op, CountKindAttr count);

/// `epilogue(%a, %b : type, type) { region }`, `epilogue { region }`, or
/// nothing.
ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
              SmallVectorImpl<Type> &types, Region &epilogue);
void printEpilogue(OpAsmPrinter &printer, Operation *op, OperandRange extras,
                   TypeRange types, Region &epilogue);

/// `ins(%a : type) outs(%b : type) {attributes} region? (-> types)?`: the form
/// of all kernel operations.
ParseResult parseKernelOp(OpAsmParser &parser, OperationState &result);
void printKernelOp(OpAsmPrinter &printer, DestinationStyleOpInterface op);

/// Kernel operations read their buffers, and write inits and status record.
void getKernelEffects(
    DestinationStyleOpInterface op,
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_IR_CUSTOMDIRECTIVES_H
