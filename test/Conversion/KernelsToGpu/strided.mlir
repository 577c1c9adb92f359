// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu | FileCheck %s

// Generated kernels take rows that lie side by side: some columns of wider rows
// are copied before, and results after.

// CHECK-LABEL: func.func @gemm(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf16, strided<[16, 1], offset: 8>>, %[[IMAGE:[^:]*]]: memref<768xi8>,
// CHECK-SAME:    %[[Y:[^:]*]]: memref<?x8xf16, strided<[24, 1], offset: ?>>)
// CHECK:         %[[OUT:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8xf16>
// CHECK:         %[[IN:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8xf16>
// CHECK:         scf.parallel
// CHECK:           %[[V:.*]] = memref.load %[[X]][%[[I:[0-9]+]], %[[J:[0-9]+]]]
// CHECK:           memref.store %[[V]], %[[IN]][%[[I]], %[[J]]]
// CHECK-DAG:     unrealized_conversion_cast %[[IN]]
// CHECK-DAG:     unrealized_conversion_cast %[[IMAGE]]
// CHECK-DAG:     unrealized_conversion_cast %[[OUT]]
// CHECK:         gpu.launch_func
// CHECK:         scf.parallel
// CHECK:           %[[V:.*]] = memref.load %[[OUT]][%[[I:[0-9]+]], %[[J:[0-9]+]]]
// CHECK:           memref.store %[[V]], %[[Y]][%[[I]], %[[J]]]

// CHECK-LABEL: func.func @weight_grad(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x8xf16, strided<[16, 1], offset: 8>>, %[[DY:[^:]*]]: memref<?x16xf16, strided<[16, 1], offset: 32>>
// CHECK:         %[[IN:.*]] = memref.alloc(%{{.*}}) {{.*}} : memref<?x8xf16>
// CHECK-DAG:     unrealized_conversion_cast %[[IN]]
// CHECK-DAG:     unrealized_conversion_cast %[[DY]]
// CHECK:         gpu.launch_func
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @gemm(%x: memref<?x8xf16, strided<[16, 1], offset: 8>>, %image: memref<768xi8>, %table: memref<3x?xi32>,
                %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                %scratch: memref<1xf32>, %counters: memref<1xi32>,
                %y: memref<?x8xf16, strided<[24, 1], offset: ?>>) {
  sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes : memref<?x8xf16, strided<[16, 1], offset: 8>>, memref<768xi8>, memref<3x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      outs(%y, %scratch, %counters : memref<?x8xf16, strided<[24, 1], offset: ?>>, memref<1xf32>, memref<1xi32>)
      {tiling = #sparseconv.gemm_tiling<warp16>}
  return
}

func.func @weight_grad(%x: memref<?x8xf16, strided<[16, 1], offset: 8>>, %dy: memref<?x16xf16, strided<[16, 1], offset: 32>>,
                       %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<3xi32>, %dw: memref<3x8x16xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x8xf16, strided<[16, 1], offset: 8>>, memref<?x16xf16, strided<[16, 1], offset: 32>>, memref<?xi32>, memref<?xi32>, memref<3xi32>)
      outs(%dw : memref<3x8x16xf16>)
      {tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 16, tile_out = 16, piece_in = 16, piece_out = 16, slices = 4, pairs = 64, stages = 4, blocks = 4>}
  return
}
}
