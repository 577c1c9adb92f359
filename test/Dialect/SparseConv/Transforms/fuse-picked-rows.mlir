// RUN: sparseconv-opt %s --sparseconv-fuse-picked-rows | FileCheck %s

// The parts of a voxel have one shortcut, which is there once for each voxel. The
// epilogue that adds it picks the rows that a gather would write.

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18], guard = [4, 4]>
!fine = !sparseconv.coords<2, stride = [1, 1], #packing>
#tiling = #sparseconv.gemm_tiling<ring64, warps = 12, tile_k = 128, tile_n = 96, stages = 6>

// CHECK-LABEL: func.func @shortcut(
// CHECK-SAME:      %[[X:[^:]*]]: tensor<?x96xf16>, %[[SKIP:[^:]*]]: tensor<?x96xf16>, %[[BIAS:[^:]*]]: tensor<96xf16>,
// CHECK:         %[[CELLS:.*]]:5 = sparseconv.kernel.subdivide
// CHECK:         %[[ROWS:.*]] = tensor.extract_slice %[[CELLS]]#1
// CHECK-NOT:     gather_rows
// CHECK:         sparseconv.kernel.tiled_gemm ins(%[[X]], {{.*}}, %[[BIAS]], %[[SKIP]], %[[ROWS]] : {{.*}}, tensor<3xindex>, tensor<96xf16>, tensor<?x96xf16>, tensor<?xi32>)
func.func @shortcut(%x: tensor<?x96xf16>, %skip: tensor<?x96xf16>, %bias: tensor<96xf16>, %image: tensor<663552xi8>,
                    %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                    %y: tensor<?x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>, %status: memref<8xi64>, %n: index,
                    %keys: tensor<?xi64>, %numbers: tensor<?xi32>, %lists: tensor<?xi32>, %count: tensor<1xindex>) -> tensor<?x96xf16> {
  %cells:5 = sparseconv.kernel.subdivide ins(%keys, %numbers, %numbers, %status : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, memref<8xi64>)
      outs(%keys, %lists, %lists, %lists, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {by = array<i64: 2, 2>, capacity = 2147483646 : i64, op_id = 1 : i64, set = !fine}
      -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  %rows = tensor.extract_slice %cells#1[0] [%n] [1] : tensor<?xi32> to tensor<?xi32>
  %wide = sparseconv.kernel.gather_rows ins(%skip, %rows, %status : tensor<?x96xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%y : tensor<?x96xf16>) {op_id = 2 : i64, trusted} -> tensor<?x96xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %bias, %wide
          : tensor<?x96xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<96xf16>, tensor<?x96xf16>)
      outs(%y, %s, %c : tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling} epilogue {
  ^bb0(%sum: f32, %b: f16, %v: f16):
    %0 = arith.extf %v : f16 to f32
    %1 = arith.addf %sum, %0 : f32
    sparseconv.yield %1 : f32
  } -> (tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0 : tensor<?x96xf16>
}

// Numbers that may be an error or stand for no row, and rows that something else
// reads, are gathered.

// CHECK-LABEL: func.func @others(
// CHECK-COUNT-3: sparseconv.kernel.gather_rows
// CHECK-NOT:     sparseconv.kernel.gather_rows
// CHECK:         sparseconv.kernel.tiled_gemm ins({{.*}} : {{.*}}, tensor<3xindex>, tensor<?x96xf16>, tensor<?x96xf16>, tensor<?x96xf16>)
func.func @others(%x: tensor<?x96xf16>, %skip: tensor<?x96xf16>, %image: tensor<663552xi8>,
                  %table: tensor<27x?xi32>, %order: tensor<?xi32>, %masks: tensor<?x1xi32>, %sizes: tensor<3xindex>,
                  %y: tensor<?x96xf16>, %s: tensor<1xf32>, %c: tensor<1xi32>, %status: memref<8xi64>,
                  %keys: tensor<?xi64>, %numbers: tensor<?xi32>, %lists: tensor<?xi32>, %count: tensor<1xindex>) -> (tensor<?x96xf16>, tensor<?x96xf16>) {
  %cells:5 = sparseconv.kernel.subdivide ins(%keys, %numbers, %numbers, %status : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, memref<8xi64>)
      outs(%keys, %lists, %lists, %lists, %count : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {by = array<i64: 2, 2>, capacity = 2147483646 : i64, op_id = 1 : i64, set = !fine}
      -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  %checked = sparseconv.kernel.gather_rows ins(%skip, %cells#1, %status : tensor<?x96xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%y : tensor<?x96xf16>) {op_id = 2 : i64} -> tensor<?x96xf16>
  %of_points = sparseconv.kernel.gather_rows ins(%skip, %cells#3, %status : tensor<?x96xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%y : tensor<?x96xf16>) {op_id = 3 : i64, trusted} -> tensor<?x96xf16>
  %read = sparseconv.kernel.gather_rows ins(%skip, %cells#1, %status : tensor<?x96xf16>, tensor<?xi32>, memref<8xi64>)
      outs(%y : tensor<?x96xf16>) {op_id = 4 : i64, trusted} -> tensor<?x96xf16>
  %r:3 = sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %checked, %of_points, %read
          : tensor<?x96xf16>, tensor<663552xi8>, tensor<27x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, tensor<?x96xf16>, tensor<?x96xf16>, tensor<?x96xf16>)
      outs(%y, %s, %c : tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>) {tiling = #tiling} epilogue {
  ^bb0(%sum: f32, %a: f16, %b: f16, %v: f16):
    sparseconv.yield %sum : f32
  } -> (tensor<?x96xf16>, tensor<1xf32>, tensor<1xi32>)
  return %r#0, %read : tensor<?x96xf16>, tensor<?x96xf16>
}
