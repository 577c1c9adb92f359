// RUN: sparseconv-opt %s --sparseconv-verify-selection --split-input-file --verify-diagnostics

// Decisions that the chip cannot carry out are errors that name the limit.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @no_wgmma(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_80 with #sparseconv.gemm_tiling<group64, warps = 8, tile_k = 64, tile_n = 64>: sm_80 has no wgmma}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 8, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!one = !sparseconv.kernel_map<1, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @shared_memory(%x: tensor<?x256xf16>, %w: tensor<27x256x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{bytes of shared memory do not fit sm_90a}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<ring64, warps = 4, tile_k = 64, tile_n = 64, stages = 64>}
      : tensor<?x256xf16>, tensor<27x256x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @producer(%x: tensor<?x100xf16>, %w: tensor<27x100x100xf16>, %m: !map) -> tensor<?x100xf16> {
  // expected-error @+1 {{expected rows of whole pieces of 16 bytes, found 100 channels}}
  %a = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<producer64, warps = 12, tile_k = 64, tile_n = 104, stages = 4>}
      : tensor<?x100xf16>, tensor<27x100x100xf16>, !map -> tensor<?x100xf16>
  // expected-error @+1 {{expected a warpgroup that copies and at least two that multiply, found 8 warps}}
  %b = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<producer64, warps = 8, tile_k = 64, tile_n = 104, stages = 4>}
      : tensor<?x100xf16>, tensor<27x100x100xf16>, !map -> tensor<?x100xf16>
  // expected-error @+1 {{expected tile_k of 64, found 32}}
  %c = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<producer64, warps = 12, tile_k = 32, tile_n = 104, stages = 4>}
      : tensor<?x100xf16>, tensor<27x100x100xf16>, !map -> tensor<?x100xf16>
  return %c : tensor<?x100xf16>
}

func.func @split(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{the main loop group64 splits no sum, found 2 splits}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @row_order(%x: tensor<?x64xf16>, %w: tensor<27x4x16x16xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_90a with #sparseconv<row_order mask>: rows have an order in the tiles of #sparseconv.gemm_tiling alone}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      row_order = #sparseconv<row_order mask>, tiling = #sparseconv.scalar_tiling}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @groups(%x: tensor<?x64xf16>, %w: tensor<27x4x16x16xf16>, %m: !map) -> tensor<?x64xf16> {
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 16, tile_n = 16>}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the main loop depthwise takes groups of one channel, found 4 groups of 16 to 16 channels}}
  %dx = sparseconv.input_grad %y, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  return %dx : tensor<?x64xf16>
}

func.func @weight_grad_groups(%x: tensor<?x64xf16>, %dy: tensor<?x64xf16>, %m: !map) -> tensor<27x4x16x16xf16> {
  %0 = sparseconv.weight_grad %x, %dy, %m groups(4) {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x4x16x16xf16>
  // expected-error @+1 {{the main loop mma has one group in a tile, found 2}}
  %1 = sparseconv.weight_grad %x, %dy, %m groups(4) {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_groups = 2, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x4x16x16xf16>
  return %1 : tensor<27x4x16x16xf16>
}

func.func @many_groups(%x: tensor<?x131072xf16>, %w: tensor<1x65536x2x2xf16>, %m: !one) -> tensor<?x131072xf16> {
  // expected-error @+1 {{expected at most 65535 column tiles, found 65536}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 16, tile_n = 8>}
      : tensor<?x131072xf16>, tensor<1x65536x2x2xf16>, !one -> tensor<?x131072xf16>
  return %y : tensor<?x131072xf16>
}

func.func @depthwise(%x: tensor<?x64xf32>, %w: tensor<27x64x1x1xf32>, %m: !map) -> tensor<?x64xf32> {
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 64>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  %dy = sparseconv.input_grad %y, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, warps = 8, tile_n = 8>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{expected tile_n of 8, 16, 32, 64 or 128, found 24}}
  %0 = sparseconv.conv %dy, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 24>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{expected tile_n of 8, 16, 32, 64 or 128, found 256}}
  %1 = sparseconv.conv %dy, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 256>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{the main loop depthwise has no tile_k, found 32}}
  %2 = sparseconv.conv %dy, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_k = 32, tile_n = 64>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{the main loop depthwise splits no sum, found 8 splits}}
  %3 = sparseconv.conv %dy, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>,
      tiling = #sparseconv.gemm_tiling<depthwise, tile_n = 64>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{a thread needs more than}}
  %4 = sparseconv.conv %dy, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<depthwise, blocks = 8, tile_n = 128>}
      : tensor<?x64xf32>, tensor<27x64x1x1xf32>, !map -> tensor<?x64xf32>
  return %4 : tensor<?x64xf32>
}

