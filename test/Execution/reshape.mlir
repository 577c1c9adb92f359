// Features in other shapes: rows become elements and come back.
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=collapse --input x=random:301 --check --quiet
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=heads --input x=random:301 --check --quiet
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=again --input x=random:301 --check --quiet

#map = affine_map<(i) -> (i)>

func.func @collapse(%x: tensor<?x2xf32> {sparseconv.name = "x"}) -> (tensor<?xf32>, tensor<?xf32>) {
  %r = tensor.collapse_shape %x [[0, 1]] : tensor<?x2xf32> into tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%r : tensor<?xf32>) {
  ^bb0(%a: f32):
    %n = arith.negf %a : f32
    linalg.yield %n : f32
  } -> tensor<?xf32>
  return %s, %r : tensor<?xf32>, tensor<?xf32>
}

// The sum over rows and heads.
func.func @heads(%x: tensor<?x8xf32> {sparseconv.name = "x"}) -> tensor<2xf32> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x8xf32>
  %heads = tensor.expand_shape %x [[0], [1, 2]] output_shape [%n, 4, 2] : tensor<?x8xf32> into tensor<?x4x2xf32>
  %rows = tensor.collapse_shape %heads [[0, 1], [2]] : tensor<?x4x2xf32> into tensor<?x2xf32>
  %empty = tensor.empty() : tensor<2xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<2xf32>) -> tensor<2xf32>
  %r = linalg.reduce { arith.addf } ins(%rows : tensor<?x2xf32>) outs(%zeros : tensor<2xf32>) dimensions = [0]
  return %r : tensor<2xf32>
}

func.func @again(%x: tensor<?x4xf32> {sparseconv.name = "x"}) -> tensor<?x2x2xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %flat = tensor.collapse_shape %x [[0, 1]] : tensor<?x4xf32> into tensor<?xf32>
  %s = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%flat : tensor<?xf32>) {
  ^bb0(%a: f32):
    %i = linalg.index 0 : index
    %j = arith.index_cast %i : index to i32
    %f = arith.sitofp %j : i32 to f32
    %sum = arith.addf %a, %f : f32
    linalg.yield %sum : f32
  } -> tensor<?xf32>
  %r = tensor.expand_shape %s [[0, 1, 2]] output_shape [%n, 2, 2] : tensor<?xf32> into tensor<?x2x2xf32>
  return %r : tensor<?x2x2xf32>
}
