//===- NamedTensors.h - tensors by name -------------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an archive of tensors holds: the weights of a network, for example.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_IO_NAMEDTENSORS_H
#define SPARSECONV_IO_NAMEDTENSORS_H

#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace sparseconv {

struct NamedTensor {
  std::string name;
  HostTensor tensor;
};

/// Tensors in the order of the file. Names are distinct.
using NamedTensors = std::vector<NamedTensor>;

/// Reads an .npz or .safetensors file, as its name ends.
llvm::Expected<NamedTensors> readNamedTensors(llvm::StringRef path);

/// Rounds a tensor once where it holds floats of another type than `kind`,
/// which is one too. Weights are converted where that is asked for, and else
/// have the types that the network states.
void convertFloats(HostTensor &tensor, ElementKind kind);

/// What to add to a message about a tensor whose type is not `kind`.
llvm::StringRef getConversionHint(const HostTensor &tensor, ElementKind kind);

} // namespace sparseconv

#endif // SPARSECONV_IO_NAMEDTENSORS_H
