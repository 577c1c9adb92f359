// Products of rows in the order of points, several of which may have one row. On a
// GPU the product is one for each point, and equals that of the row.

// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet --input w=random --input v=random --input bias=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(5); \
// RUN:   [np.save('%t/%d.npy' % (n, ), np.concatenate([r.integers(0, 3, (n, 1)), r.integers(-9, 9, (n, 2))], 1).astype(np.int32)) for n in (0, 1, 31, 129, 1009, 70001)]"
// RUN: %{run} --input points=%t/0.npy --input features=random:0
// RUN: %{run} --input points=%t/1.npy --input features=random:1
// RUN: %{run} --input points=%t/31.npy --input features=random:31
// RUN: %{run} --input points=%t/129.npy --input features=random:129
// RUN: %{run} --input points=%t/1009.npy --input features=random:1009
// RUN: %{run} --input points=%t/70001.npy --input features=random:70001

#packing = #sparseconv.packing<i64, batch = 4, bits = [18, 18], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>
!half = !sparseconv.coords<2, stride = [2, 2], #packing>
!identity = !sparseconv.kernel_map<1, !set to !set>

func.func @main(%points: tensor<?x3xi32> {sparseconv.name = "points"}, %features: tensor<?x32xf16> {sparseconv.name = "features"},
                %w: tensor<1x32x21xf16> {sparseconv.name = "w"}, %v: tensor<1x32x16xf16> {sparseconv.name = "v"},
                %bias: tensor<21xf16> {sparseconv.name = "bias"})
    -> (tensor<?x21xf16> {sparseconv.name = "of_points"}, tensor<?x16xf16> {sparseconv.name = "of_cells"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1>) : !identity
  %y = sparseconv.conv %x, %w, %map epilogue(%bias : tensor<21xf16>) {
  ^bb0(%acc: f32, %channel: f16):
    %0 = arith.extf %channel : f16 to f32
    %1 = arith.addf %acc, %0 : f32
    sparseconv.yield %1 : f32
  } : tensor<?x32xf16>, tensor<1x32x21xf16>, !identity -> tensor<?x21xf16>
  %z = sparseconv.gather %y, %row_of : tensor<?x21xf16>, tensor<?xi32> -> tensor<?x21xf16>

  %half = sparseconv.rescale %set by [2, 2] : !set -> !half
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %half by [2, 2]
      points(%order, %row_of : tensor<?xi32>, tensor<?xi32>) : !half
  %wide = sparseconv.gather %x, %rows : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %fine_map = sparseconv.kernel_map %fine to %fine offsets(box<1, 1>) : !identity
  %u = sparseconv.conv %wide, %v, %fine_map : tensor<?x32xf16>, tensor<1x32x16xf16>, !identity -> tensor<?x16xf16>
  %t = sparseconv.gather %u, %row_of_cell : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  return %z, %t : tensor<?x21xf16>, tensor<?x16xf16>
}
