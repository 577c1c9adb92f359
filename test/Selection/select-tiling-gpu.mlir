// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_90a --sparseconv-select-dataflow --sparseconv-select-tiling --sparseconv-verify-selection | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: sparseconv-opt %s --sparseconv-set-target=target=cuda:sm_80 --sparseconv-select-dataflow --sparseconv-select-tiling --sparseconv-verify-selection | FileCheck %s --check-prefixes=CHECK,SM80

// For a GPU each convolution gets the main loop of its implicit GEMM, by the
// channels and the chip: wgmma where there is one. What the passes choose, the
// verifier of selections accepts.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!half_map = !sparseconv.kernel_map<27, !half to !half>

// Few channels: a warp owns 16 rows, the weights come through the L1 cache, and rows of
// two or three offsets are on their way.
// CHECK-LABEL: func.func @narrow(
func.func @narrow(%x: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %m: !map) -> tensor<?x16xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, row_order = #sparseconv<row_order density>, tiling = #sparseconv.gemm_tiling<warp16, {{.*}}stages = 3>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}

// Rows are ordered by density where all layers on the map, which has to stay at one
// stride, have up to 16 channels or 64 of 16 bits, and nobody has written an order or
// another dataflow.
!down = !sparseconv.kernel_map<27, !set to !half>
!five = !sparseconv.kernel_map<125, !set to !set>
// CHECK-LABEL: func.func @row_orders(
func.func @row_orders(%x: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %v: tensor<27x16x24xf16>, %u: tensor<125x16x16xf16>,
                      %all: !map, %one: !map, %written: !map, %columns: !map, %down: !down, %five: !five)
    -> (tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x24xf16>) {
  // CHECK: sparseconv.conv {{.*}} row_order = #sparseconv<row_order density>
  %0 = sparseconv.conv %x, %w, %all : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK: sparseconv.input_grad {{.*}} row_order = #sparseconv<row_order density>
  %1 = sparseconv.input_grad %x, %w, %all : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK: sparseconv.conv {{.*}} row_order = #sparseconv<row_order gray>
  %2 = sparseconv.conv %x, %w, %written {row_order = #sparseconv<row_order gray>}
      : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK-NOT: row_order
  %3 = sparseconv.conv %x, %w, %written : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %4 = sparseconv.conv %x, %w, %down : tensor<?x16xf16>, tensor<27x16x16xf16>, !down -> tensor<?x16xf16>
  %5 = sparseconv.conv %x, %u, %five : tensor<?x16xf16>, tensor<125x16x16xf16>, !five -> tensor<?x16xf16>
  %6 = sparseconv.conv %x, %v, %one : tensor<?x16xf16>, tensor<27x16x24xf16>, !map -> tensor<?x24xf16>
  %7 = sparseconv.conv %x, %w, %one : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  %8 = sparseconv.conv %x, %w, %columns {dataflow = #sparseconv.dataflow<explicit>}
      : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK: return
  %9 = arith.addf %3, %7 : tensor<?x16xf16>
  %10 = arith.addf %8, %9 : tensor<?x16xf16>
  return %0, %1, %2, %10, %4, %5, %6 : tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x24xf16>
}

// Tiles that somebody vouches for have an order already, which is that of a convolution
// on their map and of an input gradient on the map that goes back. The other way round,
// and where nobody vouches for them, rows are put in tiles here.
// CHECK-LABEL: func.func @given_tiles(
func.func @given_tiles(%x: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %tiles: tensor<27x?xi32>, %row: tensor<?xi32>,
                       %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %set: !set)
    -> (tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>) {
  %given = sparseconv.map_from_tiles %tiles, %row, %masks, %sizes, %set to %set {sparseconv.trusted}
      : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !map
  %back = sparseconv.transpose_map %given : !map -> !map
  %checked = sparseconv.map_from_tiles %tiles, %row, %masks, %sizes, %set to %set
      : tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !map
  // CHECK-NOT: row_order
  // CHECK: sparseconv.conv
  %0 = sparseconv.conv %x, %w, %given : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK-NOT: row_order
  // CHECK: sparseconv.input_grad
  %1 = sparseconv.input_grad %x, %w, %back : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK-NOT: row_order
  // CHECK: sparseconv.input_grad {{.*}} row_order = #sparseconv<row_order density>
  %2 = sparseconv.input_grad %0, %w, %given : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  // CHECK: sparseconv.conv {{.*}} row_order = #sparseconv<row_order density>
  %3 = sparseconv.conv %1, %w, %checked : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  return %0, %1, %2, %3 : tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>, tensor<?x16xf16>
}

// More warps where rows are likely many.
// CHECK-LABEL: func.func @thirty_two(
func.func @thirty_two(%x: tensor<?x32xf16>, %w: tensor<27x32x32xf16>, %m: !map, %m2: !half_map) -> (tensor<?x32xf16>, tensor<?x32xf16>) {
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16, warps = 20, {{.*}}stages = 2>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf16>, tensor<27x32x32xf16>, !map -> tensor<?x32xf16>
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16, warps = 16, {{.*}}stages = 2>}
  %z = sparseconv.conv %x, %w, %m2 : tensor<?x32xf16>, tensor<27x32x32xf16>, !half_map -> tensor<?x32xf16>
  return %y, %z : tensor<?x32xf16>, tensor<?x32xf16>
}

// CHECK-LABEL: func.func @middle(
func.func @middle(%x: tensor<?x64xbf16>, %w: tensor<27x64x64xbf16>, %m: !map) -> tensor<?x64xbf16> {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 64>}
  // SM80: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xbf16>, tensor<27x64x64xbf16>, !map -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

// One offset, whose weights stay in shared memory: as many warps as have registers.
!identity = !sparseconv.kernel_map<1, !set to !set>
// CHECK-LABEL: func.func @one_offset(
func.func @one_offset(%x: tensor<?x96xf16>, %w: tensor<1x96x101xf16>, %m: !identity) -> tensor<?x101xf16> {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<group64, warps = 12, tile_k = 96, tile_n = 104>}
  // SM80: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m : tensor<?x96xf16>, tensor<1x96x101xf16>, !identity -> tensor<?x101xf16>
  return %y : tensor<?x101xf16>
}

