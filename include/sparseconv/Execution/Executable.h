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

/// One kernel of a profiled call.
struct KernelEvent {
  std::string name; ///< "sparseconv.kernel.search", or a GPU kernel's own
  /// The network operation that it belongs to, where that is known:
  /// "sparseconv.conv" and "net.mlir:12:8".
  std::string operation, location;
  double begin, end; ///< seconds since the first kernel began
};

/// How a function is timed.
struct Timing {
  unsigned warmups = 3, repeats = 10;
  /// The pause after a call, as a multiple of its time. Calls that follow each
  /// other may use so much power that a GPU lowers its clock.
  unsigned rest = 0;
};

/// The public functions of a module on tensors and scalars, ready to be called.
class Executable {
public:
  virtual ~Executable() = default;

  /// Calls `entry`. Errors: no such function, arguments that do not fit, and
  /// what the function reports at run time, with operation and location.
  virtual llvm::Expected<std::vector<::sparseconv::HostTensor>>
  run(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments) = 0;

  /// Calls `entry` as often as `timing` says, always on the same arguments, and
  /// returns the seconds that each call after those that warm up took.
  virtual llvm::Expected<std::vector<double>>
  time(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
       const Timing &timing) = 0;

  /// Calls `entry` once after `warmups` calls and returns its kernels in order.
  virtual llvm::Expected<std::vector<KernelEvent>>
  profile(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
          unsigned warmups) = 0;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_EXECUTABLE_H
