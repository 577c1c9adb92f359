// RUN: sparseconv-opt %s | sparseconv-opt | FileCheck %s

// Attributes and types at the ends of what they hold.

#line = #sparseconv.packing<i32, batch = 0, bits = [32], guard = [1]>
#time = #sparseconv.packing<i64, batch = 31, bits = [2, 2, 2, 27], guard = [1, 1, 1, 67108863]>

// A batch field of no bits holds item 0 only; one axis can have all 32 bits.
// CHECK: #packing = #sparseconv.packing<i32, batch = 0, bits = [32], guard = [1]>
// CHECK: #packing1 = #sparseconv.packing<i64, batch = 31, bits = [2, 2, 2, 27], guard = [1, 1, 1, 67108863]>

// CHECK-LABEL: func.func private @sets(
// CHECK-SAME: !coords_1, !coords_2147483646
func.func private @sets(!sparseconv.coords<1, stride = [1], #line>,
                        !sparseconv.coords<1, stride = [2147483646], #line>)
    attributes {time = #time}

// CHECK-LABEL: func.func private @offsets()
// CHECK-SAME: a = #sparseconv.box<3, 3, 3>
// CHECK-SAME: b = #sparseconv.box<corner 3, 2, dilation = [1, 2]>
// CHECK-SAME: c = #sparseconv.box<1048576>
// CHECK-SAME: d = #sparseconv.box<1, 1, 1, 1>
// CHECK-SAME: e = #sparseconv.list<[0, 0, 0], [0, 0, 1], [-1, 0, 0]>
// CHECK-SAME: f = #sparseconv.list<[2147483648], [-2147483648]>
// A dilation of ones goes without saying.
// CHECK-SAME: g = #sparseconv.box<3>
func.func private @offsets() attributes {
  a = #sparseconv.box<3, 3, 3>,
  b = #sparseconv.box<corner 3, 2, dilation = [1, 2]>,
  c = #sparseconv.box<1048576>,
  d = #sparseconv.box<1, 1, 1, 1>,
  e = #sparseconv.list<[0, 0, 0], [0, 0, 1], [-1, 0, 0]>,
  f = #sparseconv.list<[2147483648], [-2147483648]>,
  g = #sparseconv.box<3, dilation = [1]>
}

// CHECK-LABEL: func.func private @regions()
// CHECK-SAME: a = #sparseconv.region<[0, 0, 0] to [1408, 1600, 40]>
// An empty region is a region.
// CHECK-SAME: b = #sparseconv.region<[-5] to [-5]>
func.func private @regions() attributes {
  a = #sparseconv.region<[0, 0, 0] to [1408, 1600, 40]>,
  b = #sparseconv.region<[-5] to [-5]>
}

// CHECK-LABEL: func.func private @decisions()
// CHECK-SAME: a = #sparseconv.dataflow<output_stationary>
// CHECK-SAME: b = #sparseconv.dataflow<weight_stationary, split_k = 4>
// CHECK-SAME: c = #sparseconv.tiling<row_block = 1024, rows = 6, columns = 64, lanes = 16>
// CHECK-SAME: d = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 256, stages = 6>
// CHECK-SAME: e = #sparseconv.gemm_tiling<warp16>
// CHECK-SAME: f = #sparseconv.scalar_tiling
// CHECK-SAME: g = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4>
// CHECK-SAME: h = #sparseconv.dataflow<grouped, epsilon = 25, s = 20000>
// CHECK-SAME: i = #sparseconv.dataflow<grouped>
// CHECK-SAME: j = #sparseconv.dataflow<hybrid, split_k = 2, norm = 3>
func.func private @decisions() attributes {
  a = #sparseconv.dataflow<output_stationary, split_k = 1>,
  b = #sparseconv.dataflow<weight_stationary, split_k = 4>,
  c = #sparseconv.tiling<row_block = 1024, rows = 6, columns = 64, lanes = 16>,
  d = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 256, stages = 6>,
  e = #sparseconv.gemm_tiling<warp16, warps = 4, resident = false>,
  f = #sparseconv.scalar_tiling,
  g = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4>,
  h = #sparseconv.dataflow<grouped, epsilon = 25, s = 20000>,
  i = #sparseconv.dataflow<grouped, s = 0>,
  j = #sparseconv.dataflow<hybrid, split_k = 2, norm = 3>
}

// CHECK-LABEL: func.func private @kinds()
// CHECK-SAME: a = [#sparseconv<pool_kind max>, #sparseconv<pool_kind avg>, #sparseconv<pool_kind sum>]
// CHECK-SAME: b = [#sparseconv<count_kind present>, #sparseconv<count_kind volume>]
// CHECK-SAME: c = [#sparseconv<interpolation nearest>, #sparseconv<interpolation trilinear>]
// CHECK-SAME: d = [#sparseconv<output_rule floor>, #sparseconv<output_rule cover>]
// CHECK-SAME: e = [#sparseconv<map_side in>, #sparseconv<map_side out>]
func.func private @kinds() attributes {
  a = [#sparseconv<pool_kind max>, #sparseconv<pool_kind avg>, #sparseconv<pool_kind sum>],
  b = [#sparseconv<count_kind present>, #sparseconv<count_kind volume>],
  c = [#sparseconv<interpolation nearest>, #sparseconv<interpolation trilinear>],
  d = [#sparseconv<output_rule floor>, #sparseconv<output_rule cover>],
  e = [#sparseconv<map_side in>, #sparseconv<map_side out>]
}
