//===- ParseNetwork.h - networks as other programs write them ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_PIPELINES_PARSENETWORK_H
#define SPARSECONV_PIPELINES_PARSENETWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace mlir::sparseconv {

/// The module in the main file of `sources`, without the attributes of dialects
/// that the context does not know: producers leave notes of their own, such as
/// `jax.result_info`. Arguments of functions that have no `sparseconv.name` get
/// the one that they have in the text: "w" for %w. Those of bytecode get none,
/// nor do those that the text counts (%0, %arg0) or whose name another argument
/// of the function has. Arguments that need as many rows as another say so
/// (findEqualRows()). Reports what is wrong and returns null; operations of
/// unknown dialects are wrong.
OwningOpRef<ModuleOp> parseNetwork(llvm::SourceMgr &sources,
                                   MLIRContext &context);

} // namespace mlir::sparseconv

#endif // SPARSECONV_PIPELINES_PARSENETWORK_H
