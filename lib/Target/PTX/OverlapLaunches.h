//===- OverlapLaunches.h - kernels that start before others end -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_TARGET_PTX_OVERLAPLAUNCHES_H
#define SPARSECONV_LIB_TARGET_PTX_OVERLAPLAUNCHES_H

namespace llvm {
class Module;
} // namespace llvm

namespace mlir::sparseconv {

/// Lets kernels for sm_90 and later be launched before those end that come
/// before them (programmatic dependent launch): each waits for them before it
/// touches memory. So whatever ends has waited for all before it, and a kernel
/// that waits for one has waited for those before that one, too. None says that
/// those behind it may start: they would fill the device, and wait, while other
/// streams have work for it. They start when the last blocks of this one end.
void overlapLaunches(llvm::Module &ir);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PTX_OVERLAPLAUNCHES_H