func.func @f32(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  // expected-error @+1 {{tensor cores multiply f32 in tf32, which the operation does not allow (tf32 = allowed)}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @tf32(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  %y = sparseconv.conv %x, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{the wgmma kernels take f16 and bf16}}
  %dx = sparseconv.input_grad %y, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<ring64, tile_k = 64, tile_n = 64, stages = 4>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %dx : tensor<?x64xf32>
}

func.func @scalar_split(%x: tensor<?x64xf16>, %w: tensor<27x4x16x16xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.scalar_tiling: threads without tiles split no sum}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>,
      tiling = #sparseconv.scalar_tiling}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// A main loop is a name: those that there are stand in a table.
func.func @unknown_main_loop(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.gemm_tiling<ring128>: no main loop 'ring128' is known; there are: group64}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<ring128>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Rows of a few offsets may be on their way at once, of whole rows.
func.func @stages_of_rows(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> (tensor<?x64xf16>, tensor<?x64xf16>) {
  // expected-error @+1 {{expected 1 to 4 stages, found 5}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 64, tile_n = 64, stages = 5>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{2 stages take all 64 input channels per step, found 32}}
  %z = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32, tile_n = 64, stages = 2>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y, %z : tensor<?x64xf16>, tensor<?x64xf16>
}

// Sizes that a main loop does not read are no decisions.
func.func @unread_sizes(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> (tensor<?x64xf16>, tensor<?x64xf16>) {
  // expected-error @+1 {{the main loop group64 has no stages, found 3}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64, stages = 3>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the main loop group64 leaves no choice of resident weights}}
  %z = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64, resident = true>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y, %z : tensor<?x64xf16>, tensor<?x64xf16>
}

func.func @fma16(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) -> tensor<?x64xf16> {
  // expected-error @+1 {{the main loop fma16 takes f32}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<fma16, tile_k = 16, tile_n = 64, stages = 3>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @fma16_width(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %m: !map) -> tensor<?x64xf32> {
  // expected-error @+1 {{expected tile_n of 32 to 128 in steps of 32, found 48}}
  %y = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<fma16, tile_k = 16, tile_n = 48, stages = 3>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
}

// -----

// The gradient by the weights has a tiling of its own. Every size that is written
// is read, and sums are split as often as the dataflow says.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @weight_grad(%x: tensor<?x64xf16>, %dy: tensor<?x64xf16>, %m: !map) {
  // expected-error @+1 {{expected #sparseconv.weight_grad_tiling}}
  %0 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.weight_grad_tiling<outer>: no main loop of a gradient by weights 'outer' is known; there are: wgmma, mma}}
  %1 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<outer>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{pieces of 24 x 32 channels do not divide tiles of 64 x 64}}
  %2 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 24, piece_out = 32, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected pieces of multiples of 16 channels, found 8 x 32}}
  %3 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 8, piece_out = 32, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected 16 pairs for each of 2 slices, or a multiple, found 16}}
  %4 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, slices = 2, pairs = 16, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected stages in a power of two of at least 2, found 3}}
  %5 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 3>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{registers, 1 warps in each of 16 blocks leave 128}}
  %6 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, pairs = 32, stages = 4, blocks = 16>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{bytes of shared memory do not fit sm_90a}}
  %7 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 512, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected pieces of 1, 2 or 4 channels, found 8 x 4}}
  %8 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 64, tile_out = 64, piece_in = 8, piece_out = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{1024 pieces in 1 slices are more than 256 threads}}
  %9 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 64, tile_out = 64, piece_in = 1, piece_out = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected pairs in a multiple of 4 and of the 3 slices, found 16}}
  %10 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 16, tile_out = 16, piece_in = 4, piece_out = 4, slices = 3>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{the main loop fma has no stages, found 2}}
  %11 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 16, tile_out = 16, piece_in = 4, piece_out = 4, stages = 2>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected tile_groups of at most 1, found 2}}
  %12 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<fma, tile_groups = 2, tile_in = 16, tile_out = 16, piece_in = 4, piece_out = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected one slice, found 2}}
  %13 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, slices = 2, pairs = 16, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected pieces of multiples of 64 channels, of at most 256 output channels, found 32 x 64}}
  %14 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 64, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected pairs in multiples of 16, found 8}}
  %15 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, pairs = 8, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{expected stages in a power of two of at least 2, found 1}}
  %16 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, pairs = 16>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{80000 splits of 16384 bytes are more than 1073741824 bytes}}
  %splits = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 40000>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, slices = 2, pairs = 32, stages = 4>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.dataflow<input_stationary>: no dataflow 'input_stationary' is known; there are: output_stationary}}
  %dataflow = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<input_stationary>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return
}

