// Two levels of a network: what the tests of the tool tune.
#packing = #sparseconv.packing<i32, batch = 1, bits = [9, 9, 7], guard = [8, 8, 8]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>
!down = !sparseconv.kernel_map<8, !set to !half>

func.func @net(%points: tensor<?x4xi32>, %features: tensor<?x4xf16>,
               %w0: tensor<27x4x16xf16> {sparseconv.name = "w0"},
               %w1: tensor<27x16x16xf16> {sparseconv.name = "w1"},
               %w2: tensor<8x16x32xf16> {sparseconv.name = "w2"}) -> tensor<?x32xf16> {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x4xf16>, tensor<?xi32> -> tensor<?x4xf16>
  %m = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !map
  %y0 = sparseconv.conv %x, %w0, %m : tensor<?x4xf16>, tensor<27x4x16xf16>, !map -> tensor<?x16xf16>
  %y1 = func.call @layer(%y0, %w1, %m) : (tensor<?x16xf16>, tensor<27x16x16xf16>, !map) -> tensor<?x16xf16>
  %h = sparseconv.downsample %c by [2, 2, 2] : !set -> !half
  // What is written by hand is not tuned.
  %d = sparseconv.kernel_map %c to %h offsets(box<2, 2, 2>) {search = #sparseconv.search<binary>} : !down
  %y2 = sparseconv.conv %y1, %w2, %d : tensor<?x16xf16>, tensor<8x16x32xf16>, !down -> tensor<?x32xf16>
  return %y2 : tensor<?x32xf16>
}

func.func private @layer(%x: tensor<?x16xf16>, %w: tensor<27x16x16xf16>, %m: !map) -> tensor<?x16xf16> {
  %y = sparseconv.conv %x, %w, %m : tensor<?x16xf16>, tensor<27x16x16xf16>, !map -> tensor<?x16xf16>
  return %y : tensor<?x16xf16>
}
