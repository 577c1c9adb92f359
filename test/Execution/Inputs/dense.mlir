// A network on all voxels of a grid, where a sparse convolution is a dense one: a folded norm
// and a rectifier, a residual block, a strided convolution, a pooling, a skip that is
// concatenated, and a linear layer on the mean of each item.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

func.func @dense(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                 %x: tensor<?x3xf32> {sparseconv.name = "x"},
                 %w0: tensor<27x3x4xf32> {sparseconv.name = "w0"},
                 %scale: tensor<4xf32> {sparseconv.name = "scale"},
                 %shift: tensor<4xf32> {sparseconv.name = "shift"},
                 %w1: tensor<27x4x4xf32> {sparseconv.name = "w1"},
                 %w2: tensor<8x4x5xf32> {sparseconv.name = "w2"},
                 %linear: tensor<9x6xf32> {sparseconv.name = "linear"})
    -> (tensor<2x6xf32> {sparseconv.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %f = sparseconv.gather %x, %order : tensor<?x3xf32>, tensor<?xi32> -> tensor<?x3xf32>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.conv %f, %w0, %m : tensor<?x3xf32>, tensor<27x3x4xf32>, !map -> tensor<?x4xf32>
  %1 = linalg.generic {indexing_maps = [#rows, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%0, %scale, %shift : tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) outs(%0 : tensor<?x4xf32>) {
  ^bb0(%a: f32, %b: f32, %s: f32, %out: f32):
    %product = arith.mulf %a, %b : f32
    %sum = arith.addf %product, %s : f32
    %relu = arith.maximumf %sum, %zero : f32
    linalg.yield %relu : f32
  } -> tensor<?x4xf32>
  %2 = sparseconv.conv %1, %w1, %m : tensor<?x4xf32>, tensor<27x4x4xf32>, !map -> tensor<?x4xf32>
  %tanh = math.tanh %2 : tensor<?x4xf32>
  %3 = arith.addf %tanh, %1 : tensor<?x4xf32>
  %d = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  %down = sparseconv.kernel_map %c to %d offsets(box<2, 2, 2>) : !down
  %4 = sparseconv.conv %3, %w2, %down : tensor<?x4xf32>, tensor<8x4x5xf32>, !down -> tensor<?x5xf32>
  %5 = sparseconv.pool max %3, %down : tensor<?x4xf32>, !down -> tensor<?x4xf32>
  %6 = tensor.concat dim(1) %4, %5 : (tensor<?x5xf32>, tensor<?x4xf32>) -> tensor<?x9xf32>
  %mean = sparseconv.global_pool avg %6, %d : tensor<?x9xf32>, !half -> tensor<2x9xf32>
  %empty = tensor.empty() : tensor<2x6xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2x6xf32>) -> tensor<2x6xf32>
  %y = linalg.matmul ins(%mean, %linear : tensor<2x9xf32>, tensor<9x6xf32>) outs(%zeros : tensor<2x6xf32>) -> tensor<2x6xf32>
  return %y : tensor<2x6xf32>
}
