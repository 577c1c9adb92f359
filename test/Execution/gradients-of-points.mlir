// The gradient of what points and voxels exchange, by the features alone: the weights of
// points have no rule. Otherwise as gradients.mlir.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/check_gradient.py %s %t --wrt=x | FileCheck %s
// RUN: sparseconv-run %t/gradient.mlir --entry=voxels_gradient --weights=%t/voxels.npz --check
// CHECK: voxels: x: ok

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

func.func @voxels(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                  %positions: tensor<?x4xf32> {sparseconv.name = "positions"},
                  %x: tensor<?x4xf32> {sparseconv.name = "x"})
    -> (tensor<?x4xf32> {sparseconv.name = "sum"}, tensor<?x4xf32> {sparseconv.name = "mean"},
        tensor<?x4xf32> {sparseconv.name = "largest"}, tensor<?x4xf32> {sparseconv.name = "back"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %sum = sparseconv.voxelise trilinear sum %x, %positions, %set : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %mean = sparseconv.voxelise trilinear avg %x, %positions, %set : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %largest = sparseconv.voxelise nearest max %x, %positions, %set : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  %back = sparseconv.devoxelise trilinear %mean, %positions, %set : tensor<?x4xf32>, tensor<?x4xf32>, !set -> tensor<?x4xf32>
  return %sum, %mean, %largest, %back : tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>, tensor<?x4xf32>
}