// Many: rows and weights pass through a ring, as this set is no coarser than twice the
// finest and so likely has many rows.
// CHECK-LABEL: func.func @wide(
func.func @wide(%x: tensor<?x256xf16>, %w: tensor<27x256x256xf16>, %m: !map) -> tensor<?x256xf16> {
  // SM90: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 256
  // SM80: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<warp16,
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// The rows of an odd number of channels take some shared memory beside the ring.
// CHECK-LABEL: func.func @odd(
func.func @odd(%x: tensor<?x256xf16>, %w: tensor<27x256x255xf16>, %m: !map) -> tensor<?x255xf16> {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 256
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<27x256x255xf16>, !map -> tensor<?x255xf16>
  return %y : tensor<?x255xf16>
}

// A coarse set likely has few, which make enough tasks in narrow column tiles
// only. Few offsets, such as those of strided kernels, stay in ring64.
!coarse = !sparseconv.coords<3, stride = [8, 8, 8], #packing>
!coarse_map = !sparseconv.kernel_map<27, !coarse to !coarse>
!up_map = !sparseconv.kernel_map<8, !coarse to !set>
// CHECK-LABEL: func.func @coarse(
func.func @coarse(%x: tensor<?x256xf16>, %w: tensor<27x256x256xf16>, %m: !coarse_map, %w_up: tensor<8x256x256xf16>, %up: !up_map) -> (tensor<?x256xf16>, tensor<?x256xf16>) {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 128
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<27x256x256xf16>, !coarse_map -> tensor<?x256xf16>
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<ring64, {{.*}}tile_n = 256
  %z = sparseconv.conv %y, %w_up, %up : tensor<?x256xf16>, tensor<8x256x256xf16>, !up_map -> tensor<?x256xf16>
  // SM90: sparseconv.input_grad {{.*}} tiling = #sparseconv.gemm_tiling<ring64, {{.*}}tile_n = 256
  %g = sparseconv.input_grad %z, %w_up, %up : tensor<?x256xf16>, tensor<8x256x256xf16>, !up_map -> tensor<?x256xf16>
  return %z, %g : tensor<?x256xf16>, tensor<?x256xf16>
}

// The set between them still has many.
!third = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!third_map = !sparseconv.kernel_map<27, !third to !third>
// CHECK-LABEL: func.func @third(
func.func @third(%x: tensor<?x192xf16>, %w: tensor<27x192x192xf16>, %v: tensor<27x192x128xf16>, %m: !third_map) -> tensor<?x128xf16> {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 192, stages = 4>
  %y = sparseconv.conv %x, %w, %m : tensor<?x192xf16>, tensor<27x192x192xf16>, !third_map -> tensor<?x192xf16>
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 128, stages = 6>
  %z = sparseconv.conv %y, %v, %m : tensor<?x192xf16>, tensor<27x192x128xf16>, !third_map -> tensor<?x128xf16>
  return %z : tensor<?x128xf16>
}

// Few rows with many offsets share them, also with few channels.
!coarse_wide = !sparseconv.kernel_map<125, !coarse to !coarse>
// CHECK-LABEL: func.func @coarse_wide(
func.func @coarse_wide(%x: tensor<?x32xf16>, %w: tensor<125x32x32xf16>, %few: tensor<?x16xf16>, %v: tensor<125x16x16xf16>, %m: !coarse_wide) -> (tensor<?x32xf16>, tensor<?x16xf16>) {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<warp16, warps = 16, {{.*}}stages = 2>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf16>, tensor<125x32x32xf16>, !coarse_wide -> tensor<?x32xf16>
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<warp16, warps = 10, blocks = 2, {{.*}}stages = 3>}
  %z = sparseconv.conv %few, %v, %m : tensor<?x16xf16>, tensor<125x16x16xf16>, !coarse_wide -> tensor<?x16xf16>
  return %y, %z : tensor<?x32xf16>, tensor<?x16xf16>
}

