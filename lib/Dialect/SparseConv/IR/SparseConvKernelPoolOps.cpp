//===- SparseConvKernelPoolOps.cpp - verifiers of pooling kernels ---------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"

using namespace mlir;
using namespace mlir::sparseconv;

template <typename OpTy>
static void checkCountKind(KernelVerifier &v, OpTy op) {
  if (op.getCountKind() == CountKind::Volume && op.getKind() != PoolKind::Avg)
    v.report("'count_kind' volume on avg only")
        << "it on " << stringifyPoolKind(op.getKind());
}

LogicalResult PoolKernelOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), y("y", getY()), table("table", getTable());
  v.checkColumns(table);
  v.checkSameChannels(y, x);
  v.checkSameRows(y, table);
  checkCountKind(v, *this);
  return v.getResult();
}

LogicalResult PoolGradKernelOp::verify() {
  KernelVerifier v(*this);
  NamedOperand dy("dy", getDy()), x("x", getX()), dx("dx", getDx());
  NamedOperand table("table", getTable()), inverse("inverse", getInverse());
  v.checkColumns(table);
  v.checkSize(inverse, 1, table.getSize(1), "the offsets of 'table'");
  v.checkSameRows(dy, table);
  v.checkSameChannels(dx, dy);
  v.checkSameRows(dx, inverse);
  v.checkSameChannels(x, dy);
  if (getKind() == PoolKind::Max)
    v.checkSameRows(x, inverse);
  checkCountKind(v, *this);
  return v.getResult();
}

LogicalResult GlobalPoolKernelOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand x("x", getX()), keys("keys", getKeys());
  v.checkKeys(keys, getPacking());
  v.checkSameRows(x, keys);
  v.checkSameChannels({"y", getY()}, x);
  return v.getResult();
}

LogicalResult GlobalPoolGradKernelOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand dy("dy", getDy()), keys("keys", getKeys());
  NamedOperand x("x", getX()), dx("dx", getDx());
  v.checkKeys(keys, getPacking());
  v.checkSameChannels(dx, dy);
  v.checkSameRows(dx, keys);
  v.checkSameChannels(x, dy);
  if (getKind() == PoolKind::Max)
    v.checkSameRows(x, keys);
  return v.getResult();
}
