//===- CallRaiser.h - operations in place of one call ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CALLRAISER_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CALLRAISER_H

#include "CustomCall.h"
#include "sparseconv/Dialect/SparseConv/IR/SparseConvOps.h"

namespace mlir::sparseconv {

/// A coordinate operand of a call: its set, and how its rows and the set's
/// belong together. Without `order` and `rowOf` they are the same rows.
struct CalledSet {
  Value coords, order, rowOf;
  /// How many rows the operand has, where that is known.
  int64_t rows = ShapedType::kDynamic;

  CoordsType getType() const { return cast<CoordsType>(coords.getType()); }
};

/// Builds the operations that a call stands for, in front of it. What is wrong
/// is an error of the call, and the caller asks `hasFailed` before it builds
/// with what it got: until then values, sets and types may be null.
class CallRaiser {
public:
  explicit CallRaiser(const CustomCall &call);

  bool hasFailed() const { return isBad; }
  OpBuilder &getBuilder() { return builder; }
  Location getLoc() const { return call.op->getLoc(); }
  /// Reports an error, of which there may be several: the first one counts.
  InFlightDiagnostic report();

  // Attributes: what is given, or the fallback.

  int64_t getInteger(StringRef name);
  bool getFlag(StringRef name);
  StringRef getWord(StringRef name);
  /// `size` numbers; one number stands for all. Null where the fallback is
  /// "none" and nothing is given.
  std::optional<SmallVector<int64_t>> getList(StringRef name, size_t size);
  PoolKind getPoolKind();
  CountKind getCount();
  Interpolation getInterpolation();
  /// The region of the attribute 'clip', or null.
  RegionAttr getClip();
  /// The box of the attributes 'kernel_size', 'dilation' and 'corner'; null
  /// where there is no kernel size.
  BoxAttr getBox();

  // Operands, and the types of results.

  /// Operand `i`, a tensor of `rank` whose elements are floats.
  Value getReals(unsigned i, int64_t rank);
  /// Operand `i`, a list of row numbers.
  Value getRows(unsigned i);
  /// Operand `i` with one row of coordinates for each voxel or point, packed.
  CalledSet getSet(unsigned i, StringRef stride = "stride",
                   RegionAttr clip = {});
  /// Coordinates of operands 0 and 1.
  std::pair<CalledSet, CalledSet> getSides();
  Value getWeights(unsigned i);
  RankedTensorType getResultType(unsigned i);
  /// tensor<rows x channels x T> for the T of `like`.
  RankedTensorType getFeatureType(int64_t rows, int64_t channels, Value like);

  // Operations.

  /// The kernel map between two sets; null after an error.
  Value buildMap(const CalledSet &in, const CalledSet &out);
  /// The set's rows of features with the rows of the operand, and back.
  Value enter(const CalledSet &set, Value features);
  Value leave(const CalledSet &set, Value features);
  /// The adjoints: gradients by what `leave` gave, and by what `enter` took.
  Value enterGradient(const CalledSet &set, Value gradient);
  Value leaveGradient(const CalledSet &set, Value gradient);

private:
  Attribute getAttribute(StringRef name) { return call.attributes.get(name); }
  StringRef getFallback(StringRef name) const;
  Value getOperand(unsigned i, const Twine &expected,
                   function_ref<bool(RankedTensorType)> accepts);
  /// The packing for `dim` axes, or null.
  PackingAttr getPacking(unsigned dim);
  CoordsType getCoordsType(unsigned dim, StringRef stride);
  Value gather(Value features, Value rows);

  CustomCall call;
  OpBuilder builder;
  bool isBad = false;
  /// Sets of coordinates that the call names twice are one set.
  SmallVector<std::pair<Value, CalledSet>> sets;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_CALLRAISER_H