// 128 channels of a coarse set from more than 128, and a gradient to that many.
// CHECK-LABEL: func.func @narrowing(
func.func @narrowing(%x: tensor<?x192xf16>, %w: tensor<27x192x128xf16>, %w2: tensor<27x128x128xf16>, %m: !coarse_map) -> (tensor<?x128xf16>, tensor<?x192xf16>) {
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 128
  %y = sparseconv.conv %x, %w, %m : tensor<?x192xf16>, tensor<27x192x128xf16>, !coarse_map -> tensor<?x128xf16>
  // SM90: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<ring64, {{.*}}tile_n = 128
  %z = sparseconv.conv %y, %w2, %m : tensor<?x128xf16>, tensor<27x128x128xf16>, !coarse_map -> tensor<?x128xf16>
  // SM90: sparseconv.input_grad {{.*}} tiling = #sparseconv.gemm_tiling<producer64, {{.*}}tile_n = 96
  %g = sparseconv.input_grad %z, %w, %m : tensor<?x128xf16>, tensor<27x192x128xf16>, !coarse_map -> tensor<?x192xf16>
  return %z, %g : tensor<?x128xf16>, tensor<?x192xf16>
}

// A tiling that is written, and splits no sum, has no splits.
// CHECK-LABEL: func.func @written(
func.func @written(%x: tensor<?x256xf16>, %w: tensor<27x256x256xf16>, %m: !map) -> tensor<?x256xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.scalar_tiling}
  %y = sparseconv.conv %x, %w, %m {tiling = #sparseconv.scalar_tiling} : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// Offsets of several words of a mask are split like those of one.
// CHECK-LABEL: func.func @many_offsets(
!wide_map = !sparseconv.kernel_map<125, !set to !set>
func.func @many_offsets(%x: tensor<?x256xf16>, %w: tensor<125x256x256xf16>, %m: !wide_map) -> tensor<?x256xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling
  %y = sparseconv.conv %x, %w, %m : tensor<?x256xf16>, tensor<125x256x256xf16>, !wide_map -> tensor<?x256xf16>
  return %y : tensor<?x256xf16>
}

// Few channels with many offsets: 20 warps have registers for the rows of two offsets
// where there are up to 16 input channels.
// CHECK-LABEL: func.func @fewest_channels(
func.func @fewest_channels(%x: tensor<?x4xf16>, %w: tensor<125x4x32xf16>, %v: tensor<125x32x32xf16>, %m: !wide_map) -> tensor<?x32xf16> {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.gemm_tiling<warp16, warps = 20, {{.*}}stages = 2>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x4xf16>, tensor<125x4x32xf16>, !wide_map -> tensor<?x32xf16>
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.gemm_tiling<warp16, warps = 16, {{.*}}stages = 2>}
  %z = sparseconv.conv %y, %v, %m : tensor<?x32xf16>, tensor<125x32x32xf16>, !wide_map -> tensor<?x32xf16>
  return %z : tensor<?x32xf16>
}

