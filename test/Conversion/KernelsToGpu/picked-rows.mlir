// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// An epilogue that picks the rows of an operand: its kernel takes the row numbers
// behind the operand, and loads that of its row first. The bias behind both has a
// parameter of its own.

// CHECK-LABEL: func.func @picked(
// CHECK-SAME:    %[[SKIP:[^:]*]]: memref<?x8xf16>, %[[ROWS:[^:]*]]: memref<?xi32>, %[[BIAS:[^:]*]]: memref<8xf16>
// CHECK-DAG:     %[[FROM_SKIP:.*]] = builtin.unrealized_conversion_cast %[[SKIP]] :
// CHECK-DAG:     %[[FROM_ROWS:.*]] = builtin.unrealized_conversion_cast %[[ROWS]] :
// CHECK-DAG:     %[[FROM_BIAS:.*]] = builtin.unrealized_conversion_cast %[[BIAS]] :
// CHECK:         gpu.launch_func @gemm::@tiled_gemm {{.*}}, %[[FROM_SKIP]] : !llvm.ptr<1>, %[[FROM_ROWS]] : !llvm.ptr<1>, %[[FROM_BIAS]] : !llvm.ptr<1>)

// CHECK-LABEL: gpu.module @gemm
// CHECK:         gpu.func @tiled_gemm({{.*}}, %[[SKIP:[^:]*]]: !llvm.ptr<1>, %[[ROWS:[^:]*]]: !llvm.ptr<1>, %[[BIAS:[^:]*]]: !llvm.ptr<1>) kernel
// CHECK:         %[[PLACE:.*]] = llvm.getelementptr %[[ROWS]][
// CHECK:         %[[NUMBER:.*]] = llvm.load %[[PLACE]] {alignment = 4 : i64} : !llvm.ptr<1> -> i32
// CHECK:         %[[ROW:.*]] = arith.extui %[[NUMBER]] : i32 to i64
// CHECK:         arith.muli %[[ROW]], %c8_i64
// CHECK:         llvm.getelementptr %[[SKIP]][

// Rows of 9 channels pass through shared memory, two channels at a time. The two of a
// row in memory may begin in the middle of four bytes, and are loaded one by one.

// CHECK-LABEL: gpu.module @gemm_0
// CHECK-NOT:     -> vector<2xf16>
// CHECK:         llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<1> -> f16
// CHECK-NOT:     -> vector<2xf16>
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<3>
// CHECK-NOT:     -> vector<2xf16>
// CHECK:         llvm.store %{{.*}} {alignment = 4 : i64} : i32, !llvm.ptr<1>
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @picked(%skip: memref<?x8xf16>, %rows: memref<?xi32>, %bias: memref<8xf16>, %x: memref<?x32xf16>, %image: memref<1536xi8>,
                  %table: memref<3x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                  %scratch: memref<1xf32>, %counters: memref<1xi32>, %y: memref<?x8xf16>) {
  sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip, %rows, %bias
          : memref<?x32xf16>, memref<1536xi8>, memref<3x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<?x8xf16>, memref<?xi32>, memref<8xf16>)
      outs(%y, %scratch, %counters : memref<?x8xf16>, memref<1xf32>, memref<1xi32>)
      {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>} epilogue {
  ^bb0(%sum: f32, %v: f16, %b: f16):
    %0 = arith.extf %v : f16 to f32
    %1 = arith.addf %sum, %0 : f32
    %2 = arith.extf %b : f16 to f32
    %3 = arith.addf %1, %2 : f32
    sparseconv.yield %3 : f32
  }
  return
}
func.func @odd(%skip: memref<?x9xf16>, %rows: memref<?xi32>, %x: memref<?x32xf16>, %image: memref<3072xi8>,
                  %table: memref<3x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                  %scratch: memref<1xf32>, %counters: memref<1xi32>, %y: memref<?x9xf16>) {
  sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip, %rows
          : memref<?x32xf16>, memref<3072xi8>, memref<3x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<?x9xf16>, memref<?xi32>)
      outs(%y, %scratch, %counters : memref<?x9xf16>, memref<1xf32>, memref<1xi32>)
      {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32, tile_n = 16>} epilogue {
  ^bb0(%sum: f32, %v: f16):
    %0 = arith.extf %v : f16 to f32
    %1 = arith.addf %sum, %0 : f32
    sparseconv.yield %1 : f32
  }
  return
}
}
