//===- SampleCompiler.h - the parts of the sample compiler ------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SAMPLE_COMPILER_SAMPLECOMPILER_H
#define SAMPLE_COMPILER_SAMPLECOMPILER_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/Pass.h"
#include "sparseconv/Dialect/SparseConv/IR/OpPlaces.h"
#include "sparseconv/Support/HostTensor.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sample {

/// A module with the function @main of the graph. What is wrong is reported at
/// a location with the name of the node, as is what passes find later.
mlir::OwningOpRef<mlir::ModuleOp> importGraph(const llvm::json::Value &graph,
                                              mlir::MLIRContext *context);

/// Before ours: a sum of three becomes one linalg.generic.
std::unique_ptr<mlir::Pass> createFuseAddsPass();

/// After ours have made kernels on buffers: calls `sample_enter(number)` where
/// the kernels of a node begin, and with -1 at the end. `nodes` gets the names.
std::unique_ptr<mlir::Pass>
createMarkNodesPass(std::vector<std::string> &nodes);

/// A module's @main, lowered by the host's own pipeline around our passes.
class CpuProgram {
public:
  /// Lowers `module` itself. Passes report what they refuse.
  static llvm::Expected<std::unique_ptr<CpuProgram>>
  compile(mlir::ModuleOp module);

  /// Calls @main, which has one result, a matrix of f32. An error names the
  /// node that failed.
  llvm::Expected<sparseconv::HostTensor>
  run(llvm::ArrayRef<const sparseconv::HostTensor *> arguments);

  /// The seconds that each node took in the last run, in the order of nodes.
  std::vector<std::pair<std::string, double>> getTimes() const;

private:
  /// Of the operations that may fail, by number: what they are, and the node.
  llvm::SmallVector<mlir::sparseconv::OpPlace> operations;
  std::vector<std::string> nodes;
  std::unique_ptr<mlir::ExecutionEngine> engine;
};

} // namespace sample

#endif // SAMPLE_COMPILER_SAMPLECOMPILER_H