func.func @whole_pieces(%x: tensor<?x100xf16>, %dy: tensor<?x64xf16>, %m: !map) {
  // expected-error @+1 {{expected rows of whole pieces of 16 bytes, found 100 and 64 channels}}
  %0 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, pairs = 16, stages = 4>}
      : tensor<?x100xf16>, tensor<?x64xf16>, !map -> tensor<27x100x64xf16>
  return
}

func.func @rows(%x: tensor<?x64xf32>, %dy: tensor<?x62xf32>, %m: !map) {
  // expected-error @+1 {{tensor cores multiply f32 in tf32, which the operation does not allow (tf32 = allowed)}}
  %0 = sparseconv.weight_grad %x, %dy, %m {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4>}
      : tensor<?x64xf32>, tensor<?x62xf32>, !map -> tensor<27x64x62xf32>
  // expected-error @+1 {{expected rows of whole pieces of 16 bytes, found 64 and 62 channels}}
  %1 = sparseconv.weight_grad %x, %dy, %m tf32 = allowed {dataflow = #sparseconv.dataflow<output_stationary>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4>}
      : tensor<?x64xf32>, tensor<?x62xf32>, !map -> tensor<27x64x62xf32>
  return
}
}

// -----

// The CPU has no limits of this kind.
module {
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

func.func @unknown_search(%c: !set) -> !map {
  // expected-error @+1 {{'sparseconv.kernel_map' op cannot be carried out: no search 'guess' is known; there are: zdelta, binary, hash, grid}}
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) {search = #sparseconv.search<guess>} : !map
  return %m : !map
}

// -----

// A grid has room for packings of few cells; the stride of the in set counts.

#packing = #sparseconv.packing<i64, batch = 2, bits = [9, 9, 9], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!up = !sparseconv.kernel_map<8, !half to !fine>
!down = !sparseconv.kernel_map<8, !fine to !half>

func.func @grid(%c: !fine, %h: !half) -> (!up, !down) {
  %m = sparseconv.kernel_map %h to %c offsets(box<2, 2, 2>) transposed {search = #sparseconv.search<grid>} : !up
  // expected-error @+1 {{'sparseconv.kernel_map' op cannot be carried out: a grid may have 2^27 cells, but the packing has 2^29 at the stride of the input set}}
  %n = sparseconv.kernel_map %c to %h offsets(box<2, 2, 2>) {search = #sparseconv.search<grid>} : !down
  return %m, %n : !up, !down
}

// -----

// On a GPU the weight-stationary dataflow multiplies by tensor cores, or f32 by
// threads, and has no gradient by the weights.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
func.func @weight_stationary(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) {
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{does not run on sm_86 with #sparseconv.gemm_tiling<warp16>: expected #sparseconv.tiling}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.gemm_tiling<warp16>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{expected rows = 16, and lanes = 8 for tensor cores or 4 for threads, found 6 and 16}}
  %2 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 32, lanes = 16>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{bytes of shared memory do not fit sm_86}}
  %3 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 1024, rows = 16, columns = 64, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{expected row_block of at most 4096, found 8192}}
  %4 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 8192, rows = 16, columns = 64, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{threads, which lanes = 4 asks for, multiply f32}}
  %6 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 4>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the dataflow weight_stationary has no gradient by the weights on a GPU}}
  %5 = sparseconv.weight_grad %x, %x, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return
}

func.func @weight_stationary_f32(%x: tensor<?x64xf32>, %w: tensor<27x64x64xf32>, %g: tensor<27x4x16x16xf32>, %m: !map) {
  %0 = sparseconv.conv %x, %w, %m tf32 = allowed {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{tensor cores multiply f32 in tf32, which the operation does not allow (tf32 = allowed)}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  %3 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 4>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{threads, which lanes = 4 asks for, take columns in steps of 32, found 24}}
  %4 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 4>}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{main loops take no groups}}
  %2 = sparseconv.conv %x, %g, %m tf32 = allowed {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf32>, tensor<27x4x16x16xf32>, !map -> tensor<?x64xf32>
  return
}
}

// -----

