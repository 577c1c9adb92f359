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
#include "sparseconv/Pipelines/SelectionOptions.h"
#include "sparseconv/Runtime/CpuSymbols.h"
#include <functional>
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace mlir::sparseconv {

struct CpuOptions {
  /// What the compiler may assume of the processor: a chip of the target cpu
  /// ("avx2"); empty: all that this machine has.
  std::string level;
  /// Threads of parallel loops; 0 takes all that the system offers.
  unsigned numThreads = 0;
  /// Mark kernels, for profile().
  bool instrument = false;
  /// Whether LLVM optimises the code; without it, compiling is fast.
  bool optimize = true;
  /// Take operations of the kernel level, too. What they read and write is
  /// checked by nobody, so this is for IR of one's own.
  bool allowKernels = false;
  SelectionOptions selection;
  /// Neighbour tables are not checked: the caller vouches for those of all
  /// calls.
  bool trustTables = false;
  /// Adds passes that write a network in the LLVM dialect, in place of
  /// `sparseconv-lower-to-cpu`, for a target such as "cpu:avx2". What a host
  /// has of its own stands between the halves of that pipeline, for example:
  ///
  ///   options.buildPipeline = [](OpPassManager &pm, StringRef target) {
  ///     LowerToBuffersOptions toBuffers;
  ///     toBuffers.target = target.str();
  ///     buildLowerToBuffersPipeline(pm, toBuffers);
  ///     pm.addPass(createPassOfTheHost()); // on kernel operations on buffers
  ///     buildLowerBuffersToCpuPipeline(pm);
  ///   };
  ///
  /// Whatever the passes are, public functions keep their names, and have to
  /// end up with buffers for tensors and the status record as last argument
  /// (`convert-sparseconv-to-kernels{every-function}`).
  std::function<void(OpPassManager &pm, StringRef target)> buildPipeline;
  /// Functions of the host's that its passes call by name. Compiled code sees
  /// these, those of the runtime, and no others.
  std::vector<::sparseconv::cpu::Symbol> symbols;
};

/// A module lowered through the pipeline `sparseconv-lower-to-cpu`, or one of
/// the host's, and compiled in memory by LLVM's ORC JIT. Calls of one
/// executable from several threads at a time are allowed.
class CpuExecutable : public Executable {
public:
  ~CpuExecutable() override;

  /// Compiles a copy of `module`, which may come from anyone: what is not a
  /// network (see `sparseconv-verify-network`) is refused. Diagnostics of the
  /// passes go to the context's handler; the error says which stage failed.
  static llvm::Expected<std::unique_ptr<CpuExecutable>>
  compile(ModuleOp module, const CpuOptions &options = {});

  /// Loads the file of a plan for CPUs. Of the options the level and the
  /// threads have a meaning. Errors: what the runtime refuses.
  static llvm::Expected<std::unique_ptr<CpuExecutable>>
  load(StringRef file, MLIRContext *context, const CpuOptions &options = {});

  llvm::Expected<std::vector<::sparseconv::HostTensor>>
  run(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments) override;
  llvm::Expected<std::vector<double>>
  time(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
       const Timing &timing) override;

  /// Threads of calls that begin from now on, as CpuOptions has them. No call
  /// may be under way.
  void setNumThreads(unsigned number);

  /// The options must have asked for instrumentation.
  llvm::Expected<std::vector<KernelEvent>>
  profile(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
          unsigned warmups) override;

private:
  struct Impl;
  explicit CpuExecutable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

/// The highest level, a chip of the target cpu, that this machine has.
StringRef getNativeLevel();

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_CPUEXECUTABLE_H
