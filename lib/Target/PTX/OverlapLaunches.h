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
/// before them (programmatic dependent launch): each thread waits for them
/// before it ends, and before it touches memory that they may write. So a
/// kernel that waits for one has waited for those before that one, too.
///
/// Where a kernel says by `nvvm.griddepcontrol wait` where it waits, which may
/// be several places, it has a prologue before. Pointers that are used behind
/// such a place are other values there. A kernel without one waits where it
/// starts, and is launched when the last blocks of the one before it end.
void overlapLaunches(llvm::Module &ir);

/// For older chips, whose kernels begin when all before them have ended: drops
/// what kernels say of it, and prefetches, which the backend does not know
/// there.
void dropOverlaps(llvm::Module &ir);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_TARGET_PTX_OVERLAPLAUNCHES_H
