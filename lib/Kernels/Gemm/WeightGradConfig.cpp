//===- WeightGradConfig.cpp - choosing and checking configurations --------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Resources.h"
#include "WeightGradLoops.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "sparseconv/Kernels/Gemm/WeightGrad.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::divideCeil;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// The table of main loops
//===----------------------------------------------------------------------===//

ArrayRef<const WeightGradLoop *> WeightGradLoop::getAll() {
  static const WeightGradLoop *const all[] = {
#define WEIGHT_GRAD_LOOP(name) &getWeightGrad##name##Loop(),
#include "WeightGradLoops.def"
  };
  return all;
}

//===----------------------------------------------------------------------===//
// WeightGradConfig
//===----------------------------------------------------------------------===//

int64_t WeightGradConfig::teamThreads() const {
  return loop->teamThreads(*this);
}

int64_t WeightGradConfig::xPitch() const {
  return loop->rowPitch(*this, tileIn);
}

int64_t WeightGradConfig::dyPitch() const {
  return loop->rowPitch(*this, tileOut);
}

int64_t WeightGradConfig::sharedBytes() const {
  // The rows, the pairs and a total for each warp, which loads of 16 bytes may
  // read.
  return tileOffsets * (ringBytes() + listBytes()) +
         llvm::alignTo(threads() / 8, 16);
}

/// Bytes of all splits of a gradient but for the one that there always is.
static constexpr int64_t mostSplitBytes = int64_t(1) << 30;

std::string WeightGradConfig::verifySizes(const TargetInfo &target) const {
  if (std::string problem = loop->verifyShape(*this); !problem.empty())
    return problem;
  if (tileIn % pieceIn || tileOut % pieceOut)
    return formatv("pieces of {0} x {1} channels do not divide tiles of {2} x "
                   "{3}",
                   pieceIn, pieceOut, tileIn, tileOut);
  if (tileOffsets > (loop->hasTeams() ? offsets : 1))
    return formatv("expected tile_offsets of at most {0}, found {1}",
                   loop->hasTeams() ? offsets : 1, tileOffsets);
  if (tileGroups > groups)
    return formatv("expected tile_groups of at most {0}, found {1}", groups,
                   tileGroups);
  if (tiles() > 65535)
    return formatv("{0} tiles of {1} x {2} channels are more than the 65535 "
                   "that a grid has room for",
                   tiles(), tileIn, tileOut);
  int64_t splitBytes = offsets * elements() * 4;
  if (rowBlocks > 1 && splits() > mostSplitBytes / splitBytes)
    return formatv("{0} splits of {1} bytes are more than {2} bytes", splits(),
                   splitBytes, mostSplitBytes);
  return loop->verify(*this, target);
}

std::string WeightGradConfig::verify(const TargetInfo &target) const {
  if (std::string problem = verifySizes(target); !problem.empty())
    return problem;
  if (std::string problem =
          verifyRegisters(divideCeil(threads(), target.lanes), blocks,
                          loop->estimateRegisters(*this), target);
      !problem.empty())
    return problem;
  // Where shared memory has room for fewer blocks, fewer run at a time.
  return verifySharedMemory(1, sharedBytes(), target);
}

int64_t WeightGradConfig::chooseRowBlocks(const TargetInfo &target) const {
  // Enough blocks that dense offsets do not keep the others waiting, but no
  // more splits than are cheap to add up.
  constexpr int64_t blocksPerMultiprocessor = 12, mostRowBlocks = 128;
  constexpr int64_t cheapBytes = 64 << 20;
  int64_t wanted = divideCeil(target.multiprocessors * blocksPerMultiprocessor,
                              offsets * tiles());
  int64_t splitBytes = slices * offsets * elements() * 4;
  return std::clamp<int64_t>(std::min<int64_t>(wanted, cheapBytes / splitBytes),
                             1, mostRowBlocks);
}

/// Whether a main loop is chosen by itself: wgmma is faster than mma on some
/// scenes and slower on others, and how many rows there are is not known here.
static bool isChosen(const WeightGradLoop &loop) {
  return loop.getName() != "wgmma";
}

WeightGradConfig WeightGradConfig::choose(const WeightGradShape &shape,
                                          const TargetInfo &target) {
  WeightGradConfig config;
  for (const WeightGradLoop *loop : WeightGradLoop::getAll()) {
    if (!isChosen(*loop) || !loop->verifyShape(shape).empty())
      continue;
    config = WeightGradConfig(shape);
    config.loop = loop;
    loop->chooseSizes(config);
    config.rowBlocks = config.chooseRowBlocks(target);
    if (config.verify(target).empty())
      break;
  }
  return config;
}

//===----------------------------------------------------------------------===//
// Configurations as attributes
//===----------------------------------------------------------------------===//

WeightGradConfig mlir::sparseconv::getWeightGrad(WeightGradTilingAttr tiling,
                                                 int64_t splitK,
                                                 const WeightGradShape &shape) {
  WeightGradConfig config(shape);
  config.loop = WeightGradLoop::find(tiling.getMainLoop());
  assert(config.loop && "verifyWeightGrad has refused it");
  config.tileOffsets = tiling.getTileOffsets();
  config.tileGroups = tiling.getTileGroups();
  config.tileIn = tiling.getTileIn();
  config.tileOut = tiling.getTileOut();
  config.pieceIn = tiling.getPieceIn();
  config.pieceOut = tiling.getPieceOut();
  config.slices = tiling.getSlices();
  config.pairs = tiling.getPairs();
  config.stages = tiling.getStages();
  config.blocks = tiling.getBlocks();
  config.rowBlocks = splitK;
  return config;
}

std::string mlir::sparseconv::verifyWeightGrad(WeightGradTilingAttr tiling,
                                               int64_t splitK,
                                               const WeightGradShape &shape,
                                               const TargetInfo &target) {
  StringRef name = tiling.getMainLoop();
  if (!WeightGradLoop::find(name))
    return WeightGradLoop::describeUnknown("main loop of a gradient by weights",
                                           name);
  return getWeightGrad(tiling, splitK, shape).verify(target);
}

WeightGradTilingAttr
mlir::sparseconv::getTiling(MLIRContext *context,
                            const WeightGradConfig &config) {
  return WeightGradTilingAttr::get(
      context, config.loop->getName(), config.tileOffsets, config.tileGroups,
      config.tileIn, config.tileOut, config.pieceIn, config.pieceOut,
      config.slices, config.pairs, config.stages, config.blocks);
}

WeightGradShape mlir::sparseconv::getWeightGradShape(ShapedType weights,
                                                     Type xElement,
                                                     Type dyElement,
                                                     bool allowTf32) {
  ConvShape conv = ConvShape::get(weights);
  WeightGradShape shape;
  shape.xElement = xElement;
  shape.dyElement = dyElement;
  shape.offsets = conv.offsets;
  shape.groups = conv.groups;
  shape.inChannels = conv.in;
  shape.outChannels = conv.out;
  shape.allowTf32 = allowTf32;
  return shape;
}

WeightGradShape mlir::sparseconv::getWeightGradShape(const ConvTask &task) {
  // Both sides have the type of the weights.
  Type element = task.weights.getElementType();
  return getWeightGradShape(task.weights, element, element, task.allowsTf32);
}
