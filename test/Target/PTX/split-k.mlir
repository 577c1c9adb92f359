// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_90a --sparseconv-select-indexing --sparseconv-select-dataflow --sparseconv-select-tiling --convert-sparseconv-to-kernels | FileCheck %s --check-prefix=IR
// RUN: sparseconv-translate %s --network-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx | FileCheck %s --check-prefix=PTX

// The offsets of few rows in two parts, as the dataflow says. Each part is a
// thread block, or a warp, which leaves its sums in scratch memory; the second of a
// tile to arrive adds them up.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
#whole = #sparseconv.dataflow<output_stationary>
#halves = #sparseconv.dataflow<output_stationary, split_k = 2>
#warps = #sparseconv.gemm_tiling<warp16, warps = 16, tile_k = 32, tile_n = 64>
#ring = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128, tile_n = 128, stages = 6>

func.func @main(%points: tensor<?x4xi32>, %x: tensor<?x128xf16>, %w: tensor<27x128x128xf16>)
    -> (tensor<?x128xf16>, tensor<?x128xf16>, tensor<?x128xf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map

  // Without parts there is nothing to add up.
  // IR:  sparseconv.kernel.tiled_gemm {{.*}} outs({{.*}} : tensor<?x128xf16>, tensor<1xf32>, tensor<1xi32>) {split_k = 1 : i64,
  // PTX:     .entry [[WHOLE:tiled_gemm_[0-9]+]](
  // PTX-NOT: [[WHOLE]]_param_9
  // PTX-NOT: {{(atom|red)\..*}}global
  // PTX:     wgmma.mma_async
  // PTX-NOT: {{(atom|red)\..*}}global
  // PTX:     .entry
  %0 = sparseconv.conv %x, %w, %map {dataflow = #whole, tiling = #ring}
      : tensor<?x128xf16>, tensor<27x128x128xf16>, !map -> tensor<?x128xf16>

  // Scratch and counters are two more parameters. Which rows have two parts is
  // planned on the device, which alone knows the number of rows and their offsets.
  // The part that ends last adds the other's sums, and the task after that comes
  // from a counter.
  // IR:  sparseconv.kernel.tiled_gemm {{.*}} outs({{.*}} : tensor<?x128xf16>, tensor<{{[0-9][0-9]+}}xf32>, tensor<{{[0-9][0-9]+}}xi32>) {split_k = 2 : i64,
  // PTX-SAME: [[HALVES:tiled_gemm_[0-9]+]](
  // PTX:     [[HALVES]]_param_10
  // PTX:     redux.sync.add
  // PTX:     wgmma.mma_async
  // PTX:     atom.global.inc.u32
  // PTX:     atom.global.add.u32
  // PTX:     fence.acq_rel.gpu
  // PTX:     fence.acq_rel.gpu
  %1 = sparseconv.conv %x, %w, %map {dataflow = #halves, tiling = #ring}
      : tensor<?x128xf16>, tensor<27x128x128xf16>, !map -> tensor<?x128xf16>

  // PTX:     .entry [[WARPS:tiled_gemm_[0-9]+]](
  // PTX:     [[WARPS]]_param_10
  // PTX:     selp.b32 %r{{[0-9]+}}, 2, 1,
  // PTX:     mma.sync
  // PTX:     atom.global.add.u32
  // PTX:     fence.acq_rel.gpu
  // PTX:     fence.acq_rel.gpu
  %2 = sparseconv.conv %x, %w, %map {dataflow = #halves, tiling = #warps}
      : tensor<?x128xf16>, tensor<27x128x128xf16>, !map -> tensor<?x128xf16>
  return %0, %1, %2 : tensor<?x128xf16>, tensor<?x128xf16>, tensor<?x128xf16>
}
