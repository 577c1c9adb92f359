// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Points at 0.5, 0.75 and -0.25, with the features 1, 3 and 8, combined into the
// voxels -1, 0 and 1.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "sum"}, tensor<?x1xf32> {sparseconv.name = "avg"},
                      tensor<?x1xf32> {sparseconv.name = "max"}, tensor<?x1xf32> {sparseconv.name = "trilinear"},
                      tensor<?x1xf32> {sparseconv.name = "mean"}) {
  %voxels = arith.constant dense<[[0, -1], [0, 0], [0, 1]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %voxels : tensor<3x2xi32> -> !set
  %points = arith.constant dense<[[0.0, 0.5], [0.0, 0.75], [0.0, -0.25]]> : tensor<3x2xf32>
  %x = arith.constant dense<[[1.0], [3.0], [8.0]]> : tensor<3x1xf32>
  %sum = sparseconv.voxelise nearest sum %x, %points, %c : tensor<3x1xf32>, tensor<3x2xf32>, !set -> tensor<?x1xf32>
  %avg = sparseconv.voxelise nearest avg %x, %points, %c : tensor<3x1xf32>, tensor<3x2xf32>, !set -> tensor<?x1xf32>
  %max = sparseconv.voxelise nearest max %x, %points, %c : tensor<3x1xf32>, tensor<3x2xf32>, !set -> tensor<?x1xf32>
  %trilinear = sparseconv.voxelise trilinear sum %x, %points, %c
      : tensor<3x1xf32>, tensor<3x2xf32>, !set -> tensor<?x1xf32>
  %mean = sparseconv.voxelise trilinear avg %x, %points, %c
      : tensor<3x1xf32>, tensor<3x2xf32>, !set -> tensor<?x1xf32>
  return %sum, %avg, %max, %trilinear, %mean
      : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
// The cell of voxel 0 holds the points at 0.5 and 0.75, that of -1 the one at
// -0.25.
// CHECK:      result 'sum'
// CHECK-NEXT:   [0] 8{{$}}
// CHECK-NEXT:   [1] 4{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// CHECK:      result 'avg'
// CHECK-NEXT:   [0] 8{{$}}
// CHECK-NEXT:   [1] 2{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// CHECK:      result 'max'
// CHECK-NEXT:   [0] 8{{$}}
// CHECK-NEXT:   [1] 3{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// Each point gives to the voxels on both sides, by its distance to the other:
//   0.5:   1 * 1/2 to 0 and to 1
//   0.75:  3 * 1/4 to 0, 3 * 3/4 to 1
//   -0.25: 8 * 1/4 to -1, 8 * 3/4 to 0
// CHECK:      result 'trilinear'
// CHECK-NEXT:   [0] 2{{$}}
// CHECK-NEXT:   [1] 7.25{{$}}
// CHECK-NEXT:   [2] 2.75{{$}}
// Divided by the weights that came: 1/4, 1/2 + 1/4 + 3/4, and 1/2 + 3/4.
// CHECK:      result 'mean'
// CHECK-NEXT:   [0] 8{{$}}
// CHECK-NEXT:   [1] 4.83333{{$}}
// CHECK-NEXT:   [2] 2.2{{$}}
