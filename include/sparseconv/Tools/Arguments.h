//===- Arguments.h - values for the arguments of a function -----*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_ARGUMENTS_H
#define SPARSECONV_TOOLS_ARGUMENTS_H

#include "sparseconv/Execution/Signature.h"
#include "sparseconv/IO/Quantise.h"

namespace mlir::sparseconv {

/// Where the values of arguments come from.
struct ArgumentSources {
  /// An .npz or .safetensors file whose entries bind by name; empty: none.
  std::string weights;
  /// Rounds floats of that file to the types of their arguments, which they
  /// have to have otherwise.
  bool convertWeights = false;
  /// `FILE`, `name=FILE`, `name=const:VALUE[:ROWS]`, `name=random[:ROWS]`.
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  ::sparseconv::ScanOptions scan;
  ::sparseconv::QuantiseOptions quantise;
};

/// The arguments, and the points of a scan among them, for a picture.
struct BoundArguments {
  std::vector<::sparseconv::HostTensor> values;
  /// Number of the argument that holds a scan's points, or -1.
  int pointsArgument = -1;
};

/// Binds each argument of `signature` once: weights by name, named inputs by
/// name, then the other inputs in order. A scan binds two arguments, its points
/// (i32) and its features (rounded to the argument's element type). Errors name
/// every missing, extra or misshapen entry.
llvm::Expected<BoundArguments> bindArguments(const Signature &signature,
                                             const ArgumentSources &sources);

/// The function to call: the one asked for, the only one there is, or 'main'.
llvm::Expected<std::string> chooseEntry(StringRef asked,
                                        ArrayRef<StringRef> entries);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_ARGUMENTS_H
