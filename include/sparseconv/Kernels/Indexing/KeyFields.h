//===- KeyFields.h - the fields of packed keys ------------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_KERNELS_INDEXING_KEYFIELDS_H
#define SPARSECONV_KERNELS_INDEXING_KEYFIELDS_H

#include "sparseconv/Dialect/SparseConv/IR/SparseConvAttrs.h"
#include "sparseconv/Dialect/SparseConv/Utils/LoopBuilder.h"

namespace mlir::sparseconv {

/// The coordinate of a key on an axis, as i64.
Value getKeyCoordinate(LoopBuilder &b, PackingAttr packing, Value key,
                       unsigned axis);
/// The batch index of a key, as i64.
Value getKeyBatch(LoopBuilder &b, PackingAttr packing, Value key);

/// For each query the first position p with keys[p] >= query (unsigned), or the
/// end. One loop takes a step of every search, so that their loads overlap.
SmallVector<Value> findLowerBounds(LoopBuilder &b, Value keys,
                                   ValueRange queries);
/// The same where the bound of query i is known to be one of the places
/// bases[i] .. bases[i] + length, in the integer type of those.
SmallVector<Value> findLowerBounds(LoopBuilder &b, Value keys,
                                   ValueRange queries, ValueRange bases,
                                   Value length);

/// The same for one query of a thread that has little else to wait for: each
/// step of the loop cuts the range into 16, with loads that overlap.
Value findLowerBoundInFewSteps(LoopBuilder &b, Value keys, Value query);

/// The same for some queries of a warp, whose `lane` (i32) each thread says:
/// each step cuts the range into 32, with a key for each lane. Places are i32.
SmallVector<Value> findLowerBoundsByWarp(LoopBuilder &b, Value keys,
                                         ValueRange queries, Value lane);

/// First row of the batch items `item` (index) and above in sorted keys.
Value findBatchBegin(LoopBuilder &b, PackingAttr packing, Value keys,
                     Value item);

} // namespace mlir::sparseconv

#endif // SPARSECONV_KERNELS_INDEXING_KEYFIELDS_H
