// RUN: sparseconv-opt %s --sparseconv-verify-selection --split-input-file --verify-diagnostics

// Decisions that the chip cannot carry out are errors that name the limit.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = "cuda", sparseconv.chip = "sm_80"} {
func.func @no_wgmma(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_80 with #sparseconv.gemm_tiling<group64, warps = 8, depth = 64, width = 64, resident = true>: sm_80 has no wgmma}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 8, depth = 64, width = 64, resident = true>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = "cuda", sparseconv.chip = "sm_90a"} {
func.func @shared_memory(%x: tensor<?x256xf16>, %w: tensor<27x256x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{bytes of shared memory do not fit sm_90a}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<ring64, warps = 4, depth = 64, width = 64, stages = 64>}
      : tensor<?x256xf16>, tensor<27x256x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @split(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{warpgroups with resident weights split no offsets}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, depth = 64, width = 64, resident = true>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @split_words(%x: tensor<?x64xf16>, %w: tensor<45x64x64xf16>, %m: !sparseconv.kernel_map<45, !set to !set>) -> tensor<?x64xf16> {
  // expected-error @+1 {{at most 32 offsets are split among blocks, found 2 parts of 45 offsets}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>,
      tiling = #sparseconv.gemm_tiling<warp16, depth = 64, width = 64>}
      : tensor<?x64xf16>, tensor<45x64x64xf16>, !sparseconv.kernel_map<45, !set to !set> -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @groups(%x: tensor<?x64xf16>, %w: tensor<27x4x16x16xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{only the FMA kernel of any shape has groups}}
  %dx = sparseconv.input_grad %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, depth = 16, width = 16>}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  return %dx : tensor<?x64xf16>
}

func.func @f32(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  // expected-error @+1 {{tensor cores multiply f32 in tf32, which the operation does not allow (tf32 = allowed)}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, depth = 64, width = 64>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @tf32(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  %y = sparseconv.conv %x, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, depth = 64, width = 64>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{the wgmma kernels take f16 and bf16}}
  %dx = sparseconv.input_grad %y, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<ring64, depth = 64, width = 64, stages = 4>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %dx : tensor<?x64xf32>
}

func.func @fma16(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{the FMA kernel of tiles takes f32}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<fma16, depth = 16, width = 64, stages = 3>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @fma16_width(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected a width of 32 to 128 in steps of 32, found 48}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<fma16, depth = 16, width = 48, stages = 3>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
}

// -----

// expected-error @+1 {{no table of the chip 'sm_7'}}
module attributes {sparseconv.target = "cuda", sparseconv.chip = "sm_7"} {
}

// -----

// The CPU has no limits of this kind.
module {
}
