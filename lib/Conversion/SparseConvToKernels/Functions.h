//===- Functions.h - functions around networks ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_FUNCTIONS_H
#define SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_FUNCTIONS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir {
class TypeConverter;

namespace sparseconv {

/// Errors for what no status record or converted type reaches: declarations
/// that take or return sets or maps, and functions used as values.
LogicalResult verifyFunctions(ModuleOp module, const TypeConverter &converter);

/// Appends the status record to every function with a body and to every call
/// of one.
void addStatusArguments(ModuleOp module);

/// Ends every `scf.while` once an error is reported: the empty sets that follow
/// an error may never meet its own condition.
void endLoopsOnErrors(ModuleOp module);

/// The attributes of arguments and results, kept while signatures change: a map
/// takes two positions afterwards, and those behind it move.
class SignatureAttributes {
public:
  /// Takes the attributes off the functions of `module`.
  explicit SignatureAttributes(ModuleOp module);

  /// Puts them back: those of a set on its keys, those of a map on its table.
  /// Tensors that public functions take belong to the caller and become read
  /// only.
  void restore(const TypeConverter &converter);

private:
  struct Entry {
    func::FuncOp function;
    FunctionType type;
    SmallVector<DictionaryAttr> arguments, results;
  };
  SmallVector<Entry> entries;
};

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_FUNCTIONS_H
