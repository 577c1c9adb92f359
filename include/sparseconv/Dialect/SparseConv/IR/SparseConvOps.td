//===- SparseConvOps.td - all operations -------------------*- tablegen -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_OPS
#define SPARSECONV_OPS

include "sparseconv/Dialect/SparseConv/IR/SparseConvConvOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvCoordOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvSetOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelConvOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelKeyOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelMapOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelPoolOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelRowOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelSizeOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvKernelTileOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvMapOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvPoolOps.td"
include "sparseconv/Dialect/SparseConv/IR/SparseConvRowOps.td"

#endif // SPARSECONV_OPS
