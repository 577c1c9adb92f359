//===- RaisedCalls.h - what each call stands for ---------------*- C++ -*-===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_RAISEDCALLS_H
#define SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_RAISEDCALLS_H

#include "mlir/IR/Value.h"

namespace mlir::sparseconv {

class CallRaiser;

// Each builds the operations of the call of its name, and returns its results,
// or none after an error.
SmallVector<Value> raisePack(CallRaiser &call);
SmallVector<Value> raiseDownsample(CallRaiser &call);
SmallVector<Value> raiseUpsample(CallRaiser &call);
SmallVector<Value> raiseExpand(CallRaiser &call);
SmallVector<Value> raiseConv(CallRaiser &call);
SmallVector<Value> raiseInputGrad(CallRaiser &call);
SmallVector<Value> raiseWeightGrad(CallRaiser &call);
SmallVector<Value> raisePool(CallRaiser &call);
SmallVector<Value> raisePoolGrad(CallRaiser &call);
SmallVector<Value> raiseUnpool(CallRaiser &call);
SmallVector<Value> raiseGlobalPool(CallRaiser &call);
SmallVector<Value> raiseGlobalPoolGrad(CallRaiser &call);
SmallVector<Value> raiseGather(CallRaiser &call);
SmallVector<Value> raiseScatter(CallRaiser &call);
SmallVector<Value> raiseVoxelise(CallRaiser &call);
SmallVector<Value> raiseDevoxelise(CallRaiser &call);
SmallVector<Value> raiseToDense(CallRaiser &call);
SmallVector<Value> raiseFromDense(CallRaiser &call);

} // namespace mlir::sparseconv

#endif // SPARSECONV_LIB_DIALECT_SPARSECONV_TRANSFORMS_RAISEDCALLS_H
