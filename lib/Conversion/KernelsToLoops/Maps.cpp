//===- Maps.cpp - encodings of kernel maps as loops -----------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace mlir;
using namespace mlir::sparseconv;

void mlir::sparseconv::populateMapsToLoopsPatterns(
    RewritePatternSet &patterns) {}
