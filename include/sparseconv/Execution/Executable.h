//===- Executable.h - a module compiled for some target ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_EXECUTABLE_H
#define SPARSECONV_EXECUTION_EXECUTABLE_H

#include "mlir/Support/LLVM.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir::sparseconv {

/// The public functions of a module on tensors and scalars, ready to be called.
class Executable {
public:
  virtual ~Executable() = default;

  /// Calls `entry`. Errors: no such function, arguments that do not fit, and
  /// what the function reports at run time, with operation and location.
  virtual llvm::Expected<std::vector<::sparseconv::HostTensor>>
  run(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments) = 0;

  /// Calls `entry` `repeats` times on the same arguments after `warmups` calls
  /// and returns the seconds that each took.
  virtual llvm::Expected<std::vector<double>>
  time(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
       unsigned warmups, unsigned repeats) = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_EXECUTABLE_H
