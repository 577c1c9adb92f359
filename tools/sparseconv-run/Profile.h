//===- Profile.h - a profile as a file and as a table -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_PROFILE_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_PROFILE_H

#include "Work.h"
#include "sparseconv/Execution/Executable.h"

namespace mlir::sparseconv {

/// Writes the events in the JSON trace format that Perfetto opens: a track of
/// kernels, and one of the layers (network operations) that they belong to,
/// with the work of those whose place is among `works`.
llvm::Error writeProfile(StringRef path, ArrayRef<KernelEvent> events,
                         const llvm::StringMap<Work> &works);

/// Prints the time by kind of kernel and by layer, longest first.
void printProfile(ArrayRef<KernelEvent> events, llvm::raw_ostream &os);

/// Prints the median and the ends of the seconds that runs took.
void printTimes(std::vector<double> seconds, llvm::raw_ostream &os);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_PROFILE_H
