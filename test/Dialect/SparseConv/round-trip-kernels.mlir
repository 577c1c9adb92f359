// RUN: sparseconv-opt %s | sparseconv-opt | FileCheck %s
// RUN: sparseconv-opt %s --mlir-print-op-generic | sparseconv-opt | FileCheck %s

// Every kernel operation, as it is written and printed: on tensors with a result
// for each destination, on buffers without results.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

//===----------------------------------------------------------------------===//
// Keys
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @keys(
func.func @keys(%points: tensor<?x4xi32>, %keys: tensor<?xi64>, %rows: tensor<?xi32>, %mask: tensor<?xi1>,
                %count: tensor<1xindex>, %status: memref<8xi64>, %reals: tensor<?x3xf32>) {
  // CHECK: sparseconv.kernel.encode ins(%{{.*}}, %{{.*}} : tensor<?x3xf32>, memref<8xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<1xindex>) {clip = #sparseconv.region<[0, 0, 0] to [8, 8, 8]>, op_id = 0 : i64, origin = array<f32: 0.000000e+00, 1.000000e+00, 2.000000e+00>, set = !coords_1_1_1, voxel_size = array<f32: 5.000000e-01, 5.000000e-01, 2.500000e-01>} -> (tensor<?xi64>, tensor<1xindex>)
  %quantised:2 = sparseconv.kernel.encode ins(%reals, %status : tensor<?x3xf32>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {clip = #sparseconv.region<[0, 0, 0] to [8, 8, 8]>, op_id = 0 : i64, origin = array<f32: 0.0, 1.0, 2.0>, set = !set,
       voxel_size = array<f32: 0.5, 0.5, 0.25>} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.quantise ins(%{{.*}} : tensor<?x3xf32>) outs(%{{.*}} : tensor<?x4xi32>) {origin = array<f32: 0.000000e+00, 1.000000e+00, 2.000000e+00>, voxel_size = array<f32: 5.000000e-01, 5.000000e-01, 2.500000e-01>} -> tensor<?x4xi32>
  %coordinates = sparseconv.kernel.quantise ins(%reals : tensor<?x3xf32>) outs(%points : tensor<?x4xi32>)
      {origin = array<f32: 0.0, 1.0, 2.0>, voxel_size = array<f32: 0.5, 0.5, 0.25>} -> tensor<?x4xi32>
  // CHECK: sparseconv.kernel.count_keys ins(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<1xindex>) {fields = array<i64: 8, 20, 20, 16>} -> tensor<1xindex>
  %kept = sparseconv.kernel.count_keys ins(%keys : tensor<?xi64>) outs(%count : tensor<1xindex>)
      {fields = array<i64: 8, 20, 20, 16>} -> tensor<1xindex>
  // CHECK: sparseconv.kernel.encode ins(%{{.*}}, %{{.*}} : tensor<?x4xi32>, memref<8xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<1xindex>) {op_id = 0 : i64, set = !coords_1_1_1} -> (tensor<?xi64>, tensor<1xindex>)
  %0:2 = sparseconv.kernel.encode ins(%points, %status : tensor<?x4xi32>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.decode ins(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?x4xi32>) {set = !coords_1_1_1} -> tensor<?x4xi32>
  %1 = sparseconv.kernel.decode ins(%keys : tensor<?xi64>) outs(%points : tensor<?x4xi32>)
      {set = !set} -> tensor<?x4xi32>
  // CHECK: sparseconv.kernel.sort ins(%{{.*}} : tensor<?xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> (tensor<?xi64>, tensor<?xi32>)
  %2:2 = sparseconv.kernel.sort ins(%keys : tensor<?xi64>) outs(%keys, %rows : tensor<?xi64>, tensor<?xi32>)
      {fields = array<i64: 64>} -> (tensor<?xi64>, tensor<?xi32>)
  // CHECK: sparseconv.kernel.unique ins(%{{.*}} : tensor<?xi64>, tensor<?xi32>, memref<8xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>) {capacity = 10 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  %3:4 = sparseconv.kernel.unique ins(%keys, %rows, %status : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%keys, %rows, %rows, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 10 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.unique ins(%{{.*}}, %{{.*}}, %{{.*}}, %[[LIMIT:.*]] : tensor<?xi64>, tensor<?xi32>, memref<8xi64>, index) outs({{.*}}) {capacity = 10 : i64, cells = 9 : i64, op_id = 0 : i64, reach = 8 : i64}
  %limit = arith.constant 7 : index
  %unique:4 = sparseconv.kernel.unique ins(%keys, %rows, %status, %limit : tensor<?xi64>, tensor<?xi32>, memref<8xi64>, index)
      outs(%keys, %rows, %rows, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 10 : i64, cells = 9 : i64, op_id = 0 : i64, reach = 8 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.growable_capacity %[[LIMIT]] at_most %{{.*}} {op_id = 3 : i64}
  %most = arith.constant 70 : index
  %grown, %capacity = sparseconv.kernel.growable_capacity %limit at_most %most {op_id = 3 : i64}
  // CHECK: sparseconv.kernel.exact_size %{{.*}} at_most %{{.*}}{{$}}
  %size = sparseconv.kernel.exact_size %grown at_most %capacity
  // CHECK: sparseconv.kernel.floor ins(%{{.*}} : tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<1xindex>) {op_id = 0 : i64, set = !coords_1_1_1} -> (tensor<?xi64>, tensor<1xindex>)
  %4:2 = sparseconv.kernel.floor ins(%keys, %status : tensor<?xi64>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.coarsen ins(%{{.*}} : tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<1xindex>) {by = array<i64: 1, 1, 1>, set = !coords_1_1_1} -> (tensor<?xi64>, tensor<1xindex>)
  %coarse:2 = sparseconv.kernel.coarsen ins(%keys : tensor<?xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {by = array<i64: 1, 1, 1>, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.cover ins(%{{.*}}, %{{.*}} : tensor<?xi64>, memref<8xi64>) outs(%{{.*}}, %{{.*}} : tensor<?xi64>, tensor<1xindex>) {capacity = 10 : i64, clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>, displacements = array<i64: 0, 0, 0>, op_id = 1 : i64, set = !coords_1_1_1}
  %covered:2 = sparseconv.kernel.cover ins(%keys, %status : tensor<?xi64>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {capacity = 10 : i64, clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>,
       displacements = array<i64: 0, 0, 0>, op_id = 1 : i64, set = !set}
      -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.coarsen {{.*}} {by = array<i64: 1, 1, 1>, clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>, set = !coords_1_1_1}
  %clipped:2 = sparseconv.kernel.coarsen ins(%keys : tensor<?xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {by = array<i64: 1, 1, 1>, clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>, set = !set}
      -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.rescale ins(%{{.*}} : tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<1xindex>) {by = array<i64: 1, 1, 1>, op_id = 0 : i64, set = !coords_1_1_1} -> (tensor<?xi64>, tensor<1xindex>)
  %scaled:2 = sparseconv.kernel.rescale ins(%keys, %status : tensor<?xi64>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {by = array<i64: 1, 1, 1>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.subdivide ins(%{{.*}}, %[[LIMIT]] : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, memref<8xi64>, index) outs(%{{.*}} : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>) {by = array<i64: 2, 1, 2>, capacity = 10 : i64, cells = 9 : i64, op_id = 0 : i64, reach = 4 : i64, set = !coords_1_1_1}
  %cells:5 = sparseconv.kernel.subdivide ins(%keys, %rows, %rows, %status, %limit : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, memref<8xi64>, index)
      outs(%keys, %rows, %rows, %rows, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {by = array<i64: 2, 1, 2>, capacity = 10 : i64, cells = 9 : i64, op_id = 0 : i64, reach = 4 : i64, set = !set}
      -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.spread ins(%{{.*}} : tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<1xindex>) {clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>, displacements = array<i64: 0, 0, 1>, op_id = 0 : i64, set = !coords_1_1_1} -> (tensor<?xi64>, tensor<1xindex>)
  %5:2 = sparseconv.kernel.spread ins(%keys, %status : tensor<?xi64>, memref<8xi64>)
      outs(%keys, %count : tensor<?xi64>, tensor<1xindex>)
      {clip = #sparseconv.region<[0, 0, 0] to [4, 4, 4]>, displacements = array<i64: 0, 0, 1>, op_id = 0 : i64,
       set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.select ins(%{{.*}} : tensor<?xi64>, tensor<?xi1>, memref<8xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<?xi32>, tensor<1xindex>) {op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<1xindex>)
  %6:3 = sparseconv.kernel.select ins(%keys, %mask, %status : tensor<?xi64>, tensor<?xi1>, memref<8xi64>)
      outs(%keys, %rows, %count : tensor<?xi64>, tensor<?xi32>, tensor<1xindex>)
      {op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<1xindex>)
  // CHECK: sparseconv.kernel.intersect ins(%{{.*}} : tensor<?xi64>, tensor<?xi64>) outs(%{{.*}} : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>) -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  %7:4 = sparseconv.kernel.intersect ins(%keys, %keys : tensor<?xi64>, tensor<?xi64>)
      outs(%keys, %rows, %rows, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

//===----------------------------------------------------------------------===//
// Encodings of a kernel map
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @maps(
func.func @maps(%keys: tensor<?xi32>, %table: tensor<?x2xi32>, %rows: tensor<?xi32>, %segments: tensor<?x3xi64>,
                %pairs: tensor<?x3xi32>, %in_rows: index, %status: memref<8xi64>) {
  // CHECK: sparseconv.kernel.search ins(%{{.*}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.*}} : tensor<?x2xi32>) {displacements = array<i64: 0, 1>, packing = #packing1, search = #sparseconv.search<zdelta>} -> tensor<?x2xi32>
  %0 = sparseconv.kernel.search ins(%keys, %keys : tensor<?xi32>, tensor<?xi32>) outs(%table : tensor<?x2xi32>)
      {displacements = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>, search = #sparseconv.search<zdelta>}
      -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.search ins({{.*}}) outs({{.*}}) {displacements = array<i64: -2, 2>, in_stride = array<i64: 2>, out_stride = array<i64: 2>, packing = #packing1, search = #sparseconv.search<hash, half>} -> tensor<?x2xi32>
  %half = sparseconv.kernel.search ins(%keys, %keys : tensor<?xi32>, tensor<?xi32>) outs(%table : tensor<?x2xi32>)
      {displacements = array<i64: -2, 2>, in_stride = array<i64: 2>, out_stride = array<i64: 2>,
       packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>, search = #sparseconv.search<hash, half>}
      -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.table_from_pairs ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x3xi32>, index, memref<8xi64>) outs(%{{.*}} : tensor<?x2xi32>) {op_id = 2 : i64} -> tensor<?x2xi32>
  %given = sparseconv.kernel.table_from_pairs ins(%pairs, %in_rows, %status : tensor<?x3xi32>, index, memref<8xi64>)
      outs(%table : tensor<?x2xi32>) {op_id = 2 : i64} -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.check_table ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xi32>, index, memref<8xi64>) outs(%{{.*}} : tensor<?x2xi32>) {op_id = 2 : i64} -> tensor<?x2xi32>
  %checked = sparseconv.kernel.check_table ins(%table, %in_rows, %status : tensor<?x2xi32>, index, memref<8xi64>)
      outs(%table : tensor<?x2xi32>) {op_id = 2 : i64} -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.invert_table ins(%{{.*}} : tensor<?x2xi32>) outs(%{{.*}} : tensor<?x2xi32>) -> tensor<?x2xi32>
  %1 = sparseconv.kernel.invert_table ins(%table : tensor<?x2xi32>) outs(%table : tensor<?x2xi32>) -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.renumber_table ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x2xi32>, tensor<?xi32>, memref<8xi64>) outs(%{{.*}} : tensor<?x2xi32>) {op_id = 2 : i64, side = #sparseconv<map_side out>} -> tensor<?x2xi32>
  %renumbered = sparseconv.kernel.renumber_table ins(%table, %rows, %status : tensor<?x2xi32>, tensor<?xi32>, memref<8xi64>)
      outs(%table : tensor<?x2xi32>) {op_id = 2 : i64, side = #sparseconv<map_side out>} -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.pair_lists ins(%{{.*}} : tensor<?x2xi32>) outs(%{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>) {row_block = 512 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  %2:3 = sparseconv.kernel.pair_lists ins(%table : tensor<?x2xi32>)
      outs(%rows, %rows, %segments : tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      {row_block = 512 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
  // CHECK: sparseconv.kernel.offset_lists ins(%{{.*}} : tensor<?x2xi32>) outs(%{{.*}} : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
  %lists:3 = sparseconv.kernel.offset_lists ins(%table : tensor<?x2xi32>)
      outs(%rows, %rows, %rows : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>) -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>)
  // CHECK: sparseconv.kernel.keep_offsets ins(%{{.*}} : tensor<?x2xi32>) outs(%{{.*}} : tensor<?x2xi32>) {offsets = array<i64: 1>} -> tensor<?x2xi32>
  %kept = sparseconv.kernel.keep_offsets ins(%table : tensor<?x2xi32>)
      outs(%table : tensor<?x2xi32>) {offsets = array<i64: 1>} -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.group_pairs ins(%{{.*}} : tensor<?x2xi32>, memref<8xi64>) outs(%{{.*}} : tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>) {epsilon = 25 : i64, op_id = 2 : i64, row_block = 128 : i64, s = 20000 : i64} -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  %places = tensor.empty() : tensor<1xindex>
  %3:4 = sparseconv.kernel.group_pairs ins(%table, %status : tensor<?x2xi32>, memref<8xi64>)
      outs(%rows, %table, %segments, %places : tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
      {epsilon = 25 : i64, op_id = 2 : i64, row_block = 128 : i64, s = 20000 : i64}
      -> (tensor<?xi32>, tensor<?x2xi32>, tensor<?x3xi64>, tensor<1xindex>)
  return
}

// The table of a search, and the totals of a sort, may be absent.

// CHECK-LABEL: func.func @hits(
func.func @hits(%keys: tensor<?xi32>, %masks: tensor<1x?xi32>, %records: tensor<?x4xi32>, %counts: tensor<64x32xi32>,
                %totals: tensor<2x512xi32>, %table: tensor<?x2xi32>, %rows: index, %tiled: tensor<2x?xi32>,
                %order: tensor<?xi32>, %tile_masks: tensor<?x1xi32>, %sizes: tensor<3xindex>) {
  // CHECK: sparseconv.kernel.search_hits ins(%{{.*}} : tensor<?xi32>, tensor<?xi32>) outs(%{{.*}} : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>) {displacements = array<i64: 0, 1>, packing = #packing1, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>} -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  %0:4 = sparseconv.kernel.search_hits ins(%keys, %keys : tensor<?xi32>, tensor<?xi32>)
      outs(%masks, %records, %counts, %totals : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>,
       sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>)
  // CHECK: sparseconv.kernel.search_hits {{.*}} outs(%{{.*}} : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>, tensor<?x2xi32>)
  %1:5 = sparseconv.kernel.search_hits ins(%keys, %keys : tensor<?xi32>, tensor<?xi32>)
      outs(%masks, %records, %counts, %totals, %table
           : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>, tensor<?x2xi32>)
      {displacements = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>,
       sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
      -> (tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, tensor<2x512xi32>, tensor<?x2xi32>)
  // CHECK: sparseconv.kernel.tile_hits ins(%{{.*}} : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index) outs(%{{.*}} : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x512xi32>) {displacements = array<i64: 0, 1>, packing = #packing1, sample_rows = 256 : i64}
  %2:5 = sparseconv.kernel.tile_hits ins(%0#0, %0#1, %0#2, %rows : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tiled, %order, %tile_masks, %sizes, %0#3
           : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x512xi32>)
      {displacements = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>,
       sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<2x512xi32>)
  // CHECK: sparseconv.kernel.tile_hits {{.*}} outs(%{{.*}} : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) {
  %3:4 = sparseconv.kernel.tile_hits ins(%0#0, %0#1, %0#2, %rows : tensor<1x?xi32>, tensor<?x4xi32>, tensor<64x32xi32>, index)
      outs(%tiled, %order, %tile_masks, %sizes : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      {displacements = array<i64: 0, 1>, packing = #sparseconv.packing<i32, batch = 4, bits = [28], guard = [4]>,
       sample_rows = 256 : i64}
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  return
}

//===----------------------------------------------------------------------===//
// Features
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @guard_rows(
func.func @guard_rows(%x: tensor<?x8xf32>, %n: index, %status: memref<8xi64>) {
  // CHECK: sparseconv.kernel.guard_rows %{{.*}} rows(%{{.*}}) status(%{{.*}} : memref<8xi64>) {op_id = 3 : i64, operand = 0 : i64, side = 1 : i64} : tensor<?x8xf32>
  %0 = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {op_id = 3 : i64, operand = 0 : i64, side = 1 : i64} : tensor<?x8xf32>
  // CHECK: sparseconv.kernel.guard_rows %{{.*}} {length, op_id = 3 : i64, operand = 1 : i64, side = 0 : i64} : tensor<?x8xf32>
  %1 = sparseconv.kernel.guard_rows %x rows(%n) status(%status : memref<8xi64>)
      {length, op_id = 3 : i64, operand = 1 : i64, side = 0 : i64} : tensor<?x8xf32>
  return
}

// CHECK-LABEL: func.func @gather_gemm_scatter(
func.func @gather_gemm_scatter(%x: tensor<?x8xf32>, %w: tensor<2x8x16xf32>, %rows: tensor<?xi32>, %segments: tensor<?x3xi64>,
                       %bias: tensor<16xf32>, %y: tensor<?x16xf32>) {
  // CHECK:      sparseconv.kernel.gather_gemm_scatter ins(%{{.*}} : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>) outs(%{{.*}} : tensor<?x16xf32>)
  // CHECK-SAME:   {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  %0 = sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments
          : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%y : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>} -> tensor<?x16xf32>
  // The epilogue that a convolution had.
  // CHECK:      sparseconv.kernel.gather_gemm_scatter ins(%{{.*}}, tensor<16xf32>) outs(%{{.*}} epilogue {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT:   %[[SUM:.*]] = arith.addf %[[ACC]], %[[B]] : f32
  // CHECK-NEXT:   sparseconv.yield %[[SUM]] : f32
  // CHECK-NEXT: } -> tensor<?x16xf32>
  %1 = sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments, %bias
          : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>, tensor<16xf32>)
      outs(%y : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>} epilogue {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  } -> tensor<?x16xf32>
  // CHECK: sparseconv.kernel.gather_gemm_scatter ins(%{{.*}} {{.*}}transpose_weights} -> tensor<?x8xf32>
  %2 = sparseconv.kernel.gather_gemm_scatter
      ins(%y, %w, %rows, %rows, %segments
          : tensor<?x16xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%x : tensor<?x8xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>, transpose_weights} -> tensor<?x8xf32>
  // CHECK: sparseconv.kernel.gather_gemm_scatter ins(%{{.*}} {atomic, tiling = #sparseconv.tiling<{{.*}}>} -> tensor<?x16xf32>
  %atomic = sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments
          : tensor<?x8xf32>, tensor<2x8x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%y : tensor<?x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>, atomic} -> tensor<?x16xf32>
  // CHECK: sparseconv.kernel.weight_grad ins(%{{.*}} : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>) outs(%{{.*}} : tensor<2x8x16xf32>) {tiling = {{.*}}} -> tensor<2x8x16xf32>
  %3 = sparseconv.kernel.weight_grad
      ins(%x, %y, %rows, %rows, %segments
          : tensor<?x8xf32>, tensor<?x16xf32>, tensor<?xi32>, tensor<?xi32>, tensor<?x3xi64>)
      outs(%w : tensor<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>} -> tensor<2x8x16xf32>
  return
}

// CHECK-LABEL: func.func @tiled_weight_grad(
func.func @tiled_weight_grad(%x: tensor<?x8xf16>, %dy: tensor<?x16xf16>, %rows: tensor<?xi32>, %counts: tensor<2xi32>, %dw: tensor<2x4x2x4xf16>) {
  // CHECK: sparseconv.kernel.tiled_weight_grad ins(%{{.*}} : tensor<?x8xf16>, tensor<?x16xf16>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>) outs(%{{.*}} : tensor<2x4x2x4xf16>) {split_k = 3 : i64, tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x4x2x4xf16>
  %0 = sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %rows, %rows, %counts : tensor<?x8xf16>, tensor<?x16xf16>, tensor<?xi32>, tensor<?xi32>, tensor<2xi32>)
      outs(%dw : tensor<2x4x2x4xf16>) {split_k = 3 : i64, tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, piece_in = 4, piece_out = 4>} -> tensor<2x4x2x4xf16>
  return
}

// CHECK-LABEL: func.func @implicit_gemm(
func.func @implicit_gemm(%x: tensor<?x8xf16>, %w: tensor<2x8x16xf16>, %table: tensor<?x2xi32>, %bias: tensor<16xf32>,
                         %skip: tensor<?x16xf16>, %y: tensor<?x16xf16>) {
  // CHECK:      sparseconv.kernel.implicit_gemm ins(%{{.*}} : tensor<?x8xf16>, tensor<2x8x16xf16>, tensor<?x2xi32>) outs(%{{.*}} : tensor<?x16xf16>)
  // CHECK-SAME:   -> tensor<?x16xf16>
  %0 = sparseconv.kernel.implicit_gemm
      ins(%x, %w, %table : tensor<?x8xf16>, tensor<2x8x16xf16>, tensor<?x2xi32>) outs(%y : tensor<?x16xf16>)
      -> tensor<?x16xf16>
  // An epilogue with a value for each channel and one for each element.
  // CHECK:      sparseconv.kernel.implicit_gemm ins(%{{.*}}, tensor<16xf32>, tensor<?x16xf16>) outs(%{{.*}} epilogue {
  // CHECK-NEXT: ^bb0(%[[ACC:.*]]: f32, %[[B:.*]]: f32, %[[S:.*]]: f16):
  // CHECK:        sparseconv.yield %{{.*}} : f32
  // CHECK-NEXT: } -> tensor<?x16xf16>
  %1 = sparseconv.kernel.implicit_gemm
      ins(%x, %w, %table, %bias, %skip
          : tensor<?x8xf16>, tensor<2x8x16xf16>, tensor<?x2xi32>, tensor<16xf32>, tensor<?x16xf16>)
      outs(%y : tensor<?x16xf16>)
      epilogue {
  ^bb0(%acc: f32, %b: f32, %s: f16):
    %biased = arith.addf %acc, %b : f32
    %wide = arith.extf %s : f16 to f32
    %sum = arith.addf %biased, %wide : f32
    sparseconv.yield %sum : f32
  } -> tensor<?x16xf16>
  // CHECK: sparseconv.kernel.implicit_gemm ins(%{{.*}} {{.*}}transpose_weights} -> tensor<?x8xf16>
  %2 = sparseconv.kernel.implicit_gemm
      ins(%y, %w, %table : tensor<?x16xf16>, tensor<2x8x16xf16>, tensor<?x2xi32>) outs(%x : tensor<?x8xf16>)
      {transpose_weights} -> tensor<?x8xf16>
  return
}

// CHECK-LABEL: func.func @tiled_gemm(
func.func @tiled_gemm(%x: tensor<?x64xf16>, %w: tensor<2x64x16xf16>, %table: tensor<?x2xi32>, %rows: index,
                      %tiled: tensor<2x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                      %image: tensor<4096xi8>, %y: tensor<?x16xf16>, %scratch: tensor<512xf32>, %counters: tensor<8xi32>) {
  // CHECK: sparseconv.kernel.tile_rows ins(%{{.*}} : tensor<?x2xi32>, index) outs(%{{.*}} : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  %t:4 = sparseconv.kernel.tile_rows ins(%table, %rows : tensor<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      -> (tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
  // CHECK: sparseconv.kernel.untile_rows ins(%{{.*}} : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>) outs(%{{.*}} : tensor<?x2xi32>) {trusted} -> tensor<?x2xi32>
  %u = sparseconv.kernel.untile_rows ins(%t#0, %t#1, %t#2, %t#3 : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%table : tensor<?x2xi32>) {trusted} -> tensor<?x2xi32>
  // CHECK: sparseconv.kernel.pack_weights ins(%{{.*}} : tensor<2x64x16xf16>) outs(%{{.*}} : tensor<4096xi8>) {tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 16, resident = true>} -> tensor<4096xi8>
  %p = sparseconv.kernel.pack_weights ins(%w : tensor<2x64x16xf16>) outs(%image : tensor<4096xi8>)
      {tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 64, tile_n = 16, resident = true>} -> tensor<4096xi8>
  // CHECK: sparseconv.kernel.tiled_gemm ins(%{{.*}}) outs(%{{.*}} : tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>) {split_k = 4 : i64, tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>} -> (tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %p, %t#0, %t#1, %t#2, %t#3
          : tensor<?x64xf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %scratch, %counters : tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
      {split_k = 4 : i64,
       tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>}
      -> (tensor<?x16xf16>, tensor<512xf32>, tensor<8xi32>)
  return
}

// CHECK-LABEL: func.func @tiled_gemm_of_two(
func.func @tiled_gemm_of_two(%x: tensor<?x32xbf16>, %beside: tensor<?x20xbf16>, %bias: tensor<16xbf16>,
                             %tiled: tensor<2x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                             %image: tensor<4096xi8>, %y: tensor<?x16xbf16>, %scratch: tensor<1xf32>, %counters: tensor<1xi32>) {
  // CHECK: sparseconv.kernel.tiled_gemm ins(%{{.*}} : tensor<?x32xbf16>, {{.*}}, tensor<3xindex>, tensor<?x20xbf16>) outs(
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %tiled, %order, %masks, %sizes, %beside
          : tensor<?x32xbf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<?x20xbf16>)
      outs(%y, %scratch, %counters : tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
      {tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>}
      -> (tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
  // CHECK: sparseconv.kernel.tiled_gemm ins(%{{.*}} : tensor<?x32xbf16>, {{.*}}, tensor<3xindex>, tensor<?x20xbf16>, tensor<16xbf16>) outs({{.*}} epilogue {
  %h:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %tiled, %order, %masks, %sizes, %beside, %bias
          : tensor<?x32xbf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<?x20xbf16>, tensor<16xbf16>)
      outs(%y, %scratch, %counters : tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
      {tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>} epilogue {
  ^bb0(%sum: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %r = arith.addf %sum, %wide : f32
    sparseconv.yield %r : f32
  } -> (tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func.func @tiled_gemm_of_picked_rows(
func.func @tiled_gemm_of_picked_rows(%x: tensor<?x32xbf16>, %beside: tensor<?x20xbf16>, %skip: tensor<7x16xbf16>, %rows: tensor<?xi32>,
                                     %tiled: tensor<2x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                                     %image: tensor<4096xi8>, %y: tensor<?x16xbf16>, %scratch: tensor<1xf32>, %counters: tensor<1xi32>) {
  // CHECK: sparseconv.kernel.tiled_gemm ins({{.*}}, tensor<3xindex>, tensor<?x20xbf16>, tensor<7x16xbf16>, tensor<?xi32>) outs({{.*}} epilogue {
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %tiled, %order, %masks, %sizes, %beside, %skip, %rows
          : tensor<?x32xbf16>, tensor<4096xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<?x20xbf16>, tensor<7x16xbf16>, tensor<?xi32>)
      outs(%y, %scratch, %counters : tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
      {tiling = #sparseconv.gemm_tiling<ring64, warps = 8, tile_k = 64, tile_n = 16, stages = 6>} epilogue {
  ^bb0(%sum: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %r = arith.addf %sum, %wide : f32
    sparseconv.yield %r : f32
  } -> (tensor<?x16xbf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func.func @tiled_groups(
func.func @tiled_groups(%x: tensor<?x64xf16>, %w: tensor<2x4x16x8xf16>, %tiled: tensor<2x?xi32>, %order: tensor<?xi32>,
                        %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>, %image: tensor<2048xi8>, %y: tensor<?x32xf16>,
                        %scratch: tensor<1xf32>, %counters: tensor<1xi32>) {
  // CHECK: sparseconv.kernel.pack_weights ins(%{{.*}} : tensor<2x4x16x8xf16>) outs(%{{.*}} : tensor<2048xi8>) {groups = 4 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  %p = sparseconv.kernel.pack_weights ins(%w : tensor<2x4x16x8xf16>) outs(%image : tensor<2048xi8>)
      {groups = 4 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> tensor<2048xi8>
  // CHECK: sparseconv.kernel.tiled_gemm ins(%{{.*}}) outs(%{{.*}}) {groups = 4 : i64, split_k = 1 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> (tensor<?x32xf16>, tensor<1xf32>, tensor<1xi32>)
  %g:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %p, %tiled, %order, %masks, %sizes
          : tensor<?x64xf16>, tensor<2048xi8>, tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>)
      outs(%y, %scratch, %counters : tensor<?x32xf16>, tensor<1xf32>, tensor<1xi32>)
      {groups = 4 : i64, tiling = #sparseconv.gemm_tiling<warp16>} -> (tensor<?x32xf16>, tensor<1xf32>, tensor<1xi32>)
  return
}

// CHECK-LABEL: func.func @pool(
func.func @pool(%x: tensor<?x8xbf16>, %table: tensor<?x2xi32>, %keys: tensor<?xi64>, %items: tensor<4x8xbf16>,
                %status: memref<8xi64>) {
  // CHECK: sparseconv.kernel.pool ins(%{{.*}} : tensor<?x8xbf16>, tensor<?x2xi32>) outs(%{{.*}} : tensor<?x8xbf16>) {count_kind = #sparseconv<count_kind volume>, kind = #sparseconv<pool_kind avg>} -> tensor<?x8xbf16>
  %0 = sparseconv.kernel.pool ins(%x, %table : tensor<?x8xbf16>, tensor<?x2xi32>) outs(%x : tensor<?x8xbf16>)
      {count_kind = #sparseconv<count_kind volume>, kind = #sparseconv<pool_kind avg>} -> tensor<?x8xbf16>
  // CHECK: sparseconv.kernel.pool_grad ins(%{{.*}} : tensor<?x8xbf16>, tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x8xbf16>) outs(%{{.*}} : tensor<?x8xbf16>) {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xbf16>
  %1 = sparseconv.kernel.pool_grad
      ins(%x, %table, %table, %x : tensor<?x8xbf16>, tensor<?x2xi32>, tensor<?x2xi32>, tensor<?x8xbf16>)
      outs(%x : tensor<?x8xbf16>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>} -> tensor<?x8xbf16>
  // CHECK: sparseconv.kernel.global_pool ins(%{{.*}} : tensor<?x8xbf16>, tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<4x8xbf16>) {kind = #sparseconv<pool_kind sum>, op_id = 0 : i64, packing = #packing} -> tensor<4x8xbf16>
  %2 = sparseconv.kernel.global_pool ins(%x, %keys, %status : tensor<?x8xbf16>, tensor<?xi64>, memref<8xi64>)
      outs(%items : tensor<4x8xbf16>)
      {kind = #sparseconv<pool_kind sum>, op_id = 0 : i64, packing = #packing} -> tensor<4x8xbf16>
  // CHECK: sparseconv.kernel.global_pool_grad ins(%{{.*}} : tensor<4x8xbf16>, tensor<?xi64>, tensor<?x8xbf16>, memref<8xi64>) outs(%{{.*}} : tensor<?x8xbf16>) {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #packing} -> tensor<?x8xbf16>
  %3 = sparseconv.kernel.global_pool_grad
      ins(%items, %keys, %x, %status : tensor<4x8xbf16>, tensor<?xi64>, tensor<?x8xbf16>, memref<8xi64>)
      outs(%x : tensor<?x8xbf16>)
      {kind = #sparseconv<pool_kind max>, op_id = 0 : i64, packing = #packing} -> tensor<?x8xbf16>
  return
}

// CHECK-LABEL: func.func @rows(
func.func @rows(%x: tensor<?x8xf16>, %index: tensor<?xi32>, %points: tensor<?x4xf32>, %keys: tensor<?xi64>,
                %table: tensor<?x8xi32>, %weights: tensor<?x8xf32>, %grid: tensor<2x4x4x4x8xf16>,
                %columns: tensor<?x8x8xf16>, %status: memref<8xi64>) {
  // CHECK: sparseconv.kernel.gather_rows ins(%{{.*}} : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>) outs(%{{.*}} : tensor<?x8xf16>) {op_id = 0 : i64} -> tensor<?x8xf16>
  %0 = sparseconv.kernel.gather_rows ins(%x, %index, %status : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%x : tensor<?x8xf16>) {op_id = 0 : i64} -> tensor<?x8xf16>
  // CHECK: sparseconv.kernel.gather_rows {{.*}} {op_id = 0 : i64, trusted} -> tensor<?x8xf16>
  %trusted = sparseconv.kernel.gather_rows ins(%x, %index, %status : tensor<?x8xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%x : tensor<?x8xf16>) {op_id = 0 : i64, trusted} -> tensor<?x8xf16>
  // CHECK: sparseconv.kernel.im2col ins(%{{.*}} : tensor<?x8xf16>, tensor<?x8xi32>) outs(%{{.*}} : tensor<?x8x8xf16>) -> tensor<?x8x8xf16>
  %im2col = sparseconv.kernel.im2col ins(%x, %table : tensor<?x8xf16>, tensor<?x8xi32>)
      outs(%columns : tensor<?x8x8xf16>) -> tensor<?x8x8xf16>
  // CHECK: sparseconv.kernel.interpolate ins(%{{.*}} : tensor<?x4xf32>, tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<?x8xi32>, tensor<?x8xf32>) {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !coords_1_1_1} -> (tensor<?x8xi32>, tensor<?x8xf32>)
  %1:2 = sparseconv.kernel.interpolate ins(%points, %keys, %status : tensor<?x4xf32>, tensor<?xi64>, memref<8xi64>)
      outs(%table, %weights : tensor<?x8xi32>, tensor<?x8xf32>)
      {interpolation = #sparseconv<interpolation trilinear>, op_id = 0 : i64, set = !set}
      -> (tensor<?x8xi32>, tensor<?x8xf32>)
  // CHECK: sparseconv.kernel.weighted_gather ins(%{{.*}} : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x8xf32>) outs(%{{.*}} : tensor<?x8xf16>) -> tensor<?x8xf16>
  %2 = sparseconv.kernel.weighted_gather ins(%x, %table, %weights : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x8xf32>)
      outs(%x : tensor<?x8xf16>) -> tensor<?x8xf16>
  // CHECK: sparseconv.kernel.scatter_rows ins(%{{.*}} : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x8xf32>, memref<8xi64>) outs(%{{.*}} : tensor<?x8xf16>) {kind = #sparseconv<pool_kind avg>, op_id = 0 : i64} -> tensor<?x8xf16>
  %3 = sparseconv.kernel.scatter_rows
      ins(%x, %table, %weights, %status : tensor<?x8xf16>, tensor<?x8xi32>, tensor<?x8xf32>, memref<8xi64>)
      outs(%x : tensor<?x8xf16>) {kind = #sparseconv<pool_kind avg>, op_id = 0 : i64} -> tensor<?x8xf16>
  // CHECK: sparseconv.kernel.to_dense ins(%{{.*}} : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<2x4x4x4x8xf16>) {op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !coords_1_1_1} -> tensor<2x4x4x4x8xf16>
  %4 = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%grid : tensor<2x4x4x4x8xf16>)
      {op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x4x4x4x8xf16>
  // CHECK: sparseconv.kernel.to_dense ins({{.*}}) outs(%{{.*}} : tensor<2x8x4x4x4xf16>) {channels_first, op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !coords_1_1_1} -> tensor<2x8x4x4x4xf16>
  %first = tensor.empty() : tensor<2x8x4x4x4xf16>
  %6 = sparseconv.kernel.to_dense ins(%x, %keys, %status : tensor<?x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%first : tensor<2x8x4x4x4xf16>)
      {channels_first, op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<2x8x4x4x4xf16>
  // CHECK: sparseconv.kernel.from_dense ins(%{{.*}} : tensor<2x4x4x4x8xf16>, tensor<?xi64>, memref<8xi64>) outs(%{{.*}} : tensor<?x8xf16>) {op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !coords_1_1_1} -> tensor<?x8xf16>
  %5 = sparseconv.kernel.from_dense ins(%grid, %keys, %status : tensor<2x4x4x4x8xf16>, tensor<?xi64>, memref<8xi64>)
      outs(%x : tensor<?x8xf16>)
      {op_id = 0 : i64, origin = array<i64: 0, 0, 0>, set = !set} -> tensor<?x8xf16>
  return
}

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @buffers(
func.func @buffers(%keys: memref<?xi64, strided<[1], offset: ?>>, %sorted: memref<?xi64>, %rows: memref<?xi32>) {
  // CHECK: sparseconv.kernel.sort ins(%{{.*}} : memref<?xi64, strided<[1], offset: ?>>) outs(%{{.*}} : memref<?xi64>, memref<?xi32>) {fields = array<i64: 64>}{{$}}
  sparseconv.kernel.sort ins(%keys : memref<?xi64, strided<[1], offset: ?>>)
      outs(%sorted, %rows : memref<?xi64>, memref<?xi32>) {fields = array<i64: 64>}
  return
}

// A number of the device, with and without a bound.
// CHECK-LABEL: func.func @device_scalar(
func.func @device_scalar(%count: memref<1xindex>, %scale: memref<1xf32>, %room: index) -> (index, f32) {
  // CHECK: %{{.*}} = sparseconv.kernel.device_scalar %{{.*}} at_most %{{.*}} : memref<1xindex>
  %0 = sparseconv.kernel.device_scalar %count at_most %room : memref<1xindex>
  // CHECK: %{{.*}} = sparseconv.kernel.device_scalar %{{.*}} : memref<1xf32>
  %1 = sparseconv.kernel.device_scalar %scale : memref<1xf32>
  return %0, %1 : index, f32
}

// Weights in another library's order of axes.
// CHECK-LABEL: func.func @weights_of_others(
func.func @weights_of_others(%w: memref<64x3x3x3x32xf16>, %image: memref<110592xi8>) {
  // CHECK: sparseconv.kernel.pack_weights ins(%{{.*}} : memref<64x3x3x3x32xf16>) outs(%{{.*}} : memref<110592xi8>) {permutation = array<i64: 1, 2, 3, 4, 0>, tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 32, tile_n = 64>}
  sparseconv.kernel.pack_weights ins(%w : memref<64x3x3x3x32xf16>) outs(%image : memref<110592xi8>)
      {permutation = array<i64: 1, 2, 3, 4, 0>,
       tiling = #sparseconv.gemm_tiling<group64, warps = 20, tile_k = 32, tile_n = 64>}
  return
}
