// Weights with their axes in another order, as other libraries have them. On a GPU they
// are packed from where they lie (sparseconv-fuse-transpositions), forward and for the
// gradient by the input.

// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers=target=cuda:sm_90a | FileCheck %s --check-prefix=KERNELS
// KERNELS-LABEL: func.func @out_first(
// KERNELS:         pack_weights ins(%arg2 : {{.*}}) {{.*}} {permutation = array<i64: 1, 2, 3, 4, 0>
// KERNELS-LABEL: func.func @last_axis_first(
// KERNELS:         %[[AXES:.*]] = memref.expand_shape %arg2
// KERNELS:         pack_weights ins(%[[AXES]] : {{.*}}) {{.*}} {permutation = array<i64: 2, 1, 0, 3, 4>
// KERNELS-LABEL: func.func @gradient(
// KERNELS:         pack_weights ins(%arg2 : {{.*}}) {{.*}} {permutation = array<i64: 1, 0, 2>

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; [np.save(f'%t/{n}.npy', np.random.default_rng(n).integers([0, -8, -9, 0], [3, 8, 9, 7], (n, 4), np.int32)) for n in (0, 1, 31, 129, 1999)]"
// RUN: for rows in 0 1 31 129 1999; do for entry in out_first last_axis_first gradient; do \
// RUN:   env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet --entry=$entry --input points=%t/$rows.npy --input features=random:$rows --input w=random || exit 1; \
// RUN: done; done

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [64, 64, 64]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<27, !set to !set>

// [out, offsets of each axis, in], with an odd number of channels.
func.func @out_first(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x16xf16> {sparseconv.name = "features"},
                     %w: tensor<21x3x3x3x16xf16> {sparseconv.name = "w"}) -> tensor<?x21xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x16xf16>, tensor<?xi32> -> tensor<?x16xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %empty = tensor.empty() : tensor<3x3x3x16x21xf16>
  %turned = linalg.transpose ins(%w : tensor<21x3x3x3x16xf16>) outs(%empty : tensor<3x3x3x16x21xf16>) permutation = [1, 2, 3, 4, 0]
  %kernel = tensor.collapse_shape %turned [[0, 1, 2], [3], [4]] : tensor<3x3x3x16x21xf16> into tensor<27x16x21xf16>
  %y = sparseconv.conv %x, %kernel, %map : tensor<?x16xf16>, tensor<27x16x21xf16>, !map -> tensor<?x21xf16>
  return %y : tensor<?x21xf16>
}

// The first axis of the kernel is the fastest.
func.func @last_axis_first(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x32xbf16> {sparseconv.name = "features"},
                           %w: tensor<27x32x64xbf16> {sparseconv.name = "w"}) -> tensor<?x64xbf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x32xbf16>, tensor<?xi32> -> tensor<?x32xbf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %axes = tensor.expand_shape %w [[0, 1, 2], [3], [4]] output_shape [3, 3, 3, 32, 64] : tensor<27x32x64xbf16> into tensor<3x3x3x32x64xbf16>
  %empty = tensor.empty() : tensor<3x3x3x32x64xbf16>
  %turned = linalg.transpose ins(%axes : tensor<3x3x3x32x64xbf16>) outs(%empty : tensor<3x3x3x32x64xbf16>) permutation = [2, 1, 0, 3, 4]
  %kernel = tensor.collapse_shape %turned [[0, 1, 2], [3], [4]] : tensor<3x3x3x32x64xbf16> into tensor<27x32x64xbf16>
  %y = sparseconv.conv %x, %kernel, %map : tensor<?x32xbf16>, tensor<27x32x64xbf16>, !map -> tensor<?x64xbf16>
  return %y : tensor<?x64xbf16>
}

func.func @gradient(%points: tensor<?x4xi32> {sparseconv.name = "points"}, %features: tensor<?x64xf16> {sparseconv.name = "features"},
                    %w: tensor<64x27x32xf16> {sparseconv.name = "w"}) -> tensor<?x32xf16> {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %dy = sparseconv.gather %features, %order : tensor<?x64xf16>, tensor<?xi32> -> tensor<?x64xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<3, 3, 3>) : !map
  %empty = tensor.empty() : tensor<27x32x64xf16>
  %turned = linalg.transpose ins(%w : tensor<64x27x32xf16>) outs(%empty : tensor<27x32x64xf16>) permutation = [1, 2, 0]
  %dx = sparseconv.input_grad %dy, %turned, %map : tensor<?x64xf16>, tensor<27x32x64xf16>, !map -> tensor<?x32xf16>
  return %dx : tensor<?x32xf16>
}
