// RUN: sparseconv-opt %s --mlir-print-op-generic > %t.before
// RUN: sparseconv-opt %s --emit-bytecode -o %t.mlirbc
// RUN: sparseconv-opt %t.mlirbc --mlir-print-op-generic > %t.after
// RUN: diff %t.before %t.after
// RUN: sparseconv-opt %t.mlirbc | FileCheck %s

// What is written as bytecode is read back as it was, properties and regions
// included.

#packing = #sparseconv.packing<i32, batch = 0, bits = [12, 12], guard = [4, 8]>
!fine = !sparseconv.coords<2, stride = [1, 1], #packing>
!half = !sparseconv.coords<2, stride = [2, 2], #packing>
!down = !sparseconv.kernel_map<3, !fine to !half>

// CHECK: #packing = #sparseconv.packing<i32, batch = 0, bits = [12, 12], guard = [4, 8]>
// CHECK-LABEL: func.func @net(
func.func @net(%p: tensor<?x3xi32>, %x: tensor<?x4xf32>, %w: tensor<3x4x8xf32>, %bias: tensor<8xf32>)
    -> tensor<2x8xf32> {
  // CHECK: %coords, %order, %row_of = sparseconv.pack
  %c, %order, %row_of = sparseconv.pack %p : tensor<?x3xi32> -> !fine
  %x0 = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  // CHECK: sparseconv.downsample %coords by [2, 2] cover offsets(box<corner 2, 3, dilation = [1, 2]>) clip(<[-4, -4] to [64, 64]>) capacity(1000)
  %h = sparseconv.downsample %c by [2, 2] cover offsets(box<corner 2, 3, dilation = [1, 2]>)
      clip(<[-4, -4] to [64, 64]>) capacity(1000) : !fine -> !half
  // CHECK: sparseconv.kernel_map %coords to %{{.*}} offsets(list<[0, 0], [1, 0], [0, -1]>)
  %m = sparseconv.kernel_map %c to %h offsets(list<[0, 0], [1, 0], [0, -1]>) : !down
  // CHECK: sparseconv.conv %{{.*}} epilogue(%{{.*}} : tensor<8xf32>) {
  // CHECK: arith.addf
  // CHECK: } {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<row_block = 64, rows = 6, columns = 8, lanes = 8>}
  %y = sparseconv.conv %x0, %w, %m epilogue(%bias : tensor<8xf32>) {
  ^bb0(%acc: f32, %b: f32):
    %0 = arith.addf %acc, %b : f32
    sparseconv.yield %0 : f32
  } {dataflow = #sparseconv.dataflow<weight_stationary>,
     tiling = #sparseconv.tiling<row_block = 64, rows = 6, columns = 8, lanes = 8>}
      : tensor<?x4xf32>, tensor<3x4x8xf32>, !down -> tensor<?x8xf32>
  // CHECK: sparseconv.pool_grad avg %{{.*}} count(volume)
  %g = sparseconv.pool_grad avg %y, %m count(volume) : tensor<?x8xf32>, !down -> tensor<?x8xf32>
  // CHECK: sparseconv.global_pool max
  %z = sparseconv.global_pool max %g, %c : tensor<?x8xf32>, !fine -> tensor<2x8xf32>
  return %z : tensor<2x8xf32>
}