// The explicit dataflow takes what the product of matrices behind im2col takes.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
func.func @explicit(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %g: tensor<27x4x16x16xf16>,
                    %long: tensor<?x4611686018427387904xf16>, %high: tensor<27x4611686018427387904x1xf16>, %m: !map) {
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<explicit>,
      tiling = #sparseconv.gemm_tiling<warp16, warps = 8, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{expected #sparseconv.gemm_tiling or #sparseconv.scalar_tiling}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<explicit>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the dataflow explicit takes weights without a dimension of groups}}
  %2 = sparseconv.conv %x, %g, %m {dataflow = #sparseconv.dataflow<explicit>,
      tiling = #sparseconv.gemm_tiling<warp16, warps = 8, tile_k = 16, tile_n = 16>}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the input channels of all offsets, side by side, fit no memory}}
  %4 = sparseconv.conv %long, %high, %m {dataflow = #sparseconv.dataflow<explicit>,
      tiling = #sparseconv.scalar_tiling}
      : tensor<?x4611686018427387904xf16>, tensor<27x4611686018427387904x1xf16>, !map -> tensor<?x1xf16>
  // expected-error @+1 {{the dataflow explicit leaves nothing to order rows by}}
  %3 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<explicit>,
      row_order = #sparseconv<row_order space>,
      tiling = #sparseconv.gemm_tiling<warp16, warps = 8, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return
}
}

// -----

// The grouped dataflow multiplies as the weight-stationary one does; epsilon and s
// are its own.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
func.func @grouped(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) {
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<grouped, epsilon = 25, s = 20000>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{expected rows = 16, and lanes = 8 for tensor cores or 4 for threads, found 6 and 16}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<grouped>,
      tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 32, lanes = 16>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the dataflow grouped splits no sum, found 2 splits}}
  %2 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<grouped, split_k = 2>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the dataflow grouped has no gradient by the weights}}
  %3 = sparseconv.weight_grad %x, %x, %m {dataflow = #sparseconv.dataflow<grouped>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{does not run on sm_86 with #sparseconv.dataflow<weight_stationary, s = 20000>: it does not group offsets by epsilon and s}}
  %4 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary, s = 20000>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return
}
}

// -----

// What is fetched on demand is added in any order, which the operation has to allow
// on every target.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_86">} {
func.func @fetch_on_demand(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) {
  %0 = sparseconv.conv %x, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{does not run on sm_86 with #sparseconv.dataflow<fetch_on_demand>: the order of its additions changes from run to run, which the operation does not allow (nondeterministic = allowed)}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the order of its additions changes from run to run}}
  %2 = sparseconv.weight_grad %x, %x, %m {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // expected-error @+1 {{the dataflow fetch_on_demand splits no sum, found 2 splits}}
  %3 = sparseconv.input_grad %x, %w, %m nondeterministic = allowed {dataflow = #sparseconv.dataflow<fetch_on_demand, split_k = 2>,
      tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return
}
}

// -----

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cpu, chip = "avx2">} {
func.func @fetch_on_demand(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) {
  // expected-error @+1 {{which the operation does not allow (nondeterministic = allowed)}}
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<fetch_on_demand>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return
}

// Each vector of sums is code of its own, which takes a compiler minutes for a thousand.
func.func @many_vectors(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %m: !map) {
  // expected-error @+1 {{a CPU takes a tiling of at most 64 vectors of sums, found 65}}
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<weight_stationary>,
      tiling = #sparseconv.tiling<row_block = 1024, rows = 65, columns = 8, lanes = 8>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  return
}
}

// -----

// The hybrid dataflow splits offsets that are known by their norm.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @hybrid(%s: !set, %x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %g: tensor<27x4x16x16xf16>, %f: tensor<27x64x64xf32>, %z: tensor<?x64xf32>, %given: !map) {
  %m = sparseconv.kernel_map %s to %s offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<hybrid, norm = 2>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.dataflow<hybrid>: expected a norm}}
  %1 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<hybrid>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{does not run on sm_90a with #sparseconv.dataflow<grouped, norm = 2>: it takes no norm}}
  %2 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<grouped, norm = 2>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the offsets of the map are not known here}}
  %3 = sparseconv.conv %x, %w, %given {dataflow = #sparseconv.dataflow<hybrid, norm = 2>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{all offsets are on one side of norm = 4, expected #sparseconv.dataflow<output_stationary>}}
  %4 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<hybrid, norm = 4>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the dataflow hybrid takes weights without a dimension of groups}}
  %5 = sparseconv.conv %x, %g, %m {dataflow = #sparseconv.dataflow<hybrid, norm = 2>,
      tiling = #sparseconv.gemm_tiling<warp16, warps = 8, tile_k = 16, tile_n = 16>}
      : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  // expected-error @+1 {{the main loop group64 splits no sum, found 2 splits}}
  %6 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<hybrid, split_k = 2, norm = 2>,
      tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  %7 = sparseconv.conv %z, %f, %m {dataflow = #sparseconv.dataflow<hybrid, norm = 2>,
      tiling = #sparseconv.scalar_tiling}
      : tensor<?x64xf32>, tensor<27x64x64xf32>, !map -> tensor<?x64xf32>
  // expected-error @+1 {{the dataflow hybrid has no gradient by the weights}}
  %8 = sparseconv.weight_grad %x, %x, %m {dataflow = #sparseconv.dataflow<hybrid, norm = 2>,
      tiling = #sparseconv.scalar_tiling}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return
}
}
