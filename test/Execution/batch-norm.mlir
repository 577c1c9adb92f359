// Sums over the rows of a set, which are fewer than the points that it is packed
// from and than the memory that is there for them. What lies behind the rows is
// NaN in one run and whatever it is in another; both give the same bits.

// DEFINE: %{inputs} = --input points=%t/points.npy --input features=random:3000

// RUN: rm -rf %t && mkdir %t
// RUN: %python -c "import numpy as np; p = np.random.default_rng(1).integers(-9, 9, (3000, 3), np.int32); p[:, 0] %= 2; np.save('%t/points.npy', p)"
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=norm %{inputs} --input scale=random --input shift=random --check --output %t/poisoned.npy | FileCheck %s
// RUN: sparseconv-run %s --entry=norm %{inputs} --input scale=random --input shift=random --check --output %t/plain.npy | FileCheck %s
// RUN: cmp %t/poisoned.npy %t/plain.npy
// CHECK: result 'y': tensor<6{{[0-9][0-9]}}x8xf32>
// CHECK: check 'y': ok

// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=reduce %{inputs} --check --output sum=%t/poisoned-sum.npy --output largest=%t/poisoned-largest.npy | FileCheck %s --check-prefix=REDUCE
// RUN: sparseconv-run %s --entry=reduce %{inputs} --check --output sum=%t/sum.npy --output largest=%t/largest.npy | FileCheck %s --check-prefix=REDUCE
// RUN: cmp %t/poisoned-sum.npy %t/sum.npy
// RUN: cmp %t/poisoned-largest.npy %t/largest.npy
// REDUCE-DAG: check 'sum': ok
// REDUCE-DAG: check 'largest': ok

// The 3000 points are in two items of 18 x 18 voxels.
#packing = #sparseconv.packing<i32, batch = 1, bits = [5, 5], guard = [6, 6]>
!set = !sparseconv.coords<2, stride = [1, 1], #packing>
#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>

// Batch norm with the mean and the variance of the batch.
func.func @norm(%points: tensor<?x3xi32> {sparseconv.name = "points"},
                %features: tensor<?x8xf32> {sparseconv.name = "features"},
                %scale: tensor<8xf32> {sparseconv.name = "scale"},
                %shift: tensor<8xf32> {sparseconv.name = "shift"})
    -> (tensor<?x8xf32> {sparseconv.name = "y"}) {
  %zero = arith.constant 0.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %size = sparseconv.size %coords : !set
  %integer = arith.index_cast %size : index to i32
  %count = arith.sitofp %integer : i32 to f32

  %empty = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %mean = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%value: f32, %sum: f32):
    %part = arith.divf %value, %count : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %variance = linalg.generic {indexing_maps = [#rows, #channels, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x, %mean : tensor<?x8xf32>, tensor<8xf32>) outs(%zeros : tensor<8xf32>) {
  ^bb0(%value: f32, %m: f32, %sum: f32):
    %difference = arith.subf %value, %m : f32
    %square = arith.mulf %difference, %difference : f32
    %part = arith.divf %square, %count : f32
    %next = arith.addf %sum, %part : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#channels, #channels, #channels, #channels, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%mean, %variance, %scale, %shift : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
      outs(%x : tensor<?x8xf32>) {
  ^bb0(%m: f32, %v: f32, %a: f32, %b: f32, %value: f32):
    %centred = arith.subf %value, %m : f32
    %above = arith.addf %v, %epsilon : f32
    %factor = math.rsqrt %above : f32
    %normal = arith.mulf %centred, %factor : f32
    %scaled = arith.mulf %normal, %a : f32
    %result = arith.addf %scaled, %b : f32
    linalg.yield %result : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}

func.func @reduce(%points: tensor<?x3xi32> {sparseconv.name = "points"},
                  %features: tensor<?x8xf32> {sparseconv.name = "features"})
    -> (tensor<8xf32> {sparseconv.name = "sum"}, tensor<8xf32> {sparseconv.name = "largest"}) {
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %coords, %order, %row_of = sparseconv.pack %points : tensor<?x3xi32> -> !set
  %x = sparseconv.gather %features, %order : tensor<?x8xf32>, tensor<?xi32> -> tensor<?x8xf32>
  %empty = tensor.empty() : tensor<8xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<?x8xf32>) outs(%zeros : tensor<8xf32>) dimensions = [0]
  %lowests = linalg.fill ins(%lowest : f32) outs(%empty : tensor<8xf32>) -> tensor<8xf32>
  %largest = linalg.reduce { arith.maximumf } ins(%x : tensor<?x8xf32>) outs(%lowests : tensor<8xf32>) dimensions = [0]
  return %sum, %largest : tensor<8xf32>, tensor<8xf32>
}
