//===- SampleCompiler.h - the parts of the sample compiler ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SAMPLE_COMPILER_SAMPLECOMPILER_H
#define SAMPLE_COMPILER_SAMPLECOMPILER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/JSON.h"

namespace sample {

/// A module with the function @main of the graph. What is wrong with a node is
/// reported at a location with its name, as is what passes find later.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>>
importGraph(const llvm::json::Value &graph, mlir::MLIRContext *context);

/// Before ours: a sum of three becomes one linalg.generic.
std::unique_ptr<mlir::Pass> createFuseAddsPass();

/// After ours have made kernels on buffers: calls `sample_enter(number)` where
/// the kernels of a node begin, and with -1 at the end. `nodes` gets the names.
std::unique_ptr<mlir::Pass>
createMarkNodesPass(std::vector<std::string> &nodes);

/// Lowers @main, which has one result, a matrix of f32, by the host's own
/// pipeline around our passes, and calls it. `times` gets the seconds that each
/// node took. An error of the call names the node.
llvm::Expected<sparseconv::HostTensor>
runOnCpu(mlir::ModuleOp module,
         llvm::ArrayRef<sparseconv::HostTensor> arguments,
         std::vector<std::pair<std::string, double>> &times);

} // namespace sample

#endif // SAMPLE_COMPILER_SAMPLECOMPILER_H
