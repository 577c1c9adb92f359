//===- SignatureAttributes.cpp - attributes of arguments ------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Dialect/SparseConv/Utils/SignatureAttributes.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace mlir::sparseconv;

SignatureAttributes::SignatureAttributes(FunctionOpInterface function)
    : function(function), arguments(function.getArgumentTypes()),
      results(function.getResultTypes()) {
  function.getAllArgAttrs(argumentAttributes);
  function.getAllResultAttrs(resultAttributes);
  function.removeArgAttrsAttr();
  function.removeResAttrsAttr();
}

/// The first position of what `type` becomes, which `position` passes.
static unsigned advance(const TypeConverter &converter, Type type,
                        unsigned &position) {
  SmallVector<Type> types;
  [[maybe_unused]] LogicalResult result = converter.convertType(type, types);
  assert(succeeded(result) && "the signature has been converted");
  return std::exchange(position, position + types.size());
}

void SignatureAttributes::restore(const TypeConverter &converter) {
  unsigned position = 0;
  for (auto [type, attributes] : llvm::zip(arguments, argumentAttributes))
    function.setArgAttrs(advance(converter, type, position), attributes);
  position = 0;
  for (auto [type, attributes] : llvm::zip(results, resultAttributes))
    function.setResultAttrs(advance(converter, type, position), attributes);
}
