//===- CudaExecutable.h - a module compiled for a GPU -----------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_EXECUTION_CUDAEXECUTABLE_H
#define SPARSECONV_EXECUTION_CUDAEXECUTABLE_H

#include "sparseconv/Execution/Executable.h"
#include "sparseconv/Execution/Signature.h"
#include "sparseconv/Pipelines/SelectionOptions.h"
#include "sparseconv/Runtime/Plan.h"
#include "sparseconv/Target/Plan/ScheduleSteps.h"
#include <memory>

namespace mlir::sparseconv {

struct CudaOptions {
  /// "sm_90a"; empty: what the first device can run.
  std::string chip;
  /// Fill memory with NaN before each run, and give every size room to spare,
  /// so that a kernel that reads what nobody wrote is found. Also switched on
  /// by SPARSECONV_POISON=1 in the environment.
  bool poison = false;
  /// Read the sizes of sets in each run, and give what comes after that memory
  /// and grids of these sizes.
  bool exact = false;
  /// Over which kernels may spread that do not depend on each other, 1 to 16.
  unsigned streams = kDefaultStreams;
  /// Take operations of the kernel level, too, which nobody checks.
  bool allowKernels = false;
  /// The path of NVIDIA's assembler. Where it takes the kernels the driver need
  /// not translate them, which it does for one program at a time.
  std::string ptxas;
  SelectionOptions selection;
};

/// A module lowered through the pipeline `sparseconv-lower-to-gpu`, as a
/// plan on the first device. Memory for the sizes of the last call is kept.
class CudaExecutable : public Executable {
public:
  ~CudaExecutable() override;

  /// Compiles a copy of `module`. Errors: no driver or device; a stage of the
  /// compiler, whose diagnostics go to the context's handler.
  static llvm::Expected<std::unique_ptr<CudaExecutable>>
  compile(ModuleOp module, const CudaOptions &options = {});

  /// Loads the plan that was read from `file`; of the options `poison` and
  /// `exact` have a meaning. Errors: no driver or device; what the runtime
  /// refuses.
  static llvm::Expected<std::unique_ptr<CudaExecutable>>
  load(const ::sparseconv::plan::Plan &plan, StringRef file,
       MLIRContext *context, const CudaOptions &options = {});

  llvm::Expected<std::vector<::sparseconv::HostTensor>>
  run(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments) override;

  /// Runs as a CUDA graph on data that lies on the device, where arguments of
  /// static shape are bound: what depends on them alone, such as the packing of
  /// weights, is done before. A time is from the launch of the graph to the end
  /// of its last kernel, seen from the host. With exact sizes there is no
  /// graph: a time is that of one run.
  llvm::Expected<std::vector<double>>
  time(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
       const Timing &timing) override;

  /// On the device's clock, one kernel after the other, with arguments bound as
  /// for `time`. What is done before takes no time.
  llvm::Expected<std::vector<KernelEvent>>
  profile(StringRef entry, ArrayRef<::sparseconv::HostTensor> arguments,
          unsigned warmups) override;

private:
  struct Impl;
  explicit CudaExecutable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_EXECUTION_CUDAEXECUTABLE_H
