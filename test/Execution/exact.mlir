// A U-Net of two levels on sets that cover each other, with memory and grids of
// exact sizes: the results have the same bits as by capacity, for few voxels and
// for sets that grow beyond the memory that they start with.

// REQUIRES: cuda

// DEFINE: %{run} = sparseconv-run %s --target=cuda --quiet --input w=random --input v=random --input u=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(3); \
// RUN:   points = lambda n, far: np.concatenate([r.integers(0, 3, (n, 1)), r.integers(-far, far, (n, 3))], 1).astype(np.int32); \
// RUN:   [np.save('%t/%d.npy' % (n, ), points(n, 9)) for n in (0, 1, 31, 129)]; np.save('%t/6007.npy', points(6007, 30000))"
// RUN: for n in 0 1 31 129 6007; do \
// RUN:   %{run} --check --input points=%t/$n.npy --input features=random:$n --output y=%t/y.npy --output kept=%t/k.npy && \
// RUN:   for poison in 0 1; do \
// RUN:     env SPARSECONV_POISON=$poison %{run} --exact --check --input points=%t/$n.npy --input features=random:$n --output y=%t/ey.npy --output kept=%t/ek.npy && \
// RUN:     cmp %t/y.npy %t/ey.npy && cmp %t/k.npy %t/ek.npy || exit 1; \
// RUN:   done || exit 1; \
// RUN: done

// One stream, and runs one after the other.
// RUN: %{run} --exact --streams=1 --check --input points=%t/6007.npy --input features=random:6007 --output y=%t/ey.npy
// RUN: cmp %t/y.npy %t/ey.npy
// RUN: %{run} --exact --time=3 --input points=%t/6007.npy --input features=random:6007 | FileCheck %s
// CHECK: time: median

#packing = #sparseconv.packing<i64, batch = 8, bits = [18, 18, 18], guard = [64, 64, 64]>
!one = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!two = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!four = !sparseconv.coords<3, stride = [4, 4, 4], #packing>
!down = !sparseconv.kernel_map<27, !one to !two>
!down2 = !sparseconv.kernel_map<27, !two to !four>
!up = !sparseconv.kernel_map<27, !four to !two>

func.func @main(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
                %w: tensor<27x16x32xf16> {sparseconv.name = "w"}, %v: tensor<27x32x32xf16> {sparseconv.name = "v"},
                %u: tensor<27x32x16xf16> {sparseconv.name = "u"})
    -> (tensor<?x16xf16> {sparseconv.name = "y"}, tensor<?x4xi32> {sparseconv.name = "kept"}) {
  %c, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !one
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %half = sparseconv.downsample %c by [2, 2, 2] cover offsets(box<3, 3, 3>) : !one -> !two
  %m = sparseconv.kernel_map %c to %half offsets(box<3, 3, 3>) : !down
  %y = sparseconv.conv %x, %w, %m : tensor<?x16xf16>, tensor<27x16x32xf16>, !down -> tensor<?x32xf16>
  %quarter = sparseconv.downsample %half by [2, 2, 2] cover offsets(box<3, 3, 3>) : !two -> !four
  %m2 = sparseconv.kernel_map %half to %quarter offsets(box<3, 3, 3>) : !down2
  %z = sparseconv.conv %y, %v, %m2 : tensor<?x32xf16>, tensor<27x32x32xf16>, !down2 -> tensor<?x32xf16>
  %m3 = sparseconv.transpose_map %m2 : !down2 -> !up
  %back = sparseconv.conv %z, %u, %m3 : tensor<?x32xf16>, tensor<27x32x16xf16>, !up -> tensor<?x16xf16>
  %coordinates = sparseconv.unpack %quarter : !four -> tensor<?x4xi32>
  return %back, %coordinates : tensor<?x16xf16>, tensor<?x4xi32>
}
