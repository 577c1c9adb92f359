// Sums over thousands of rows of f16 and bf16, forward and in gradients. Sums that were kept
// in 16 bits would stop where a term is below half of a step, at 2048 times the term in f16
// and at 256 times in bf16, or pass the largest f16, 65504, on the way to an average.

// RUN: rm -rf %t && mkdir %t
// RUN: sparseconv-opt %s --sparseconv-differentiate -o %t/f16.mlir
// RUN: sed s/f16/bf16/g %s | sparseconv-opt --sparseconv-differentiate -o %t/bf16.mlir

// DEFINE: %{rows} = --entry=rows_gradient --input=x=const:33:6144 --input=rows=const:0:6144 --input=table=const:1:2 --input=sum.gradient=const:0:2 --input=average.gradient=const:6144:2 --input=largest.gradient=const:6144:2 --input=gathered.gradient=const:1:6144
// RUN: sparseconv-run %t/f16.mlir %{rows} --check
// RUN: sparseconv-run %t/bf16.mlir %{rows} --check

// RUN: %python -c "import numpy as np; np.save('%t/points.npy', np.arange(6144, dtype=np.int32)[:, None] * np.int32([0, 1, 0, 0]))"
// DEFINE: %{set} = --entry=set_gradient --input=points=%t/points.npy --input=x=const:33:6144 --input=w=const:0.125 --input=scale=const:1 --input=shift=const:1 --input=sum.gradient=const:1 --input=average.gradient=const:1 --input=y.gradient=const:0.0625:6144
// RUN: sparseconv-run %t/f16.mlir %{set} --check
// RUN: sparseconv-run %t/bf16.mlir %{set} --check

// DEFINE: %{voxel} = --entry=voxel_gradient --input=points=const:1:1 --input=positions=const:1:6144 --input=x=const:33:6144 --input=voxels=const:1:1 --input=sum.gradient=const:1:1 --input=average.gradient=const:6144:1 --input=back.gradient=const:1:6144
// RUN: sparseconv-run %t/f16.mlir %{voxel} --check
// RUN: sparseconv-run %t/bf16.mlir %{voxel} --check

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>
!map = !sparseconv.kernel_map<1, !set to !set>
#elements = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// All rows go to one, and come from one.
func.func @rows(%x: tensor<?x8xf16> {sparseconv.name = "x"},
                %rows: tensor<?xi32> {sparseconv.name = "rows"},
                %table: tensor<?x8xf16> {sparseconv.name = "table"})
    -> (tensor<?x8xf16> {sparseconv.name = "sum"}, tensor<?x8xf16> {sparseconv.name = "average"},
        tensor<?x8xf16> {sparseconv.name = "largest"}, tensor<?x8xf16> {sparseconv.name = "gathered"}) {
  %n = arith.constant 2 : index
  %sum = sparseconv.scatter %x, %rows into %n : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  %average = sparseconv.scatter avg %x, %rows into %n : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  %largest = sparseconv.scatter max %x, %rows into %n : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  %gathered = sparseconv.gather %table, %rows : tensor<?x8xf16>, tensor<?xi32> -> tensor<?x8xf16>
  return %sum, %average, %largest, %gathered : tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>
}

// Sums over a set: pooling, weights, and a scale and a shift whose body is of 16 bits.
func.func @set(%points: tensor<?x4xi32> {sparseconv.name = "points"},
               %x: tensor<?x8xf16> {sparseconv.name = "x"},
               %w: tensor<1x8x8xf16> {sparseconv.name = "w"},
               %scale: tensor<8xf16> {sparseconv.name = "scale"},
               %shift: tensor<8xf16> {sparseconv.name = "shift"})
    -> (tensor<1x8xf16> {sparseconv.name = "sum"}, tensor<1x8xf16> {sparseconv.name = "average"},
        tensor<?x8xf16> {sparseconv.name = "y"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %sum = sparseconv.global_pool sum %x, %set : tensor<?x8xf16>, !set -> tensor<1x8xf16>
  %average = sparseconv.global_pool avg %x, %set : tensor<?x8xf16>, !set -> tensor<1x8xf16>
  %map = sparseconv.kernel_map %set to %set offsets(box<1, 1, 1>) : !map
  %0 = sparseconv.conv %x, %w, %map : tensor<?x8xf16>, tensor<1x8x8xf16>, !map -> tensor<?x8xf16>
  %y = linalg.generic {indexing_maps = [#elements, #channels, #channels, #elements], iterator_types = ["parallel", "parallel"]}
      ins(%0, %scale, %shift : tensor<?x8xf16>, tensor<8xf16>, tensor<8xf16>) outs(%0 : tensor<?x8xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %product = arith.mulf %a, %b : f16
    %element = arith.addf %product, %c : f16
    linalg.yield %element : f16
  } -> tensor<?x8xf16>
  return %sum, %average, %y : tensor<1x8xf16>, tensor<1x8xf16>, tensor<?x8xf16>
}

// All points lie in one voxel.
func.func @voxel(%points: tensor<?x4xi32> {sparseconv.name = "points"},
                 %positions: tensor<?x4xf32> {sparseconv.name = "positions"},
                 %x: tensor<?x8xf16> {sparseconv.name = "x"},
                 %voxels: tensor<?x8xf16> {sparseconv.name = "voxels"})
    -> (tensor<?x8xf16> {sparseconv.name = "sum"}, tensor<?x8xf16> {sparseconv.name = "average"},
        tensor<?x8xf16> {sparseconv.name = "back"}) {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  %sum = sparseconv.voxelise nearest sum %x, %positions, %set : tensor<?x8xf16>, tensor<?x4xf32>, !set -> tensor<?x8xf16>
  %average = sparseconv.voxelise nearest avg %x, %positions, %set : tensor<?x8xf16>, tensor<?x4xf32>, !set -> tensor<?x8xf16>
  %back = sparseconv.devoxelise nearest %voxels, %positions, %set : tensor<?x8xf16>, tensor<?x4xf32>, !set -> tensor<?x8xf16>
  return %sum, %average, %back : tensor<?x8xf16>, tensor<?x8xf16>, tensor<?x8xf16>
}
