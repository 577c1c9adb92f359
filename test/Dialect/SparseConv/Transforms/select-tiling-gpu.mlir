// RUN: sparseconv-opt %s "--sparseconv-select-dataflow=target=cuda chip=sm_90a" --sparseconv-select-tiling --sparseconv-verify-selection | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sparseconv-opt %s "--sparseconv-select-dataflow=target=cuda chip=sm_80" --sparseconv-select-tiling --sparseconv-verify-selection | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: not sparseconv-opt %s "--sparseconv-select-dataflow=target=cuda chip=sm_1" 2>&1 | FileCheck %s --check-prefix=CHIP

// For a GPU each convolution gets the mainloop of its implicit GEMM, by the
// channels and the chip: wgmma where there is one. What the passes choose, the
// verifier of selections accepts.

// CHIP: error: no chip 'sm_1' is known; there are: sm_80, sm_86, sm_89, sm_90a

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// Few channels: a warp owns 16 rows, the weights stay in shared memory.
// CHECK-LABEL: func.func @narrow(
func.func @narrow(%x: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %m: !map) -> tensor<?x16xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.gemm_tiling<warp16, {{.*}}resident = true>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}

// CHECK-LABEL: func.func @middle(
func.func @middle(%x: tensor<?x64xbf16>, %w: tensor<27x64x64xbf16>, %m: !map) -> tensor<?x64xbf16> {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<group64, {{.*}}depth = 64, width = 64, resident = true>}
  // SM80: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xbf16>, tensor<27x64x64xbf16>, !map -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// Many: the weights pass through a ring, and few rows share the offsets.
// CHECK-LABEL: func.func @wide(
func.func @wide(%x: tensor<?x256xf16>, %w: tensor<27x256x256xf16>, %m: !map) -> tensor<?x256xf16> {
  // SM90: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<ring64, {{.*}}width = 256
  // SM80: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// A word of the mask holds 32 offsets; only one word is split.
// CHECK-LABEL: func.func @many_offsets(
!wide_map = !sparseconv.kernel_map<125, !set to !set>
func.func @many_offsets(%x: tensor<?x256xf16>, %w: tensor<125x256x256xf16>, %m: !wide_map) -> tensor<?x256xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<125x256x256xf16>, !wide_map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// f32 stays f32, and groups have no tiles. The gradient by the weights has its sizes from its shape.
// CHECK-LABEL: func.func @by_threads(
func.func @by_threads(%x: tensor<?x32xf32>, %w: tensor<27x32x32xf32>, %g: tensor<27x4x8x8xf32>, %m: !map)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<27x32x32xf32>) {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<fma16, {{.*}}width = 32
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf32>, tensor<27x32x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.input_grad {{.*}} tiling = #sparseconv.gemm_tiling<fma>}
  %dx = sparseconv.input_grad %y, %g, %m : tensor<?x32xf32>, tensor<27x4x8x8xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.weight_grad {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>}
  %dw = sparseconv.weight_grad %x, %y, %m : tensor<?x32xf32>, tensor<?x32xf32>, !map -> tensor<27x32x32xf32>
  return %y, %dx, %dw : tensor<?x32xf32>, tensor<?x32xf32>, tensor<27x32x32xf32>
}

// A permission lets tensor cores round f32 to tf32, where they take the shape.
// CHECK-LABEL: func.func @tf32(
func.func @tf32(%x: tensor<?x32xf32>, %w: tensor<27x32x32xf32>, %g: tensor<27x4x8x8xf32>, %m: !map)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>) {
  // CHECK: sparseconv.conv {{.*}} tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m tf32 = allowed : tensor<?x32xf32>, tensor<27x32x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.input_grad {{.*}} tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.gemm_tiling<warp16,
  %dx = sparseconv.input_grad %y, %w, %m tf32 = allowed : tensor<?x32xf32>, tensor<27x32x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.conv {{.*}} tf32 = allowed {{.*}} tiling = #sparseconv.gemm_tiling<fma>}
  %z = sparseconv.conv %y, %g, %m tf32 = allowed : tensor<?x32xf32>, tensor<27x4x8x8xf32>, !map -> tensor<?x32xf32>
  return %y, %dx, %z : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// What is written by hand stays.
// CHECK-LABEL: func.func @by_hand(
func.func @by_hand(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16, depth = 32, width = 32>}
  %y = sparseconv.conv %x, %w, %m {tiling = #sparseconv.gemm_tiling<warp16, depth = 32, width = 32>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
