//===- SparseConvKernelRowOps.cpp - verifiers of kernels on rows ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelVerification.h"

using namespace mlir;
using namespace mlir::sparseconv;
using ::sparseconv::StatusSide;

LogicalResult GuardRowsOp::verify() {
  KernelVerifier v(*this, getStatus());
  v.checkColumns({"x", getX()});
  v.checkStaticColumns({"x", getX()});
  v.checkRange("operand", getOperand(), 0, std::numeric_limits<int64_t>::max());
  v.checkRange("side", getSide(), static_cast<int64_t>(StatusSide::InSet),
               static_cast<int64_t>(StatusSide::Set));
  return v.getResult();
}

LogicalResult GatherRowsOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand x("x", getX()), y("y", getY());
  v.checkSameChannels(y, x);
  v.checkSameElement(y, x);
  v.checkSameRows(y, {"rows", getRows()});
  return v.getResult();
}

LogicalResult Im2colOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), table("table", getTable());
  NamedOperand columns("columns", getColumns());
  v.checkStaticColumns(x);
  v.checkStaticColumns(table);
  v.checkSameRows(columns, table);
  v.checkSize(columns, 1, table.getSize(1), "the offsets of 'table'");
  v.checkSize(columns, 2, x.getSize(1), "the channels of 'x'");
  v.checkSameElement(columns, x);
  return v.getResult();
}

LogicalResult InterpolateOp::verify() {
  KernelVerifier v(*this, getStatus());
  auto set = cast<CoordsType>(getSet());
  NamedOperand points("points", getPoints());
  v.checkPoints(points, set);
  v.checkKeys({"keys", getKeys()}, set.getPacking());
  bool isNearest = getInterpolation() == Interpolation::Nearest;
  int64_t corners = isNearest ? 1 : int64_t(1) << set.getDim();
  for (NamedOperand pairs : {NamedOperand("rows", getRows()),
                             NamedOperand("weights", getWeights())}) {
    v.checkSize(pairs, 1, corners,
                "the corners of '" +
                    stringifyInterpolation(getInterpolation()) + "' on " +
                    Twine(set.getDim()) + " axes");
    v.checkSameRows(pairs, points);
  }
  return v.getResult();
}

/// The rows and weights of an interpolation have equal shapes.
static void checkPairs(KernelVerifier &v, NamedOperand rows,
                       NamedOperand weights) {
  v.checkColumns(rows);
  v.checkSize(weights, 1, rows.getSize(1), "the columns of 'rows'");
  v.checkSameRows(weights, rows);
}

LogicalResult WeightedGatherOp::verify() {
  KernelVerifier v(*this);
  NamedOperand x("x", getX()), rows("rows", getRows()), y("y", getY());
  checkPairs(v, rows, {"weights", getWeights()});
  v.checkSameChannels(y, x);
  v.checkSameRows(y, rows);
  return v.getResult();
}

LogicalResult ScatterRowsOp::verify() {
  KernelVerifier v(*this, getStatus());
  NamedOperand x("x", getX()), rows("rows", getRows());
  checkPairs(v, rows, {"weights", getWeights()});
  v.checkSameRows(x, rows);
  v.checkSameChannels({"y", getY()}, x);
  return v.getResult();
}

/// The grid has a batch, one size for each axis of the set, and on
/// `channelAxis` the channels of the features, whose rows are those of the
/// keys.
template <typename OpTy>
static LogicalResult verifyGrid(OpTy op, NamedOperand x, NamedOperand grid,
                                int64_t channelAxis) {
  KernelVerifier v(op, op.getStatus());
  auto set = cast<CoordsType>(op.getSet());
  NamedOperand keys("keys", op.getKeys());
  v.checkKeys(keys, set.getPacking());
  v.checkAxes("origin", op.getOrigin().size(), set);
  if (grid.type.getRank() != set.getDim() + 2)
    v.report("'dense' of rank " + Twine(set.getDim() + 2) + ", batch, " +
             Twine(set.getDim()) + " axes and channels")
        << grid.type;
  v.checkSameRows(x, keys);
  v.checkColumns(x);
  v.checkSize(grid, channelAxis, x.getLast(), "the channels of 'x'");
  v.checkSameElement(grid, x);
  return v.getResult();
}

LogicalResult ToDenseKernelOp::verify() {
  NamedOperand dense("dense", getDense());
  return verifyGrid(*this, {"x", getX()}, dense,
                    getChannelsFirst() ? 1 : dense.type.getRank() - 1);
}

LogicalResult FromDenseKernelOp::verify() {
  NamedOperand dense("dense", getDense());
  return verifyGrid(*this, {"x", getX()}, dense, dense.type.getRank() - 1);
}
