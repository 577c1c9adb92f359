// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The input channels of an implicit GEMM in two tensors. Its kernel takes both, and
// gathers each piece of 64 bytes of a row from the one that has it.

// Where all channels are one step, each piece has its place in the code: one of x,
// then two of what is beside it, whose rows are twice as long.
// CHECK-LABEL: func.func @one_step(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x32xf16>, %[[SKIP:[^:]*]]: memref<?x64xf16>
// CHECK-DAG:     %[[FROM_X:.*]] = builtin.unrealized_conversion_cast %[[X]]
// CHECK-DAG:     %[[FROM_SKIP:.*]] = builtin.unrealized_conversion_cast %[[SKIP]]
// CHECK:         gpu.launch_func @gemm::@tiled_gemm {{.*}} args(%[[FROM_X]] : {{.*}}, %[[FROM_SKIP]] : !llvm.ptr<1>)

// Where the step is known on the device alone, it decides.
// CHECK-LABEL: func.func @steps(

// CHECK-LABEL: gpu.module @gemm
// CHECK:         gpu.func @tiled_gemm(%[[X:[^:]*]]: !llvm.ptr<1>, {{.*}}, %[[SKIP:[^:]*]]: !llvm.ptr<1>) kernel
// CHECK-NOT:     arith.select {{.*}} : !llvm.ptr<1>
// CHECK-DAG:     llvm.getelementptr %[[X]][
// CHECK-DAG:     llvm.getelementptr %[[SKIP]][
// CHECK-NOT:     arith.select {{.*}} : !llvm.ptr<1>

// CHECK-LABEL: gpu.module @gemm_0
// CHECK:         gpu.func @tiled_gemm(%[[X:[^:]*]]: !llvm.ptr<1>, {{.*}}, %[[SKIP:[^:]*]]: !llvm.ptr<1>) kernel
// CHECK:         %[[STEP:.*]] = arith.muli %{{.*}}, %c32_i32
// CHECK:         %[[IS_OWN:.*]] = arith.cmpi ult, %[[STEP]], %c32_i32
// CHECK:         llvm.getelementptr %[[X]][
// CHECK:         llvm.getelementptr %[[SKIP]][
// CHECK:         arith.select %[[IS_OWN]], %{{.*}}, %{{.*}} : !llvm.ptr<1>
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @one_step(%x: memref<?x32xf16>, %skip: memref<?x64xf16>, %image: memref<4608xi8>, %table: memref<3x?xi32>,
                    %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                    %scratch: memref<1xf32>, %counters: memref<1xi32>, %y: memref<?x8xf16>) {
  sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip
          : memref<?x32xf16>, memref<4608xi8>, memref<3x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<?x64xf16>)
      outs(%y, %scratch, %counters : memref<?x8xf16>, memref<1xf32>, memref<1xi32>)
      {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 96>}
  return
}
func.func @steps(%x: memref<?x32xf16>, %skip: memref<?x64xf16>, %image: memref<4608xi8>, %table: memref<3x?xi32>,
                 %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                 %scratch: memref<1xf32>, %counters: memref<1xi32>, %y: memref<?x8xf16>) {
  sparseconv.kernel.tiled_gemm
      ins(%x, %image, %table, %order, %masks, %sizes, %skip
          : memref<?x32xf16>, memref<4608xi8>, memref<3x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<?x64xf16>)
      outs(%y, %scratch, %counters : memref<?x8xf16>, memref<1xf32>, memref<1xi32>)
      {tiling = #sparseconv.gemm_tiling<warp16, tile_k = 32>}
  return
}
}