// Few channels whose weights do not fit shared memory. All rows of a thread block
// share what it reads of them, so it has as many warps as there are registers for.
// CHECK-LABEL: func.func @few_channels(
func.func @few_channels(%x: tensor<?x64xf16>, %w: tensor<125x64x64xf16>, %m: !wide_map) -> tensor<?x64xf16> {
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 20, tile_k = 64, tile_n = 64, stages = 6>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xf16>, tensor<125x64x64xf16>, !wide_map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Hundreds of offsets leave too few registers to add splits up in 20 warps.
// CHECK-LABEL: func.func @hundreds_of_offsets(
!widest_map = !sparseconv.kernel_map<343, !set to !set>
func.func @hundreds_of_offsets(%x: tensor<?x64xf16>, %w: tensor<343x64x64xf16>, %m: !widest_map) -> tensor<?x64xf16> {
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 8, blocks = 2, tile_k = 64, tile_n = 64, stages = 6>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x64xf16>, tensor<343x64x64xf16>, !widest_map -> tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

// Up to 128 channels are one chunk. Its stages are few, and the rest of the memory is
// the L1 cache, in which rows are found again.
// CHECK-LABEL: func.func @one_chunk(
func.func @one_chunk(%x: tensor<?x128xf16>, %w: tensor<27x128x128xf16>, %m: !map) -> tensor<?x128xf16> {
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128, tile_n = 128, stages = 3>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x128xf16>, tensor<27x128x128xf16>, !map -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// With 96 channels there are registers for 16 warps. Rows of an odd number of channels
// are stored with more of them, and those of coarse sets are few.
// CHECK-LABEL: func.func @sixteen_warps(
func.func @sixteen_warps(%x: tensor<?x96xf16>, %w: tensor<27x96x96xf16>, %odd: tensor<27x96x95xf16>, %m: !map,
                         %coarse: !coarse_map) -> (tensor<?x96xf16>, tensor<?x95xf16>, tensor<?x96xf16>) {
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 16, tile_k = 96, tile_n = 96, stages = 3>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x96xf16>, tensor<27x96x96xf16>, !map -> tensor<?x96xf16>
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 96, tile_n = 96, stages = 3>}
  %z = sparseconv.conv %x, %odd, %m : tensor<?x96xf16>, tensor<27x96x95xf16>, !map -> tensor<?x95xf16>
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 96, tile_n = 96, stages = 3>}
  %few = sparseconv.conv %x, %w, %coarse : tensor<?x96xf16>, tensor<27x96x96xf16>, !coarse_map -> tensor<?x96xf16>
  return %y, %z, %few : tensor<?x96xf16>, tensor<?x95xf16>, tensor<?x96xf16>
}

// Of many offsets all 128 channels are a chunk, too: no step touches the list of them.
// CHECK-LABEL: func.func @chunk_of_many_offsets(
func.func @chunk_of_many_offsets(%x: tensor<?x128xf16>, %w: tensor<125x128x128xf16>, %m: !wide_map) -> tensor<?x128xf16> {
  // SM90: sparseconv.conv {{.*}}tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128, tile_n = 128, stages = 3>}
  %y = sparseconv.conv %x, %w, %m : tensor<?x128xf16>, tensor<125x128x128xf16>, !wide_map -> tensor<?x128xf16>
  return %y : tensor<?x128xf16>
}

// f32 stays f32, and groups of few channels have no tiles.
// CHECK-LABEL: func.func @by_threads(
func.func @by_threads(%x: tensor<?x32xf32>, %w: tensor<27x32x32xf32>, %g: tensor<27x8x4x4xf32>, %m: !map)
    -> (tensor<?x32xf32>, tensor<?x32xf32>, tensor<27x32x32xf32>) {
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 8>, tiling = #sparseconv.gemm_tiling<fma16, {{.*}}tile_n = 32
  %y = sparseconv.conv %x, %w, %m : tensor<?x32xf32>, tensor<27x32x32xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.input_grad {{.*}} tiling = #sparseconv.scalar_tiling}
  %dx = sparseconv.input_grad %y, %g, %m : tensor<?x32xf32>, tensor<27x8x4x4xf32>, !map -> tensor<?x32xf32>
  // CHECK: sparseconv.weight_grad {{.*}} tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 32, tile_out = 32, piece_in = 4, piece_out = 4, slices = 4, pairs = 64, blocks = 2>}
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
  // CHECK: sparseconv.conv {{.*}} tf32 = allowed {{.*}} tiling = #sparseconv.gemm_tiling<warp16, warps = 16, blocks = 2, tile_k = 8, resident = true>}
  %z = sparseconv.conv %y, %g, %m tf32 = allowed : tensor<?x32xf32>, tensor<27x4x8x8xf32>, !map -> tensor<?x32xf32>
  return %y, %dx, %z : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x32xf32>
}

// The gradient by the weights: as many thread blocks as run at a time share the
// pairs; tensor cores multiply where the rows are whole pieces of 16 bytes.
// CHECK-LABEL: func.func @weight_grad(
func.func @weight_grad(%x: tensor<?x64xf16>, %dy: tensor<?x64xf16>, %z: tensor<?x65xf16>, %m: !map)
    -> (tensor<27x64x64xf16>, tensor<27x64x65xf16>, tensor<27x64x1x1xf16>) {
  // SM90: sparseconv.weight_grad {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 528>, tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 64, tile_out = 64, piece_in = 64, piece_out = 64, pairs = 32, stages = 4, blocks = 4>}
  %0 = sparseconv.weight_grad %x, %dy, %m : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  // CHECK: sparseconv.weight_grad {{.*}} tiling = #sparseconv.weight_grad_tiling<fma,
  %1 = sparseconv.weight_grad %x, %z, %m : tensor<?x64xf16>, tensor<?x65xf16>, !map -> tensor<27x64x65xf16>
  // CHECK: sparseconv.weight_grad {{.*}} tiling = #sparseconv.weight_grad_tiling<fma, tile_groups = 64, tile_in = 1, tile_out = 1,
  %2 = sparseconv.weight_grad %x, %dy, %m groups(64) : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x1x1xf16>
  return %0, %1, %2 : tensor<27x64x64xf16>, tensor<27x64x65xf16>, tensor<27x64x1x1xf16>
}

// Groups are multiplied as the layers that they are; those of one channel have a
// main loop of their own.
// CHECK-LABEL: func.func @groups(
func.func @groups(%x: tensor<?x64xf16>, %w: tensor<27x4x16x16xf16>, %v: tensor<27x64x1x1xf16>, %m: !map)
    -> (tensor<?x64xf16>, tensor<?x64xf16>, tensor<27x4x16x16xf16>) {
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16, warps = 16, blocks = 2, tile_n = 16, resident = true>}
  %0 = sparseconv.conv %x, %w, %m : tensor<?x64xf16>, tensor<27x4x16x16xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<depthwise, blocks = 4, tile_n = 64>}
  %1 = sparseconv.conv %x, %v, %m : tensor<?x64xf16>, tensor<27x64x1x1xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.weight_grad {{.*}} tiling = #sparseconv.weight_grad_tiling<mma, piece_in = 16, piece_out = 16,
  %2 = sparseconv.weight_grad %x, %0, %m groups(4) : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x4x16x16xf16>
  return %0, %1, %2 : tensor<?x64xf16>, tensor<?x64xf16>, tensor<27x4x16x16xf16>
}

