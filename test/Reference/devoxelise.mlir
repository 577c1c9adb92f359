// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The voxels 0 and 1, with the features 10 and 20, read at 0.25, 1.5 and 5.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<3x1xf32> {sparseconv.name = "nearest"}, tensor<3x1xf32> {sparseconv.name = "trilinear"}) {
  %voxels = arith.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %voxels : tensor<2x2xi32> -> !set
  %v = arith.constant dense<[[10.0], [20.0]]> : tensor<2x1xf32>
  %x = sparseconv.gather %v, %order : tensor<2x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %points = arith.constant dense<[[0.0, 0.25], [0.0, 1.5], [0.0, 5.0]]> : tensor<3x2xf32>
  %nearest = sparseconv.devoxelise nearest %x, %points, %c
      : tensor<?x1xf32>, tensor<3x2xf32>, !set -> tensor<3x1xf32>
  %trilinear = sparseconv.devoxelise trilinear %x, %points, %c
      : tensor<?x1xf32>, tensor<3x2xf32>, !set -> tensor<3x1xf32>
  return %nearest, %trilinear : tensor<3x1xf32>, tensor<3x1xf32>
}
// The voxel whose cell holds the point, or 0.
// CHECK:      result 'nearest'
// CHECK-NEXT:   [0] 10{{$}}
// CHECK-NEXT:   [1] 20{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// 3/4 * 10 + 1/4 * 20; 1/2 * 20, since there is no voxel 2; nothing.
// CHECK:      result 'trilinear'
// CHECK-NEXT:   [0] 12.5{{$}}
// CHECK-NEXT:   [1] 10{{$}}
// CHECK-NEXT:   [2] 0{{$}}
