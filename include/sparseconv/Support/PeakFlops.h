//===- PeakFlops.h - the arithmetic peak of this machine --------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_PEAKFLOPS_H
#define SPARSECONV_SUPPORT_PEAKFLOPS_H

namespace sparseconv {

/// The rate in flop/s at which `threads` threads at once carry out f32
/// multiply-adds (two flops each) on the widest vectors of this processor, all
/// operands in registers. Takes about `seconds`, and is as true as the machine
/// is idle: measure it beside what is compared with it.
double measurePeakFlops(unsigned threads, double seconds = 0.1);

} // namespace sparseconv

#endif // SPARSECONV_SUPPORT_PEAKFLOPS_H
