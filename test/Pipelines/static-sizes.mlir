// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers=target=cuda | FileCheck %s

// Numbers of points that are known while the network is compiled: none, or some.
// The IR is verified after each pass; a tool that runs it leaves that out.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [9, 9]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>

// Upstream takes no slice of a buffer of no elements: the keys have room for one.
// CHECK-LABEL: func.func @none(
// CHECK:         memref.alloc() {{.*}}: memref<1xi64>
// CHECK:         sparseconv.kernel.encode
func.func @none(%points: tensor<0x3xi32>) -> (tensor<?x3xi32>, tensor<0xi32>) {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<0x3xi32> -> !set
  %0 = sparseconv.unpack %coords : !set -> tensor<?x3xi32>
  return %0, %row_of : tensor<?x3xi32>, tensor<0xi32>
}

// CHECK-LABEL: func.func @some(
// CHECK:         memref.expand_shape %{{.*}} output_shape [60, 1] : memref<60xi32
// CHECK:         sparseconv.kernel.scatter_rows
func.func @some(%points: tensor<60x3xi32>, %x: tensor<60x16xf32>) -> tensor<?x16xf32> {
  %coords, %order, %row_of = sparseconv.pack %points : tensor<60x3xi32> -> !set
  %rows = sparseconv.size %coords : !set
  %0 = sparseconv.scatter %x, %row_of into %rows : tensor<60x16xf32>, tensor<60xi32> -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
