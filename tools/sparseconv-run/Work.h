//===- Work.h - what the layers of a run have to do -------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_RUN_WORK_H
#define SPARSECONV_TOOLS_SPARSECONV_RUN_WORK_H

#include "mlir/IR/BuiltinOps.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace mlir::sparseconv {

/// What a layer cannot do without: a multiplication and an addition for each
/// pair of rows and of channels, and the bytes of features, weights and
/// neighbour table, each once.
struct Work {
  double operations = 0, bytes = 0;
};

/// The work of the convolutions of a function of a network, and of their
/// gradients, by their place in a file ("net.mlir:12:8"), for the sets that
/// these arguments make. Those in branches and loops, which may run or not, are
/// left out. Runs the indexing of the network on the CPU.
llvm::Expected<llvm::StringMap<Work>>
countWork(ModuleOp network, StringRef entry,
          ArrayRef<::sparseconv::HostTensor> arguments);

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_RUN_WORK_H
