//===- Choices.h - how an operation can be carried out ----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A layer is a network operation that leaves open how it is carried out: a
// convolution or a gradient, a kernel map, a set that is floored. A choice is
// a dictionary with the attributes that decide it.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TUNING_CHOICES_H
#define SPARSECONV_TUNING_CHOICES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"
#include <string>

namespace mlir::sparseconv {

/// What tells layers apart that the same choices may suit, or an empty string
/// for an operation that is no layer: "conv f16 27x64x64 1x1x1 to 2x2x2". That
/// is the operation, the type of its features, the shape of its weights, and
/// the strides of the two sets. The number of rows is not known where the
/// choice is made; the strides stand for it.
std::string getShapeClass(Operation *op);

/// The decisions that are written on a layer; empty where none is.
DictionaryAttr getChoice(Operation *layer);
/// Removes what is written and writes `choice`, unchecked.
void setChoice(Operation *layer, DictionaryAttr choice);
/// Writes the choice of that text, or says why it cannot be: it is no choice
/// for such a layer, or the target of its module does not have it.
std::string decide(Operation *layer, StringRef choice);

/// What decides: searches and coarsenings, dataflows and tilings, or the orders
/// of rows for the tiling that is written.
enum class Decision { Indexing, Dataflow, RowOrder };

/// The choices for `layer` that its target can carry out, those that are
/// written among them.
SmallVector<DictionaryAttr> getChoices(Operation *layer, Decision decision);

/// Microseconds below which the target does not get with `rows` rows on either
/// side: the larger of the times for the bytes and for the operations that a
/// layer cannot do without, and the launch of a kernel. Offsets that a row has
/// are taken to be a third of all.
double predictMicroseconds(Operation *layer, int64_t rows);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TUNING_CHOICES_H
