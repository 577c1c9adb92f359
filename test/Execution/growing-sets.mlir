// Chains of sets that may have many times the rows of the first. On a GPU memory
// for them starts small: 6007 points far apart make a run overflow in each chain,
// and it is repeated. With poison there is room for more points, so that memory
// lies elsewhere: the results are the same bits.

// DEFINE: %{run} = sparseconv-run %s --check --quiet --input w=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(3); \
// RUN:   points = lambda n, far: np.concatenate([r.integers(0, 3, (n, 1)), r.integers(-far, far, (n, 3))], 1).astype(np.int32); \
// RUN:   [np.save('%t/%d.npy' % (n, ), points(n, 9)) for n in (0, 1, 31, 129)]; np.save('%t/6007.npy', points(6007, 30000))"
// RUN: %{run} --input points=%t/0.npy --input features=random:0
// RUN: %{run} --input points=%t/1.npy --input features=random:1
// RUN: %{run} --input points=%t/31.npy --input features=random:31
// RUN: %{run} --input points=%t/129.npy --input features=random:129
// RUN: %{run} --input points=%t/6007.npy --input features=random:6007 --output y=%t/y.npy --output merged=%t/merged.npy
// RUN: env SPARSECONV_POISON=1 %{run} --input points=%t/6007.npy --input features=random:6007 --output y=%t/py.npy --output merged=%t/pmerged.npy
// RUN: cmp %t/y.npy %t/py.npy
// RUN: cmp %t/merged.npy %t/pmerged.npy

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18, 18], guard = [64, 64, 64]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!four = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!eight = !sparseconv.coords<3, stride = [8, 8, 8], #packing>
!first = !sparseconv.kernel_map<27, !one to !two>
!second = !sparseconv.kernel_map<27, !two to !four>

func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x4xf32> {sparseconv.name = "features"},
                %w: tensor<27x4x8xf32> {sparseconv.name = "w"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}, tensor<?x4xi32> {sparseconv.name = "covered"},
        tensor<?x4xi32> {sparseconv.name = "expanded"}, tensor<?x4xi32> {sparseconv.name = "upsampled"},
        tensor<?x4xi32> {sparseconv.name = "merged"}, tensor<?xi32> {sparseconv.name = "lhs"}, tensor<?xi32> {sparseconv.name = "rhs"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !one
  %x = sparseconv.gather %features, %order : tensor<?x4xf32>, tensor<?xi32> -> tensor<?x4xf32>

  // Covers, and features on them.
  %half = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !one -> !two
  %m = sparseconv.kernel_map %c to %half offsets(box<3, 3, 3>) : !first
  %y = sparseconv.conv %x, %w, %m : tensor<?x4xf32>, tensor<27x4x8xf32>, !first -> tensor<?x8xf32>
  %quarter = sparseconv.downsample %half by [2, 2, 2] cover offsets(box<3, 3, 3>) : !two -> !four
  %m2 = sparseconv.kernel_map %half to %quarter offsets(box<3, 3, 3>) : !second
  %z = sparseconv.pool max %y, %m2 : tensor<?x8xf32>, !second -> tensor<?x8xf32>
  %eighth = sparseconv.downsample %quarter by [2, 2, 2] cover offsets(box<3, 3, 3>) : !four -> !eight
  %covered = sparseconv.unpack %eighth : !eight -> tensor<?x4xi32>

  // The set grown by its neighbours, and by theirs.
  %floor = sparseconv.downsample %c by [4, 4, 4] : !one -> !four
  %grown = sparseconv.expand %floor offsets(box<3, 3, 3>) : !four
  %more = sparseconv.expand %grown offsets(list<[0, 0, 0], [1, 0, 0], [0, -1, 2]>) transposed : !four
  %expanded = sparseconv.unpack %more : !four -> tensor<?x4xi32>

  // All cells of cells.
  %fine = sparseconv.upsample %floor by [2, 2, 2] : !four -> !two
  %finest = sparseconv.upsample %fine by [2, 2, 2] : !two -> !one
  %upsampled = sparseconv.unpack %finest : !one -> tensor<?x4xi32>

  // Unions of sets that may be large already.
  %u, %ul, %ur = sparseconv.union %floor, %grown : !four
  %v, %vl, %vr = sparseconv.union %quarter, %u : !four
  %merged = sparseconv.unpack %v : !four -> tensor<?x4xi32>
  return %z, %covered, %expanded, %upsampled, %merged, %vl, %vr
      : tensor<?x8xf32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?x4xi32>, tensor<?xi32>, tensor<?xi32>
}
