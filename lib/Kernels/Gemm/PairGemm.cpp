//===- PairGemm.cpp - tilings and kernels of gather-GEMM-scatter ----------===//
//
// Part of the sparseconv project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for licence information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OffsetList.h"
#include "PairKernels.h"
#include "Resources.h"
#include "StageCopies.h"
#include "sparseconv/Kernels/Builders/ConvShape.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mlir::sparseconv;
using llvm::formatv;

//===----------------------------------------------------------------------===//
// Configurations
//===----------------------------------------------------------------------===//

/// The columns of one mma.sync, and those that a thread has side by side.
static constexpr int64_t kMmaLanes = 8, kThreadLanes = 4;
/// The threads of a warp that multiply have whole tiles of so many columns.
static constexpr int64_t kThreadColumns = 32;
/// Copies that are under way while threads multiply.
static constexpr int64_t kStages = 2;

bool mlir::sparseconv::usesTensorCores(TilingAttr tiling) {
  return tiling.getLanes() == kMmaLanes;
}

int64_t PairGemmConfig::stagesBegin() const {
  int64_t list = hasList() ? OffsetList::getSharedBytes(gemm) : 0;
  return accumulatorBytes() + llvm::alignTo(list, 16);
}

int64_t PairGemmConfig::sharedBytes() const {
  if (!gemm.loop->usesTensorCores())
    return stagesBegin() + gemm.stages * StageCopies::getStageBytes(gemm);
  return accumulatorBytes() +
         (hasList() ? OffsetList::getSharedBytes(gemm) : 0);
}

/// The tiling of an implicit GEMM that has the same weight image.
static GemmTilingAttr getImageTiling(TilingAttr tiling, ShapedType weights,
                                     bool isTransposed) {
  ConvShape shape = ConvShape::get(weights, isTransposed);
  bool onTensorCores = usesTensorCores(tiling);
  int64_t unit = 256 / weights.getElementTypeBitWidth();
  // Chunks are 128 bytes of a row.
  int64_t whole = llvm::alignTo(shape.in, unit);
  return GemmTilingAttr::get(
      weights.getContext(), onTensorCores ? "warp16" : "fma16", /*warps=*/1,
      /*blocks=*/1, std::min(whole, 4 * unit), tiling.getColumns(),
      onTensorCores ? 1 : kStages, /*resident=*/false);
}

TilingAttr mlir::sparseconv::choosePairTiling(const ConvTask &task) {
  // Sums of 18 KiB: several warps have room on a multiprocessor, and most
  // offsets have more pairs in a row block than fill a tile.
  constexpr int64_t rowBlock = 128, widest = 32;
  ConvShape shape = ConvShape::get(task.weights, task.hasTransposedWeights());
  bool byThreads = task.weights.getElementType().isF32() && !task.allowsTf32;
  int64_t unit = byThreads ? kThreadColumns : kMmaLanes;
  int64_t columns = shape.groups * shape.out;
  int64_t tiles = llvm::divideCeil(columns, unit);
  int64_t share = llvm::divideCeil(tiles, llvm::divideCeil(columns, widest));
  return TilingAttr::get(task.getContext(), rowBlock, PairWalk::kTileRows,
                         share * unit, byThreads ? kThreadLanes : kMmaLanes);
}

PairGemmConfig mlir::sparseconv::getPairGemm(TilingAttr tiling,
                                             ShapedType weights,
                                             bool isTransposed) {
  GemmTilingAttr image = getImageTiling(tiling, weights, isTransposed);
  PairGemmConfig config;
  config.gemm = getTiledGemm(image, /*splitK=*/1, weights, isTransposed);
  config.rowBlock = tiling.getRowBlock();
  return config;
}

/// What does not depend on the chip.
static std::string verifySizes(TilingAttr tiling, ShapedType weights) {
  int64_t lanes = tiling.getLanes();
  if (tiling.getRows() != PairWalk::kTileRows ||
      (lanes != kMmaLanes && lanes != kThreadLanes))
    return formatv("expected rows = {0}, and lanes = {1} for tensor cores or "
                   "{2} for threads, found {3} and {4}",
                   PairWalk::kTileRows, kMmaLanes, kThreadLanes,
                   tiling.getRows(), lanes);
  if (lanes == kThreadLanes && !weights.getElementType().isF32())
    return formatv("threads, which lanes = {0} asks for, multiply f32",
                   kThreadLanes);
  if (lanes == kThreadLanes && tiling.getColumns() % kThreadColumns)
    return formatv("threads, which lanes = {0} asks for, take columns in steps "
                   "of {1}, found {2}",
                   kThreadLanes, kThreadColumns, tiling.getColumns());
  return "";
}

std::string mlir::sparseconv::verifyPairGemm(TilingAttr tiling,
                                             ShapedType weights,
                                             bool isTransposed,
                                             const TargetInfo &target) {
  if (std::string problem = verifySizes(tiling, weights); !problem.empty())
    return problem;
  if (ConvShape::get(weights, isTransposed).groups > 1)
    return "weight-stationary main loops take no groups on a GPU";
  GemmTilingAttr image = getImageTiling(tiling, weights, isTransposed);
  if (std::string problem =
          verifyTiledGemm(image, /*splitK=*/1, weights, isTransposed, target);
      !problem.empty())
    return problem;
  // Before anything is multiplied by it: far more than there is.
  if (tiling.getRowBlock() > 4096)
    return formatv("expected row_block of at most 4096, found {0}",
                   tiling.getRowBlock());
  PairGemmConfig config = getPairGemm(tiling, weights, isTransposed);
  return verifySharedMemory(/*blocks=*/1, config.sharedBytes(), target);
}

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

gpu::GPUFuncOp mlir::sparseconv::buildPairGemm(gpu::GPUModuleOp module,
                                               StringRef name,
                                               const PairGemmConfig &config,
                                               TypeRange epilogueTypes,
                                               GemmEpilogue epilogue) {
  GpuBuilder b(module.getLoc(), module.getContext());
  SmallVector<Type> parameters(9, b.pointerType(Space::Global));
  llvm::append_range(parameters, epilogueTypes);
  gpu::GPUFuncOp kernel = b.startKernel(module, name, parameters, {kWarpLanes});
  ImplicitGemmEmitter e(b, config.gemm, kernel, epilogue);
  if (config.gemm.loop->usesTensorCores())
    emitPairMma(e, config);
  else
    emitPairFma(e, config);
  b.finishKernel();
  return kernel;
}
