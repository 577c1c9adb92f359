//===- MainLoop.cpp - the table of main loops -----------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Gemm/MainLoop.h"
#include "MainLoops.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

ArrayRef<const MainLoop *> MainLoop::getAll() {
  static const MainLoop *const all[] = {
#define MAIN_LOOP(name) &get##name##MainLoop(),
#include "MainLoops.def"
  };
  return all;
}

int64_t MainLoop::rowsPerBlock(const ImplicitGemmConfig &config) const {
  return config.warps * 16;
}

ImplicitGemmConfig MainLoop::makeConfig(const ImplicitGemmShape &shape,
                                        bool splits) const {
  ImplicitGemmConfig config(shape);
  config.loop = this;
  if (splits)
    config.splitK = 8;
  return config;
}

int64_t MainLoop::getEvenTileN(int64_t channels, int64_t limit) {
  int64_t tiles = llvm::divideCeil(channels, limit);
  return llvm::alignTo(llvm::divideCeil(channels, tiles), 8);
}
