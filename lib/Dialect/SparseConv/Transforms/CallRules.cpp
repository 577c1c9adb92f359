//===- CallRules.cpp - the table of calls by name -------------------------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/custom-calls.md shows this table; a test compares the two.
//
//===----------------------------------------------------------------------===//

#include "CustomCall.h"
#include "RaisedCalls.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::sparseconv;

using Attributes = SmallVector<CallAttribute>;

/// Attributes of a call that makes sets: those that it has to have come first.
static Attributes withPacking(ArrayRef<CallAttribute> required,
                              ArrayRef<CallAttribute> optional) {
  Attributes all(required);
  all.append({{"bits", ""}, {"guard", ""}});
  llvm::append_range(all, optional);
  all.append({{"key_width", "64"}, {"clip", "none"}});
  return all;
}

/// Attributes of a call on the features of two sets.
static Attributes withMap(ArrayRef<CallAttribute> optional) {
  Attributes all = {{"dilation", "1"},
                    {"corner", "false"},
                    {"transposed", "false"},
                    {"stride", "1"},
                    {"out_stride", "1"}};
  llvm::append_range(all, optional);
  return withPacking({{"kernel_size", ""}}, all);
}

/// A row of the table; names are separated by blanks.
static CallRule makeRule(StringRef name, StringRef operands, StringRef results,
                         Attributes attributes,
                         SmallVector<Value> (*raise)(CallRaiser &call)) {
  CallRule rule{name, {}, {}, std::move(attributes), raise};
  llvm::SplitString(operands, rule.operands);
  llvm::SplitString(results, rule.results);
  return rule;
}

static SmallVector<CallRule> makeRules() {
  const CallAttribute stride = {"stride", "1"}, kind = {"kind", ""},
                      sum = {"kind", "sum"}, count = {"count", "present"},
                      tf32 = {"allow_tf32", "false"}, size = {"size", ""},
                      transposed = {"transposed", "false"},
                      dilation = {"dilation", "1"},
                      corner = {"corner", "false"},
                      nearest = {"interpolation", "nearest"};
  const Attributes scale = withPacking(
      {{"by", ""}}, {{"kernel_size", "none"}, dilation, corner, stride});
  const Attributes grow = withPacking({{"kernel_size", ""}},
                                      {dilation, corner, transposed, stride});
  const Attributes conv = withMap({tf32}), map = withMap({}),
                   pool = withMap({{"kind", "max"}, count}),
                   set = withPacking({}, {stride}),
                   global = withPacking({kind}, {stride}),
                   grid = withPacking({{"origin", ""}}, {stride}),
                   points = withPacking({}, {stride, nearest}),
                   voxels = withPacking({}, {stride, nearest, sum});
  return {
      makeRule("pack", "coordinates", "set_coordinates order row_of", set,
               raisePack),
      makeRule("downsample", "coordinates", "out_coordinates", scale,
               raiseDownsample),
      makeRule("upsample", "coordinates", "out_coordinates", scale,
               raiseUpsample),
      makeRule("expand", "coordinates", "out_coordinates", grow, raiseExpand),
      makeRule("conv", "coordinates out_coordinates x w", "y", conv, raiseConv),
      makeRule("input_grad", "coordinates out_coordinates dy w", "dx", conv,
               raiseInputGrad),
      makeRule("weight_grad", "coordinates out_coordinates x dy", "dw", conv,
               raiseWeightGrad),
      makeRule("pool", "coordinates out_coordinates x", "y", pool, raisePool),
      makeRule("pool_grad", "coordinates out_coordinates dy x", "dx", pool,
               raisePoolGrad),
      makeRule("unpool", "coordinates out_coordinates x", "y", map,
               raiseUnpool),
      makeRule("global_pool", "coordinates x", "y", global, raiseGlobalPool),
      makeRule("global_pool_grad", "coordinates dy x", "dx", global,
               raiseGlobalPoolGrad),
      makeRule("gather", "x rows", "y", {}, raiseGather),
      makeRule("scatter", "x rows", "y", {size, sum}, raiseScatter),
      makeRule("voxelise", "x points coordinates", "y", voxels, raiseVoxelise),
      makeRule("devoxelise", "x points coordinates", "y", points,
               raiseDevoxelise),
      makeRule("to_dense", "coordinates x", "dense", grid, raiseToDense),
      makeRule("from_dense", "coordinates dense", "x", grid, raiseFromDense),
  };
}

ArrayRef<CallRule> mlir::sparseconv::getCallRules() {
  static const SmallVector<CallRule> rules = makeRules();
  return rules;
}
