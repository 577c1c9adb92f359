// The network of jax_encoder.py and torch_encoder.py, written directly.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [4, 4, 4]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !fine to !fine>
!down = !sparseconv.kernel_map<8, !fine to !half>

func.func @main(%points: tensor<?x4xi32>, %coarse: tensor<?x4xi32>, %x: tensor<?x4xf32>,
                %w0: tensor<27x4x8xf32>, %w1: tensor<27x8x8xf32>, %w2: tensor<8x8x16xf32>)
    -> (tensor<?x4xi32> {sparseconv.name = "coordinates"}, tensor<?x16xf32> {sparseconv.name = "y"},
        tensor<?x16xf32> {sparseconv.name = "by_point"}, tensor<2x16xf32> {sparseconv.name = "mean"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %0 = sparseconv.gather %x, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>
  %1 = sparseconv.conv %0, %w0, %map : tensor<?x4xf32>, tensor<27x4x8xf32>, !map -> tensor<?x8xf32>
  %2 = sparseconv.conv %1, %w1, %map : tensor<?x8xf32>, tensor<27x8x8xf32>, !map -> tensor<?x8xf32>
  %half = sparseconv.downsample %set by [2, 2, 2] : !fine -> !half
  %down = sparseconv.kernel_map %set to %half offsets(box<2, 2, 2>) : !down
  %y = sparseconv.conv %2, %w2, %down : tensor<?x8xf32>, tensor<8x8x16xf32>, !down -> tensor<?x16xf32>
  %mean = sparseconv.global_pool avg %y, %half : tensor<?x16xf32>, !half -> tensor<2x16xf32>
  %coordinates = sparseconv.unpack %half : !half -> tensor<?x4xi32>
  %same, %first, %half_row_of = sparseconv.pack %coarse : tensor<?x4xi32> -> !half
  %by_point = sparseconv.gather %y, %half_row_of : tensor<?x16xf32>, tensor<?xi32> -> tensor<?x16xf32>
  return %coordinates, %y, %by_point, %mean : tensor<?x4xi32>, tensor<?x16xf32>, tensor<?x16xf32>, tensor<2x16xf32>
}
