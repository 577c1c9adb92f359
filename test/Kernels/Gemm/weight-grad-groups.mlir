// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// Groups in the main loop mma of a gradient by the weights: four of 16 to 24
// channels. A tile belongs to one of them, and two tiles cover the 24. Rows of x are
// 128 bytes, of which the group's 32 are read; rows of dy 192 bytes, of which it has
// 48. A group has 1536 bytes of an offset's sums.
// CHECK-LABEL: func.func @groups(
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c27, %c8, %c1)
// CHECK:      gpu.func @weight_grad{{.*}}(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[TILE:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK:        %[[GROUP:.*]] = arith.divui %[[TILE]], %c2_i32
// CHECK:        %[[NUMBER:.*]] = arith.extui %[[GROUP]] : i32 to i64
// CHECK:        %[[OF_X:.*]] = arith.muli %[[NUMBER]], %c32_i64
// CHECK:        llvm.getelementptr %[[X]][%[[OF_X]]]
// CHECK:        arith.muli %{{.*}}, %c128_i64
// CHECK:        %[[OF_DY:.*]] = arith.muli %[[NUMBER]], %c48_i64
// CHECK:        llvm.getelementptr %[[DY]][%[[OF_DY]]]
// CHECK:        arith.muli %{{.*}}, %c192_i64
// CHECK:        nvvm.mma.sync
// CHECK:        %[[SPLIT:.*]] = llvm.getelementptr %[[SUMS]]
// CHECK:        %[[OF_GROUP:.*]] = arith.extui %[[GROUP]] : i32 to i64
// CHECK:        %[[OF_SPLIT:.*]] = arith.muli %[[OF_GROUP]], %c1536_i64
// CHECK:        llvm.getelementptr %[[SPLIT]][%[[OF_SPLIT]]]
// CHECK:        llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @groups(%x: memref<?x64xf16>, %dy: memref<?x96xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x4x16x24xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x64xf16>, memref<?x96xf16>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x4x16x24xf16>)
      {tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 16, tile_out = 16, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4, blocks = 4>}
  return
}
}
