//===- Plugin.cpp - the dialect and its passes in other people's tools ----===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `mlir-opt --load-dialect-plugin --load-pass-plugin` looks for.
// Upstream's dialects, passes and models are those of the tool.
//
//===----------------------------------------------------------------------===//

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "sparseconv/Pipelines/Registration.h"
#include "llvm/Support/Compiler.h"

using namespace mlir;

static constexpr const char *kName = "sparseconv", *kVersion = "1";

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, kVersion,
          [](DialectRegistry *registry) {
            sparseconv::registerOwnDialects(*registry);
          }};
}

extern "C" LLVM_ATTRIBUTE_VISIBILITY_DEFAULT PassPluginLibraryInfo
mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, kName, kVersion,
          [] { sparseconv::registerOwnPasses(); }};
}
