//===- SparseConvKernelMapOps.cpp - verifiers of kernels on maps ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"

using namespace mlir;
using namespace mlir::sparseconv;

LogicalResult SearchOp::verify() {
  KernelVerifier v(*this);
  PackingAttr packing = getPacking();
  NamedOperand inKeys("in_keys", getInKeys()),
      outKeys("out_keys", getOutKeys());
  NamedOperand table("table", getTable());
  v.checkKeys(inKeys, packing);
  v.checkKeys(outKeys, packing);
  v.checkDisplacements(getDisplacements(), packing);
  v.checkColumns(table);
  v.checkSize(table, 1, getDisplacements().size() / packing.getDim(),
              "one for each displacement");
  v.checkSameRows(table, outKeys);
  return v.getResult();
}

LogicalResult InvertTableOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable()), inverse("inverse", getInverse());
  v.checkColumns(table);
  v.checkSize(inverse, 1, table.getSize(1), "the offsets of 'table'");
  return v.getResult();
}

LogicalResult PairListsOp::verify() {
  KernelVerifier v(*this);
  NamedOperand table("table", getTable()), segments("segments", getSegments());
  int64_t rows = table.getSize(0), volume = table.getSize(1);
  int64_t block = getBlock();
  v.checkColumns(table);
  v.checkRange("block", block, 1, std::numeric_limits<int64_t>::max());
  if (v.failed())
    return failure();
  int64_t bounds = ShapedType::isDynamic(volume) ? volume : volume + 1;
  int64_t room = multiplySizes(rows, volume);
  StringRef reason = "one for each entry of 'table'";
  v.checkRoom({"in_rows", getInRows()}, room, reason);
  v.checkRoom({"out_rows", getOutRows()}, room, reason);
  v.checkSize(segments, 1, bounds, "one more than the offsets of 'table'");
  if (!ShapedType::isDynamic(rows))
    v.checkSize(segments, 0, llvm::divideCeil(rows, block),
                "the blocks of " + Twine(block) + " rows of 'table'");
  return v.getResult();
}
