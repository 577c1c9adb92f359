// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Points in metres become coordinates, and those inside a region voxels with the
// mean, the largest and the first of their features.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>

func.func @main() -> (tensor<6x3xi32> {sparseconv.name = "coordinates"}, tensor<?x3xi32> {sparseconv.name = "voxels"},
                      tensor<6xi32> {sparseconv.name = "row_of"}, tensor<?x1xf32> {sparseconv.name = "mean"},
                      tensor<?x1xf32> {sparseconv.name = "largest"}, tensor<?x1xf32> {sparseconv.name = "first"}) {
  // The last one is not a number on its second axis.
  %points = arith.constant dense<[[0.25, 1.75], [-0.25, 1.0], [0.4, 1.51], [8.0, 0.0], [0.0, 1.5], [0.0, 0x7FC00000]]> : tensor<6x2xf32>
  %coordinates = sparseconv.quantise %points origin [0.0, 1.0] size [0.5, 0.25] : tensor<6x2xf32> -> tensor<6x3xi32>
  %c, %order, %row_of = sparseconv.pack %coordinates clip(<[-4, 0] to [4, 4]>) : tensor<6x3xi32> -> !set
  %voxels = sparseconv.unpack %c : !set -> tensor<?x3xi32>
  %x = arith.constant dense<[[1.0], [2.0], [4.0], [8.0], [9.0], [32.0]]> : tensor<6x1xf32>
  %n = sparseconv.size %c : !set
  %mean = sparseconv.scatter avg %x, %row_of into %n : tensor<6x1xf32>, tensor<6xi32> -> tensor<?x1xf32>
  %largest = sparseconv.scatter max %x, %row_of into %n : tensor<6x1xf32>, tensor<6xi32> -> tensor<?x1xf32>
  %first = sparseconv.gather %x, %order : tensor<6x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  return %coordinates, %voxels, %row_of, %mean, %largest, %first
      : tensor<6x3xi32>, tensor<?x3xi32>, tensor<6xi32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
// floor(0.25 / 0.5) = 0 and floor((1.75 - 1) / 0.25) = 3.
// CHECK:      result 'coordinates'
// CHECK-NEXT:   [0] 0, 0, 3{{$}}
// CHECK-NEXT:   [1] 0, -1, 0{{$}}
// CHECK-NEXT:   [2] 0, 0, 2{{$}}
// CHECK-NEXT:   [3] 0, 16, -4{{$}}
// CHECK-NEXT:   [4] 0, 0, 2{{$}}
// CHECK-NEXT:   [5] -1, 0, 0{{$}}
// CHECK:      result 'voxels'
// CHECK-NEXT:   [0] 0, -1, 0{{$}}
// CHECK-NEXT:   [1] 0, 0, 2{{$}}
// CHECK-NEXT:   [2] 0, 0, 3{{$}}
// CHECK:      result 'row_of'
// CHECK-NEXT: {{^}}  2, 0, 1, -1, 1, -1{{$}}
// Points 2 and 4 share a voxel.
// CHECK:      result 'mean'
// CHECK-NEXT:   [0] 2{{$}}
// CHECK-NEXT:   [1] 6.5{{$}}
// CHECK-NEXT:   [2] 1{{$}}
// CHECK:      result 'largest'
// CHECK-NEXT:   [0] 2{{$}}
// CHECK-NEXT:   [1] 9{{$}}
// CHECK-NEXT:   [2] 1{{$}}
// CHECK:      result 'first'
// CHECK-NEXT:   [0] 2{{$}}
// CHECK-NEXT:   [1] 4{{$}}
// CHECK-NEXT:   [2] 1{{$}}
