// A layer on the voxels of a scan and one of half the resolution, whose set may grow:
// an output wherever a window of 3 meets a voxel.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!near = !sparseconv.kernel_map<27, !fine to !fine>
!down = !sparseconv.kernel_map<27, !fine to !half>

func.func @main(
    %points: tensor<?x4xi32> {sparseconv.name = "points"},
    %features: tensor<?x4xf32> {sparseconv.name = "features"},
    %stem_weight: tensor<27x4x16xf32> {sparseconv.name = "stem.weight"},
    %down_weight: tensor<27x16x32xf32> {sparseconv.name = "down.weight"}) -> tensor<?x32xf32> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %f = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %near = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !near
  %stem = sparseconv.conv %f, %stem_weight, %near : tensor<?x4xf32>, tensor<27x4x16xf32>, !near -> tensor<?x16xf32>
  %h = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !fine -> !half
  %map = sparseconv.kernel_map %c to %h offsets(box<3, 3, 3>) : !down
  %down = sparseconv.conv %stem, %down_weight, %map : tensor<?x16xf32>, tensor<27x16x32xf32>, !down -> tensor<?x32xf32>
  return %down : tensor<?x32xf32>
}
