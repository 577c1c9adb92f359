// A layer on a set of points: what the tests of the tool run.
#packing = #sparseconv.packing<i64, batch = 7, bits = [14, 14, 12], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                %features: tensor<?x4xf32> {sparseconv.name = "features"},
                %w: tensor<27x4x8xf32> {sparseconv.name = "conv.weight"},
                %b: tensor<8xf32> {sparseconv.name = "conv.bias"})
    -> (tensor<?x8xf32> {sparseconv.name = "scores"},
        tensor<?x4xi32> {sparseconv.name = "voxels"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y = sparseconv.conv %x, %w, %m epilogue(%b : tensor<8xf32>) {
  ^bb0(%acc: f32, %channel: f32):
    %sum = arith.addf %acc, %channel : f32
    sparseconv.yield %sum : f32
  } : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %v = sparseconv.unpack %c : !set -> tensor<?x4xi32>
  return %y, %v : tensor<?x8xf32>, tensor<?x4xi32>
}