// What is written by hand stays, and what is decided suits it. A tiling that
// splits no sum gets a dataflow that does not either; a dataflow with splits
// gets a main loop that has them.
// CHECK-LABEL: func.func @by_hand(
func.func @by_hand(%x: tensor<?x64xf16>, %w: tensor<27x64x64xf16>, %v: tensor<27x256x256xf16>, %z: tensor<?x256xf16>, %m: !map)
    -> (tensor<?x64xf16>, tensor<?x256xf16>, tensor<?x64xf16>, tensor<27x64x64xf16>) {
  // CHECK: sparseconv.conv {{.*}} tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32, tile_n = 32>}
  %0 = sparseconv.conv %x, %w, %m {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32, tile_n = 32>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary>, tiling = #sparseconv.scalar_tiling}
  %1 = sparseconv.conv %z, %v, %m {tiling = #sparseconv.scalar_tiling}
      : tensor<?x256xf16>, tensor<27x256x256xf16>, !map -> tensor<?x256xf16>
  // SM90: sparseconv.conv {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>, tiling = #sparseconv.gemm_tiling<ring64,
  %2 = sparseconv.conv %x, %w, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 2>}
      : tensor<?x64xf16>, tensor<27x64x64xf16>, !map -> tensor<?x64xf16>
  // CHECK: sparseconv.weight_grad {{.*}} {dataflow = #sparseconv.dataflow<output_stationary, split_k = 3>, tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 32, tile_out = 64, piece_in = 16, piece_out = 32, pairs = 48, stages = 2, blocks = 2>}
  %3 = sparseconv.weight_grad %x, %x, %m {dataflow = #sparseconv.dataflow<output_stationary, split_k = 3>,
      tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 32, tile_out = 64, piece_in = 16, piece_out = 32, pairs = 48, stages = 2, blocks = 2>}
      : tensor<?x64xf16>, tensor<?x64xf16>, !map -> tensor<27x64x64xf16>
  return %0, %1, %2, %3 : tensor<?x64xf16>, tensor<?x256xf16>, tensor<?x64xf16>, tensor<27x64x64xf16>
}
