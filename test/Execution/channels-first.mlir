// Dense grids whose channels go first, as ordinary convolutions take them: kernels
// write them in that layout (sparseconv-fuse-transpositions). The last entry's other
// result is the grid with channels last, so there the transposition stays.

// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet

// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: func.func @half(
// KERNELS:         to_dense {{.*}} {channels_first
// KERNELS-LABEL: func.func @both(
// KERNELS-NOT:     channels_first
// KERNELS-LABEL: func.func @outside(
// KERNELS:         to_dense {{.*}} {channels_first

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; [np.save(f'%t/{n}.npy', np.random.default_rng(n).integers([0, -8, -9, 0], [3, 8, 9, 7], (n, 4), np.int32)) for n in (0, 1, 31, 129, 4999)]"
// RUN: for rows in 0 1 31 129 4999; do for entry in half odd strided both; do \
// RUN:   %{run} --entry=$entry --input points=%t/$rows.npy --input features=random:$rows || exit 1; \
// RUN: done; done

// Coordinates outside are an error, whichever channels find it first.
// RUN: not sparseconv-run %s --entry=outside --input features=random:2 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// RUN: not sparseconv-run %s --entry=outside --input features=random:2 --target=reference 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// OUTSIDE: sparseconv.to_dense: row 1: coordinate 3 on axis 1 is outside 0 .. 1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 1], #packing>
#plane = #sparseconv.packing<i32, batch = 2, bits = [4, 4], guard = [1, 1]>
!plane = !sparseconv.coords<2, stride = [1, 1], #plane>

// Whole vectors of channels.
func.func @half(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x32xf16> {sparseconv.name = "features"})
    -> tensor<3x32x16x18x7xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %grid = sparseconv.to_dense %x, %set origin [-8, -9, 0] : tensor<?x32xf16>, !set -> tensor<3x16x18x7x32xf16>
  %empty = tensor.empty() : tensor<3x32x16x18x7xf16>
  %y = linalg.transpose ins(%grid : tensor<3x16x18x7x32xf16>) outs(%empty : tensor<3x32x16x18x7xf16>) permutation = [0, 4, 1, 2, 3]
  return %y : tensor<3x32x16x18x7xf16>
}

// 13 channels, in another shape.
func.func @odd(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x13xf32> {sparseconv.name = "features"})
    -> tensor<3x208x18x7xf32> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x13xf32>, tensor<?xi32> -> tensor<?x13xf32>
  %grid = sparseconv.to_dense %x, %set origin [-8, -9, 0] : tensor<?x13xf32>, !set -> tensor<3x16x18x7x13xf32>
  %empty = tensor.empty() : tensor<3x13x16x18x7xf32>
  %y = linalg.transpose ins(%grid : tensor<3x16x18x7x13xf32>) outs(%empty : tensor<3x13x16x18x7xf32>) permutation = [0, 4, 1, 2, 3]
  %z = tensor.collapse_shape %y [[0], [1, 2], [3], [4]] : tensor<3x13x16x18x7xf32> into tensor<3x208x18x7xf32>
  return %z : tensor<3x208x18x7xf32>
}

// A coarser set.
func.func @strided(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x13xf32> {sparseconv.name = "features"})
    -> tensor<3x1x8x10x7xbf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %coarse = sparseconv.downsample %set by [2, 2, 1] : !set -> !half
  %n = sparseconv.size %coarse : !half
  %one = arith.constant 1.0 : bf16
  %room = tensor.empty(%n) : tensor<?x1xbf16>
  %ones = linalg.fill ins(%one : bf16) outs(%room : tensor<?x1xbf16>) -> tensor<?x1xbf16>
  %grid = sparseconv.to_dense %ones, %coarse origin [-8, -10, 0] : tensor<?x1xbf16>, !half -> tensor<3x8x10x7x1xbf16>
  %empty = tensor.empty() : tensor<3x1x8x10x7xbf16>
  %y = linalg.transpose ins(%grid : tensor<3x8x10x7x1xbf16>) outs(%empty : tensor<3x1x8x10x7xbf16>) permutation = [0, 4, 1, 2, 3]
  return %y : tensor<3x1x8x10x7xbf16>
}

func.func @both(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x8xf32> {sparseconv.name = "features"})
    -> (tensor<3x8x16x18x7xf32>, tensor<3x16x18x7x8xf32>) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %grid = sparseconv.to_dense %x, %set origin [-8, -9, 0] : tensor<?x8xf32>, !set -> tensor<3x16x18x7x8xf32>
  %empty = tensor.empty() : tensor<3x8x16x18x7xf32>
  %y = linalg.transpose ins(%grid : tensor<3x16x18x7x8xf32>) outs(%empty : tensor<3x8x16x18x7xf32>) permutation = [0, 4, 1, 2, 3]
  return %y, %grid : tensor<3x8x16x18x7xf32>, tensor<3x16x18x7x8xf32>
}

// Row 1 alone, of three vectors of channels.
func.func @outside(%features: tensor<2x40xf32> {sparseconv.name = "features"}) -> tensor<1x40x5x2xf32> {
  %points = arith.constant dense<[[0, 0, 0], [0, 4, 3]]> : tensor<2x3xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x3xi32> -> !plane
  %x = sparseconv.gather %features, %order : tensor<2x40xf32>, tensor<?xi32> -> tensor<?x40xf32>
  %grid = sparseconv.to_dense %x, %coords origin [0, 0] : tensor<?x40xf32>, !plane -> tensor<1x5x2x40xf32>
  %empty = tensor.empty() : tensor<1x40x5x2xf32>
  %y = linalg.transpose ins(%grid : tensor<1x5x2x40xf32>) outs(%empty : tensor<1x40x5x2xf32>) permutation = [0, 3, 1, 2]
  return %y : tensor<1x40x5x2xf32>
}
