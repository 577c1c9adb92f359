//===- ChooseImplicitGemm.cpp - which tiling a convolution takes ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Candidates in the order in which they were seen to be fast, of which the
// first that the chip can run is taken; and configurations as attributes and
// back.
//
//===----------------------------------------------------------------------===//

#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Gemm/ImplicitGemm.h"

using namespace mlir;
using namespace mlir::sparseconv;

/// The first configuration of a list that `target` can run.
static std::optional<ImplicitGemmConfig>
findFirst(ArrayRef<ImplicitGemmConfig> candidates, const TargetInfo &target) {
  for (const ImplicitGemmConfig &config : candidates)
    if (config.verify(target).empty())
      return config;
  return std::nullopt;
}

/// The candidates of a main loop, if `shape` is one for it: in groups of few
/// channels, most of what tiles multiply would be padding.
static SmallVector<ImplicitGemmConfig>
getCandidates(const MainLoop &loop, const ImplicitGemmShape &shape,
              const TargetInfo &target) {
  constexpr int64_t kFewestInGroup = 8;
  SmallVector<ImplicitGemmConfig> candidates;
  bool isNarrow =
      shape.groups > 1 &&
      std::min(shape.inChannels, shape.outChannels) < kFewestInGroup;
  if (loop.joinsGroups() ? shape.isDepthwise() : !isNarrow)
    loop.addCandidates(shape, target, candidates);
  return candidates;
}

std::optional<ImplicitGemmConfig>
ImplicitGemmConfig::choose(const ImplicitGemmShape &shape,
                           const TargetInfo &target,
                           std::optional<int64_t> splitK) {
  SmallVector<ImplicitGemmConfig> candidates;
  for (const MainLoop *loop : MainLoop::getAll())
    if (loop->isChosen(shape))
      llvm::append_range(candidates, getCandidates(*loop, shape, target));
  std::optional<ImplicitGemmConfig> best = findFirst(candidates, target);
  if (!best || !splitK || best->splitK == *splitK)
    return best;
  for (ImplicitGemmConfig &config : candidates)
    config.splitK = *splitK;
  return findFirst(candidates, target);
}

/// The shape of weights, before anything is decided about f32.
static ImplicitGemmShape getShape(ShapedType weights, bool isTransposed) {
  ImplicitGemmShape shape;
  Type element = weights.getElementType();
  if (element.isF16())
    shape.element = GemmElement::F16;
  else if (element.isBF16())
    shape.element = GemmElement::BF16;
  ConvShape conv = ConvShape::get(weights, isTransposed);
  shape.offsets = conv.offsets;
  shape.groups = conv.groups;
  shape.inChannels = conv.in;
  shape.outChannels = conv.out;
  return shape;
}

static ImplicitGemmShape getShape(const ConvTask &task) {
  ImplicitGemmShape shape = getShape(task.weights, task.hasTransposedWeights());
  if (shape.element == GemmElement::F32 && task.allowsTf32)
    shape.element = GemmElement::TF32;
  shape.rowStride = task.getRowStride();
  return shape;
}

SmallVector<ImplicitGemmConfig>
mlir::sparseconv::getImplicitGemms(const ConvTask &task,
                                   const TargetInfo &target) {
  constexpr size_t kMostOfLoop = 2;
  SmallVector<ImplicitGemmConfig> found;
  ImplicitGemmShape shape = getShape(task);
  for (const MainLoop *loop : MainLoop::getAll()) {
    size_t before = found.size();
    for (const ImplicitGemmConfig &config :
         getCandidates(*loop, shape, target)) {
      auto isAlike = [&](const ImplicitGemmConfig &other) {
        return other.warps == config.warps && other.tileK == config.tileK &&
               other.tileN == config.tileN && other.resident == config.resident;
      };
      if (found.size() - before < kMostOfLoop &&
          config.verify(target).empty() &&
          llvm::none_of(ArrayRef(found).drop_front(before), isAlike))
        found.push_back(config);
    }
  }
  return found;
}

std::optional<ImplicitGemmConfig>
mlir::sparseconv::chooseImplicitGemm(const ConvTask &task,
                                     const TargetInfo &target) {
  ImplicitGemmShape shape = getShape(task);
  std::optional<int64_t> splitK;
  if (DataflowAttr dataflow = task.dataflow)
    splitK = dataflow.getSplitK();
  return ImplicitGemmConfig::choose(shape, target, splitK);
}

ImplicitGemmConfig mlir::sparseconv::getTiledGemm(GemmTilingAttr tiling,
                                                  int64_t splitK,
                                                  ShapedType weights,
                                                  bool isTransposed) {
  ImplicitGemmConfig config(getShape(weights, isTransposed));
  config.loop = MainLoop::find(tiling.getMainLoop());
  assert(config.loop && "verifyTiledGemm has refused it");
  config.warps = tiling.getWarps();
  config.blocks = tiling.getBlocks();
  config.tileK = tiling.getTileK();
  config.tileN = tiling.getTileN();
  config.stages = tiling.getStages();
  config.resident = tiling.getResident();
  config.splitK = splitK;
  if (config.element == GemmElement::F32 && config.loop->usesTensorCores())
    config.element = GemmElement::TF32;
  return config;
}

std::string mlir::sparseconv::verifyTiledGemm(GemmTilingAttr tiling,
                                              int64_t splitK,
                                              ShapedType weights,
                                              bool isTransposed,
                                              const TargetInfo &target) {
  StringRef name = tiling.getMainLoop();
  if (!MainLoop::find(name))
    return MainLoop::describeUnknown("main loop", name);
  return getTiledGemm(tiling, splitK, weights, isTransposed).verify(target);
}

GemmTilingAttr mlir::sparseconv::getTiling(MLIRContext *context,
                                           const ImplicitGemmConfig &config) {
  return GemmTilingAttr::get(context, config.loop->getName(), config.warps,
                             config.blocks, config.tileK, config.tileN,
                             config.stages, config.resident);
}
