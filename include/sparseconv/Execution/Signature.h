//===- Signature.h - what an entry function takes ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_SIGNATURE_H
#define SPARSECONV_EXECUTION_SIGNATURE_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

/// One argument or result of an entry function: a ranked tensor, or a scalar
/// (rank 0).
struct Parameter {
  std::string name; ///< as getArgumentName() and getResultName() say
  Type type;
  ::sparseconv::ElementKind kind;
  SmallVector<int64_t> shape; ///< ShapedType::kDynamic where any size goes
  /// The earlier argument that has as many rows in every call.
  std::optional<unsigned> equalRows = {};
  bool isScalar() const { return !isa<RankedTensorType>(type); }
};

struct Signature {
  SmallVector<Parameter> arguments, results;
};

/// The signature of function `entry` of `module`, with the equal rows that its
/// attributes name: findEqualRows() adds what follows. Errors: there is no such
/// function (the message names those that there are); a parameter is neither a
/// tensor nor a scalar of a known element type, but a coordinate set, say.
llvm::Expected<Signature> getSignature(ModuleOp module, StringRef entry);

/// The public functions that have a body and take and return tensors and
/// scalars alone, in order. Those on sets or maps are for callers inside the
/// module.
llvm::MapVector<StringRef, Signature> getEntries(ModuleOp module);

/// The error that there is no such function.
llvm::Error refuseEntry(StringRef name);

/// Whether an input of a plan for GPUs stands for a size: it has as many rows,
/// and no columns.
bool isSize(const ::sparseconv::plan::Value &input);

/// What a function of a plan takes and returns. A plan does not tell scalars
/// from tensors of one element, but for sizes.
Signature getSignature(const ::sparseconv::plan::Function &function,
                       MLIRContext *context);

/// Whether `value` can be passed as `parameter`: it has its element type and
/// sizes, and at most `kMaxRows` rows. The message names both types, or the
/// number of rows.
llvm::Error checkArgument(const Parameter &parameter,
                          const ::sparseconv::HostTensor &value);

/// All of `arguments` against `signature`, and those that need as many rows
/// against each other.
llvm::Error checkArguments(const Signature &signature,
                           ArrayRef<::sparseconv::HostTensor> arguments);

/// Adds to the error of a call which arguments of any number of rows have
/// different numbers of them: "'points' has 999 rows, but 'features' has 1000".
llvm::Error addRowCounts(llvm::Error error, const Signature &signature,
                         ArrayRef<::sparseconv::HostTensor> arguments);

/// The host's name for an MLIR element type (index counts as i64).
std::optional<::sparseconv::ElementKind> getElementKind(Type type);

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_SIGNATURE_H
