//===- Reference.h - the reference interpreter ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a module of network operations and of the upstream operations around
// them, one operation after the other, in plain C++. It states what every
// operation means and is what the compiled targets are compared with.
//
// Floating point is float64 throughout. A tensor that an operation stores is
// rounded to its element type. A scalar is rounded where its type is narrower
// than f32, or where `arith.truncf` gives it. What else is computed on scalars,
// or in the region of a linalg operation or an epilogue, stays f64.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_REFERENCE_REFERENCE_H
#define SPARSECONV_REFERENCE_REFERENCE_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Support/HostTensor.h"
#include "sparseconv/Support/Status.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace mlir::sparseconv {

struct ReferenceOptions {
  /// Never rounds; floating-point results come back as f64 tensors, and
  /// floating-point arguments may be f64 tensors.
  bool exact = false;
};

/// A run-time error of an operation (beside the status record that a compiled
/// function would leave, the operation's name and its place in the source).
class ReferenceFailure : public llvm::ErrorInfo<ReferenceFailure> {
public:
  static char ID; // NOLINT(readability-identifier-naming): LLVM asks for it

  ReferenceFailure(const ::sparseconv::StatusRecord &record, StringRef opName,
                   StringRef location)
      : record(record), opName(opName), location(location) {}

  const ::sparseconv::StatusRecord &getRecord() const { return record; }
  StringRef getLocation() const { return location; }

  void log(llvm::raw_ostream &os) const override;
  std::error_code convertToErrorCode() const override;

private:
  ::sparseconv::StatusRecord record;
  std::string opName;
  std::string location;
};

/// Runs function `entry` of `module`. Tensors and scalars (as tensors of rank
/// 0, `index` as i64) go in and come out in the order of the signature.
llvm::Expected<std::vector<::sparseconv::HostTensor>>
runReference(ModuleOp module, StringRef entry,
             ArrayRef<::sparseconv::HostTensor> args,
             const ReferenceOptions &options = {});

/// A result. Where it is the sum of P products of a single operation, `bound`
/// is the largest error that a target may make in each element:
///   u_out * |y64| + (P + 2) * u_acc * sum |x * w|
///   + half of the smallest number of the element type, which no rounding near
///     zero can avoid
///   + where tf32 is allowed, (2 u + u^2) * sum |x * w| with u = 2^-11, for the
///     rounding of both factors
/// u_out and u_acc are the unit roundoffs of the element type and of f32.
/// `value` is then y64, which is float64 and not rounded.
struct BoundedResult {
  ::sparseconv::HostTensor value;
  std::optional<::sparseconv::HostTensor> bound;
  /// The coarsest type that the elements were rounded to on their way, where
  /// any operation computed them: a target may be off by what such roundings
  /// make.
  std::optional<::sparseconv::ElementKind> roundedTo;
};

/// Like runReference, with bounds. There are bounds for the results of conv
/// without an epilogue, input_grad, weight_grad, pool, unpool, pool_grad,
/// global_pool, global_pool_grad, scatter, voxelise and devoxelise, if these
/// work on arguments, or on rows that were only moved since. What an operation
/// before rounded may differ between targets.
llvm::Expected<std::vector<BoundedResult>>
runReferenceWithBounds(ModuleOp module, StringRef entry,
                       ArrayRef<::sparseconv::HostTensor> args,
                       const ReferenceOptions &options = {});

} // namespace mlir::sparseconv

#endif // SPARSECONV_REFERENCE_REFERENCE_H
