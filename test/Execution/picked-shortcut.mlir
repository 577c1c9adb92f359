// A shortcut that has the features of a voxel for each of its parts. On a GPU the
// epilogue of the convolution picks them, and nothing gathers them. Rows of 21 channels
// of 2 bytes are not aligned to 4.

// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet --input w=random --input v=random --input w21=random --input v21=random

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; r = np.random.default_rng(6); \
// RUN:   [np.save('%t/%d.npy' % (n, ), np.concatenate([r.integers(0, 3, (n, 1)), r.integers(-40, 40, (n, 2))], 1).astype(np.int32)) for n in (0, 1, 31, 129, 1009, 70001)]"
// RUN: %{run} --input points=%t/0.npy --input features=random:0
// RUN: %{run} --input points=%t/1.npy --input features=random:1
// RUN: %{run} --input points=%t/31.npy --input features=random:31
// RUN: %{run} --input points=%t/129.npy --input features=random:129
// RUN: %{run} --input points=%t/1009.npy --input features=random:1009
// RUN: %{run} --input points=%t/70001.npy --input features=random:70001

#packing = #sparseconv.packing<i64, batch = 4, bits = [18, 18], guard = [4, 4]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>
!half = !sparseconv.coords<2, stride = [2, 2], #packing>
!identity = !sparseconv.kernel_map<1, !half to !half>
!map = !sparseconv.kernel_map<9, !set to !set>

func.func @main(%points: tensor<?x3xi32> {sparseconv.name = "points"}, %features: tensor<?x32xf16> {sparseconv.name = "features"},
                %w: tensor<9x32x48xf16> {sparseconv.name = "w"}, %v: tensor<1x32x48xf16> {sparseconv.name = "v"},
                %w21: tensor<9x32x21xf16> {sparseconv.name = "w21"}, %v21: tensor<1x32x21xf16> {sparseconv.name = "v21"})
    -> (tensor<?x48xf16> {sparseconv.name = "y"}, tensor<?x21xf16> {sparseconv.name = "y21"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %half = sparseconv.rescale %set by [2, 2] : !set -> !half
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %half by [2, 2] : !half
  %wide = sparseconv.gather %x, %rows : tensor<?x32xf16>, tensor<?xi32> -> tensor<?x32xf16>
  %map = sparseconv.kernel_map %fine to %fine offsets(box<3, 3>) : !map
  %y = sparseconv.conv %wide, %w, %map : tensor<?x32xf16>, tensor<9x32x48xf16>, !map -> tensor<?x48xf16>
  %identity = sparseconv.kernel_map %half to %half offsets(box<1, 1>) : !identity
  %u = sparseconv.conv %x, %v, %identity : tensor<?x32xf16>, tensor<1x32x48xf16>, !identity -> tensor<?x48xf16>
  %skip = sparseconv.gather %u, %rows : tensor<?x48xf16>, tensor<?xi32> -> tensor<?x48xf16>
  %n = sparseconv.size %fine : !set
  %empty = tensor.empty(%n) : tensor<?x48xf16>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%y, %skip : tensor<?x48xf16>, tensor<?x48xf16>) outs(%empty : tensor<?x48xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<?x48xf16>

  %y21 = sparseconv.conv %wide, %w21, %map : tensor<?x32xf16>, tensor<9x32x21xf16>, !map -> tensor<?x21xf16>
  %u21 = sparseconv.conv %x, %v21, %identity : tensor<?x32xf16>, tensor<1x32x21xf16>, !identity -> tensor<?x21xf16>
  %skip21 = sparseconv.gather %u21, %rows : tensor<?x21xf16>, tensor<?xi32> -> tensor<?x21xf16>
  %empty21 = tensor.empty(%n) : tensor<?x21xf16>
  %sum21 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                         iterator_types = ["parallel", "parallel"]}
      ins(%y21, %skip21 : tensor<?x21xf16>, tensor<?x21xf16>) outs(%empty21 : tensor<?x21xf16>) {
  ^bb0(%a: f16, %b: f16, %o: f16):
    %0 = arith.extf %a : f16 to f32
    %1 = arith.extf %b : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.truncf %2 : f32 to f16
    linalg.yield %3 : f16
  } -> tensor<?x21xf16>
  return %sum, %sum21 : tensor<?x48xf16>, tensor<?x21xf16>
}
