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
#include "sparseconv/Dialect/SparseConv/Utils/SignatureAttributes.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir {
class TypeConverter;

namespace sparseconv {

/// Whether `op` is on the network level of the dialect.
bool isNetworkOp(Operation *op);

/// The functions that the conversion changes. Others stay as they are.
class NetworkFunctions {
public:
  /// Those with operations or types of the network level, and those that call
  /// one of them. With `every`, all functions that have a body.
  NetworkFunctions(ModuleOp module, const TypeConverter &converter, bool every);

  bool contains(Operation *function) const { return all.contains(function); }
  /// Whether a function is one not only for what it calls.
  bool isDirect(Operation *function) const { return direct.contains(function); }
  ArrayRef<FunctionOpInterface> getAll() const { return inOrder; }
  /// Calls `body` for each operation inside the functions, in program order.
  void walk(function_ref<void(Operation *op)> body) const;

private:
  llvm::SmallPtrSet<Operation *, 8> all, direct;
  SmallVector<FunctionOpInterface> inOrder;
};

/// Errors for what no status record or converted type reaches: declarations
/// that take or return sets or maps, functions of other dialects that do, and
/// functions used as values.
LogicalResult verifyFunctions(ModuleOp module,
                              const NetworkFunctions &functions,
                              const TypeConverter &converter);

/// Appends the status record to every network function and to every call of
/// one.
void addStatusArguments(const NetworkFunctions &functions);

/// Ends every `scf.while` once an error is reported: the empty sets that follow
/// an error may never meet its own condition.
void endLoopsOnErrors(const NetworkFunctions &functions);

/// The attributes of arguments and results, kept while signatures change.
class NetworkSignatures {
public:
  /// Takes the attributes off the functions.
  explicit NetworkSignatures(const NetworkFunctions &functions);

  /// Puts them back, and marks the status records. Tensors that public
  /// functions of the network take belong to the caller and become read only.
  void restore(const TypeConverter &converter);

private:
  struct Entry {
    SignatureAttributes attributes;
    bool isDirect;
  };
  SmallVector<Entry, 0> entries;
  SmallVector<FunctionOpInterface> functions;
};

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_LIB_CONVERSION_SPARSECONVTOKERNELS_FUNCTIONS_H
