//===- CpuExecutable.h - a module compiled for this CPU ---------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_CPUEXECUTABLE_H
#define SPARSECONV_EXECUTION_CPUEXECUTABLE_H

#include "sparseconv/Execution/Executable.h"
#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Support/Status.h"
#include <memory>

namespace mlir::sparseconv {

/// What the compiler may assume of the processor.
enum class CpuLevel { Native, SSE2, AVX2, AVX512 };

struct CpuOptions {
  CpuLevel level = CpuLevel::Native;
  /// Threads of parallel loops; 0 takes all that the system offers.
  unsigned numThreads = 0;
  /// Mark kernels, for profile().
  bool instrument = false;
  /// Whether LLVM optimises the code; without it, compiling is fast.
  bool optimize = true;
};

/// A module lowered through the pipeline `sparseconv-lower-to-cpu` and compiled
/// in memory by LLVM's ORC JIT. Calls of one executable from several threads at
/// a time are allowed.
class CpuExecutable : public Executable {
public:
  ~CpuExecutable() override;

  /// Compiles a copy of `module`. Diagnostics of the passes go to the context's
  /// handler; the error says which stage failed.
  static llvm::Expected<std::unique_ptr<CpuExecutable>>
  compile(ModuleOp module, const CpuOptions &options = {});

  llvm::Expected<std::vector<::sparseconv::HostTensor>>
  run(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments) override;
  llvm::Expected<std::vector<double>>
  time(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
       unsigned warmups, unsigned repeats) override;

  /// The options must have asked for instrumentation.
  llvm::Expected<std::vector<KernelEvent>>
  profile(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
          unsigned warmups) override;

private:
  struct Impl;
  explicit CpuExecutable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// Bits of the widest vector registers at `level` (of this machine: Native).
unsigned getVectorBits(CpuLevel level);

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_CPUEXECUTABLE_H
