//===- Dataflows.h - entries of Dataflows.def ----------------- -*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_KERNELS_DATAFLOW_DATAFLOWS_H
#define SPARSECONV_LIB_KERNELS_DATAFLOW_DATAFLOWS_H

#include "sparseconv/Kernels/Dataflow/Dataflow.h"

namespace mlir::sparseconv {
/// Each is defined in the file of its entry.
#define DATAFLOW(name) const Dataflow &get##name##Dataflow();
#include "Dataflows.def"
} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_KERNELS_DATAFLOW_DATAFLOWS_H
