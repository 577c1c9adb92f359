//===- TargetInfo.h - what code is made for ---------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A target is a backend (cpu, cuda) and one of its chips. Each backend is one
// file of lib/Support/Targets with a table of its chips, and one line in the
// list of TargetInfo.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_SUPPORT_TARGETINFO_H
#define SPARSECONV_SUPPORT_TARGETINFO_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>

namespace mlir::sparseconv {

/// What passes and generators ask of a chip: a row of its backend's table.
/// Sizes of memory are in bytes.
struct TargetInfo {
  /// As users write it: "sm_90a", "avx2".
  StringRef chip;

  /// Whether kernels run on a device beside the host. Sizes that depend on data
  /// are then numbers of the device, which the host does not wait for.
  bool isGpu = false;

  /// Bits of a vector register of a CPU, and how many registers it has.
  int64_t vectorBits = 0;
  int64_t vectorRegisters = 0;

  /// Threads of a warp or wavefront.
  int64_t lanes = 1;
  /// Multiprocessors of the largest GPU with this chip.
  int64_t multiprocessors = 1;
  int64_t warpsPerMultiprocessor = 1;
  /// Shared memory that a thread block may ask for, that a multiprocessor has,
  /// and that the system takes of it for each block.
  int64_t sharedPerBlock = 0;
  int64_t sharedPerMultiprocessor = 0;
  int64_t sharedReserved = 0;
  /// Registers of 32 bits.
  int64_t registersPerThread = 0;
  int64_t registersPerMultiprocessor = 0;

  /// Matrix instructions of a warp (mma.sync on f16, bf16 and tf32) and of a
  /// warpgroup (wgmma).
  bool hasMma = false;
  bool hasWgmma = false;
  /// Atomic operations on device memory.
  bool hasAtomics = false;
  /// Copies to shared memory that a thread does not wait for: of 16 bytes by
  /// each thread, and of many by one.
  bool hasAsyncCopy = false;
  bool hasBulkCopy = false;
};

/// A kind of targets and its chips.
struct TargetBackend {
  /// "cpu", "cuda".
  StringRef name;
  /// The chip where none is named.
  StringRef defaultChip;
  ArrayRef<TargetInfo> chips;
  /// Chips that have no row of their own, each with the one that stands for it.
  ArrayRef<std::pair<StringRef, StringRef>> relatives;
};

/// A chip of a backend.
struct Target {
  const TargetBackend *backend;
  /// The chip's own name: `info->chip`, or that of a relative.
  std::string chip;
  const TargetInfo *info;

  /// Whether the chip has no row in the table, and another one stands for it.
  bool isRelative() const { return chip != info->chip; }
  /// The CPU with its default level.
  static Target getDefault();
  /// "cuda:sm_90a".
  std::string str() const { return (backend->name + ":" + chip).str(); }
};

/// The target of these names; no `chip` is the backend's default. Errors: an
/// unknown backend or chip, each with those that there are.
llvm::Expected<Target> findTarget(StringRef backend,
                                  std::optional<StringRef> chip = {});

/// The target that a text names, "cuda:sm_90a" or "cuda" alone: what every tool
/// and pipeline takes. Errors as of `findTarget`.
llvm::Expected<Target> parseTarget(StringRef text);

} // namespace mlir::sparseconv

#endif // SPARSECONV_SUPPORT_TARGETINFO_H
