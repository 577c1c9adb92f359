//===- TunedNetwork.h - a network whose layers are decided on ---*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNEDNETWORK_H
#define SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNEDNETWORK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "sparseconv/Execution/Executable.h"
#include "sparseconv/Tuning/Choices.h"

namespace mlir::sparseconv {

/// A choice for each layer, as text.
using Choices = std::vector<std::string>;

struct Layer {
  std::string shapeClass;
  /// The layer that makes its map, or -1.
  int map = -1;
  /// Whether its decisions are written by hand. They stay.
  bool isFixed = false;
};

/// A compiled network, and the context that its types live in.
struct CompiledNetwork {
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<Executable> executable;
};

/// A network up to where decisions are made. Its layers have numbers, which
/// their locations carry to the profile.
class TunedNetwork {
public:
  /// Prepares a copy of `module`, of whose functions `entry` stays. Failures
  /// are reported where they are found.
  static FailureOr<TunedNetwork> prepare(ModuleOp module, StringRef entry,
                                         StringRef target);

  /// Says where NVIDIA's assembler is, which `compile` takes for a GPU.
  void setAssembler(std::string path) { assembler = std::move(path); }

  ArrayRef<Layer> getLayers() const { return layers; }
  /// What the rules choose.
  const Choices &getUntuned() const { return untuned; }
  /// What `layer` can choose where `choice` is chosen; that one comes first.
  std::vector<std::string> getChoices(size_t layer, StringRef choice,
                                      Decision decision) const;
  /// The layer that a location in a profile names, or -1.
  int findLayer(StringRef location) const;

  /// Compiles the network for this machine, in a context of its own, so that
  /// several threads may call it. `forProfile`: so that it can be profiled.
  llvm::Expected<CompiledNetwork> compile(const Choices &choices,
                                          bool forProfile) const;

private:
  TunedNetwork() = default;
  LogicalResult chooseByRule();

  /// "cpu:avx2".
  std::string target;
  std::string assembler;
  OwningOpRef<ModuleOp> module;
  std::vector<Operation *> operations;
  std::vector<Layer> layers;
  Choices untuned;
  /// The module with its locations, for other contexts.
  std::string text;
};

} // namespace mlir::sparseconv

#endif // SPARSECONV_TOOLS_SPARSECONV_TUNE_TUNEDNETWORK_H
