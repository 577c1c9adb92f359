//===- BufferizableOpInterfaceImpl.h - kernels as buffers -------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;

namespace sparseconv {

/// Kernel operations on tensors become the same operations on buffers. Their
/// destinations are written without being read, except for to_dense.
void registerBufferizableOpInterfaceExternalModels(DialectRegistry &registry);

} // namespace sparseconv
} // namespace mlir

#endif // SPARSECONV_DIALECT_SPARSECONV_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
