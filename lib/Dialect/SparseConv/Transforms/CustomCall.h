//===- CustomCall.h - calls that other compilers name -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// StableHLO's custom calls and composites and torch-mlir's operators, read by
// their generic form: neither project is linked.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CUSTOMCALL_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CUSTOMCALL_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include <optional>

namespace mlir::sparseconv {

class CallRaiser;

/// An attribute that a call may have. Without a fallback it has to.
struct CallAttribute {
  StringRef name, fallback;
};

/// What a call of one name takes, and what becomes of it.
struct CallRule {
  StringRef name;
  SmallVector<StringRef> operands, results;
  SmallVector<CallAttribute> attributes;
  /// Builds the operations that the call stands for; no values after an error.
  SmallVector<Value> (*raise)(CallRaiser &call);
};

/// All rules, in the order of the documentation.
ArrayRef<CallRule> getCallRules();

/// The name that `op` calls, without "sparseconv.", if it is a call for us.
std::optional<StringRef> getCalledName(Operation *op);

/// A call as its rule sees it.
struct CustomCall {
  Operation *op;
  const CallRule *rule;
  SmallVector<Value> operands;
  /// What is given of the rule's attributes.
  NamedAttrList attributes;
};

/// Reads `op`, a call of the name of `rule`, or gives an error that says what
/// is wrong with its operands, attributes or results.
FailureOr<CustomCall> readCall(Operation *op, const CallRule &rule);

/// The tensor that `type` is: itself, or what torch-mlir writes as
/// `!torch.vtensor<[?,4],si32>`. Null where it is none with a known rank.
RankedTensorType getCalledType(Type type);

/// `value` as a builtin tensor of `type`, or a builtin tensor as `type`, by the
/// operations that torch-mlir's own conversions make and remove.
Value bridge(OpBuilder &builder, Value value, Type type);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CUSTOMCALL_H
