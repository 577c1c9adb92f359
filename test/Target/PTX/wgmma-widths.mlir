// RUN: sparseconv-translate %s --network-to-plan --chip=sm_90a | sparseconv-translate --plan-to-ptx | FileCheck %s

// One wgmma takes all output channels of a thread block: 16 to 256, in f16 and
// bf16. Layers of 48 channels and more get it by themselves; fewer are written by
// hand.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
#ring16 = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 16, tile_n = 16, stages = 4>
#ring32 = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 16, tile_n = 32, stages = 4>

func.func @main(%points: tensor<?x4xi32>, %x: tensor<?x16xf16>, %w16: tensor<27x16x16xf16>,
                %w32: tensor<27x16x32xf16>, %w64: tensor<27x32x64xf16>, %w128: tensor<27x64x128xf16>,
                %w256: tensor<27x128x256xf16>, %z: tensor<?x96xbf16>, %w192: tensor<27x96x192xbf16>)
    -> (tensor<?x256xf16>, tensor<?x192xbf16>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map

  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
  %x16 = sparseconv.conv %x, %w16, %map {tiling = #ring16}
      : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16
  %x32 = sparseconv.conv %x16, %w32, %map {tiling = #ring32}
      : tensor<?x16xf16>, tensor<27x16x32xf16>, !map -> tensor<?x32xf16>
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16
  %x64 = sparseconv.conv %x32, %w64, %map : tensor<?x32xf16>, tensor<27x32x64xf16>, !map -> tensor<?x64xf16>
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16
  %x128 = sparseconv.conv %x64, %w128, %map : tensor<?x64xf16>, tensor<27x64x128xf16>, !map -> tensor<?x128xf16>
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16
  %x256 = sparseconv.conv %x128, %w256, %map : tensor<?x128xf16>, tensor<27x128x256xf16>, !map -> tensor<?x256xf16>
  // CHECK-LABEL: .entry tiled_gemm_
  // CHECK-NOT:   mma.sync
  // CHECK:       wgmma.mma_async.sync.aligned.m64n192k16.f32.bf16.bf16
  %z192 = sparseconv.conv %z, %w192, %map : tensor<?x96xbf16>, tensor<27x96x192xbf16>, !map -> tensor<?x192xbf16>
  return %x256, %z192 : tensor<?x256xf16>, tensor<?x192xbf16>
}
