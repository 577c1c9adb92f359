// A convolution and a pool on one map. On a GPU the search leaves both a table,
// which the pool reads, and what the tiling of the convolution's rows takes.

// DEFINE: %{inputs} = --input points=%t/points.npy --input features=random:3000 --input w=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; p = np.random.default_rng(1).integers(-9, 9, (3000, 4), np.int32); p[:, 0] %= 2; np.save('%t/points.npy', p)"
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=same %{inputs} --check --output y=%t/poisoned-y.npy --output largest=%t/poisoned-largest.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=same %{inputs} --check --output y=%t/y.npy --output largest=%t/largest.npy | FileCheck %s
// RUN: cmp %t/poisoned-y.npy %t/y.npy
// RUN: cmp %t/poisoned-largest.npy %t/largest.npy
// CHECK-DAG: check 'y': ok
// CHECK-DAG: check 'largest': ok

// RUN: sparseconv-run %s --entry=down %{inputs} --check | FileCheck %s

// Points that are far apart have no neighbours but themselves, and no points have
// no rows.
// RUN: %python -c "import numpy as np; p = np.zeros((3000, 4), np.int32); p[:, 1] = 4 * np.arange(3000); np.save('%t/apart.npy', p); np.save('%t/none.npy', p[:0])"
// RUN: sparseconv-run %s --entry=same --input points=%t/apart.npy --input features=random:3000 --input w=random --check | FileCheck %s
// RUN: sparseconv-run %s --entry=down --input points=%t/none.npy --input features=random:0 --input w=random --check | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [16, 14, 14], guard = [4, 4, 4]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!same = !sparseconv.kernel_map<27, !fine to !fine>
!down = !sparseconv.kernel_map<27, !fine to !half>

func.func @same(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %w: tensor<27x16x16xf16> {sparseconv.name = "w"})
    -> (tensor<?x16xf16> {sparseconv.name = "y"}, tensor<?x16xf16> {sparseconv.name = "largest"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %c to %c offsets(box<3, 3, 3>) : !same
  %y = sparseconv.conv %x, %w, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !same -> tensor<?x16xf16>
  %largest = sparseconv.pool max %x, %map : tensor<?x16xf16>, !same -> tensor<?x16xf16>
  return %y, %largest : tensor<?x16xf16>, tensor<?x16xf16>
}

// Rows with more keys between the bounds of their block than rows.
func.func @down(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %w: tensor<27x16x16xf16> {sparseconv.name = "w"})
    -> (tensor<?x16xf16> {sparseconv.name = "y"}, tensor<?x16xf16> {sparseconv.name = "largest"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !fine
  %h = sparseconv.downsample %c by [2, 2, 2] : !fine -> !half
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %c to %h offsets(box<3, 3, 3>) : !down
  %y = sparseconv.conv %x, %w, %map : tensor<?x16xf16>, tensor<27x16x16xf16>, !down -> tensor<?x16xf16>
  %largest = sparseconv.pool max %x, %map : tensor<?x16xf16>, !down -> tensor<?x16xf16>
  return %y, %largest : tensor<?x16xf16>, tensor<?x16xf16>
}
