//===- SignatureAttributes.h - attributes of arguments ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_UTILS_SIGNATUREATTRIBUTES_H
#define SPARSECONV_DIALECT_SPARSECONV_UTILS_SIGNATUREATTRIBUTES_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir {
class TypeConverter;

namespace sparseconv {

/// The attributes of the arguments and results of a function, kept while a
/// conversion changes its type: a map takes two positions afterwards, and those
/// behind it move.
class SignatureAttributes {
public:
  /// Takes the attributes off `function`.
  explicit SignatureAttributes(FunctionOpInterface function);

  FunctionOpInterface getFunction() const { return function; }

  /// Puts them back, each at the first position of what its type has become:
  /// those of a set on its keys, those of a map on its table.
  void restore(const TypeConverter &converter);

private:
  FunctionOpInterface function;
  SmallVector<Type> arguments, results;
  SmallVector<DictionaryAttr> argumentAttributes, resultAttributes;
};

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_DIALECT_SPARSECONV_UTILS_SIGNATUREATTRIBUTES_H
