// Elementwise operations on rows of many lengths, and transposed: on a GPU threads
// read and write vectors where rows allow it.

// RUN: for rows in 0 1 31 129 4999; do for entry in scale widen truths transpose_rows; do \
// RUN:   env SPARSECONV_POISON=1 sparseconv-run %s --entry=$entry --check --quiet --input x=random:$rows \
// RUN:     --input more=random:$rows --input five=random:$rows --input shift=random || exit 1; \
// RUN: done; done
// RUN: for rows in 0 1 31 129; do env SPARSECONV_POISON=1 sparseconv-run %s --entry=folded --check --quiet \
// RUN:   --input x=random:$rows --input h=random:$rows || exit 1; done
// RUN: for rows in 0 1 31 129 4999; do \
// RUN:   env SPARSECONV_POISON=1 sparseconv-run %s --entry=branches --check --quiet --input x=random:$rows || exit 1; done
// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --entry=channels_first --check --quiet --input x=random --input odd=random --input wide=random

#rows = affine_map<(d0, d1) -> (d0, d1)>
#column = affine_map<(d0, d1) -> (d1)>

// Rows of 48 bytes and of 10.
func.func @scale(%x: tensor<?x24xf16> {sparseconv.name = "x"}, %more: tensor<?x24xf16> {sparseconv.name = "more"},
                 %five: tensor<?x5xf16> {sparseconv.name = "five"}, %shift: tensor<24xf16> {sparseconv.name = "shift"})
    -> (tensor<?x24xf16>, tensor<?x5xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf16>
  %empty = tensor.empty(%n) : tensor<?x24xf16>
  %y = linalg.generic {indexing_maps = [#rows, #rows, #column, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x, %more, %shift : tensor<?x24xf16>, tensor<?x24xf16>, tensor<24xf16>) outs(%empty : tensor<?x24xf16>) {
  ^bb0(%a: f16, %b: f16, %c: f16, %out: f16):
    %0 = arith.mulf %a, %b : f16
    %1 = arith.addf %0, %c : f16
    linalg.yield %1 : f16
  } -> tensor<?x24xf16>
  %room = tensor.empty(%n) : tensor<?x5xf16>
  %z = linalg.negf ins(%five : tensor<?x5xf16>) outs(%room : tensor<?x5xf16>) -> tensor<?x5xf16>
  return %y, %z : tensor<?x24xf16>, tensor<?x5xf16>
}

// Numbers become truth values, and these numbers: 1, or -1 where they have a sign.
func.func @truths(%x: tensor<?x24xf16> {sparseconv.name = "x"}, %more: tensor<?x20xf32> {sparseconv.name = "more"},
                  %five: tensor<?x5xf16> {sparseconv.name = "five"}, %shift: tensor<1xf32> {sparseconv.name = "shift"})
    -> (tensor<?x24xi1>, tensor<?x20xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %none = arith.constant 0.0 : f16
  %less = arith.constant -1.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x24xf16>
  %empty = tensor.empty(%n) : tensor<?x24xi1>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x24xf16>) outs(%empty : tensor<?x24xi1>) {
  ^bb0(%a: f16, %out: i1):
    %0 = arith.minimumf %a, %none : f16
    %1 = arith.maximumf %0, %less : f16
    %2 = math.floor %1 : f16
    %3 = arith.fptosi %2 : f16 to i1
    linalg.yield %3 : i1
  } -> tensor<?x24xi1>
  %room = tensor.empty(%n) : tensor<?x20xf32>
  %z = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%more : tensor<?x20xf32>) outs(%room : tensor<?x20xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = arith.maximumf %a, %zero : f32
    %1 = arith.minimumf %0, %one : f32
    %2 = math.ceil %1 : f32
    %3 = arith.fptoui %2 : f32 to i1
    %4 = arith.uitofp %3 : i1 to f32
    linalg.yield %4 : f32
  } -> tensor<?x20xf32>
  return %y, %z : tensor<?x24xi1>, tensor<?x20xf32>
}

// Elements of 2 bytes become elements of 4, and the other way round.
func.func @widen(%x: tensor<?x24xf16> {sparseconv.name = "x"}, %more: tensor<?x20xf32> {sparseconv.name = "more"},
                 %five: tensor<?x5xf16> {sparseconv.name = "five"}, %shift: tensor<1xf32> {sparseconv.name = "shift"})
    -> (tensor<?x24xf32>, tensor<?x20xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf16>
  %empty = tensor.empty(%n) : tensor<?x24xf32>
  %y = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x24xf16>) outs(%empty : tensor<?x24xf32>) {
  ^bb0(%a: f16, %out: f32):
    %0 = arith.extf %a : f16 to f32
    linalg.yield %0 : f32
  } -> tensor<?x24xf32>
  %room = tensor.empty(%n) : tensor<?x20xf16>
  %z = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%more : tensor<?x20xf32>) outs(%room : tensor<?x20xf16>) {
  ^bb0(%a: f32, %out: f16):
    %0 = arith.truncf %a : f32 to f16
    linalg.yield %0 : f16
  } -> tensor<?x20xf16>
  return %y, %z : tensor<?x24xf32>, tensor<?x20xf16>
}

func.func @transpose_rows(%x: tensor<?x32xf16> {sparseconv.name = "x"}, %more: tensor<?x12xf32> {sparseconv.name = "more"},
                          %five: tensor<?x5xf16> {sparseconv.name = "five"}, %shift: tensor<1xf32> {sparseconv.name = "shift"})
    -> (tensor<?x32xf16>, tensor<?x12xf32>, tensor<?x5xf16>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x32xf16>
  %a = tensor.empty(%n) : tensor<32x?xf16>
  %b = tensor.empty(%n) : tensor<12x?xf32>
  %c = tensor.empty(%n) : tensor<5x?xf16>
  %ta = linalg.transpose ins(%x : tensor<?x32xf16>) outs(%a : tensor<32x?xf16>) permutation = [1, 0]
  %tb = linalg.transpose ins(%more : tensor<?x12xf32>) outs(%b : tensor<12x?xf32>) permutation = [1, 0]
  %tc = linalg.transpose ins(%five : tensor<?x5xf16>) outs(%c : tensor<5x?xf16>) permutation = [1, 0]
  // As rows again, which results are made of: in another order.
  %fa = tensor.collapse_shape %ta [[0, 1]] : tensor<32x?xf16> into tensor<?xf16>
  %fb = tensor.collapse_shape %tb [[0, 1]] : tensor<12x?xf32> into tensor<?xf32>
  %fc = tensor.collapse_shape %tc [[0, 1]] : tensor<5x?xf16> into tensor<?xf16>
  %ra = tensor.expand_shape %fa [[0, 1]] output_shape [%n, 32] : tensor<?xf16> into tensor<?x32xf16>
  %rb = tensor.expand_shape %fb [[0, 1]] output_shape [%n, 12] : tensor<?xf32> into tensor<?x12xf32>
  %rc = tensor.expand_shape %fc [[0, 1]] output_shape [%n, 5] : tensor<?xf16> into tensor<?x5xf16>
  return %ra, %rb, %rc : tensor<?x32xf16>, tensor<?x12xf32>, tensor<?x5xf16>
}

// Grids with channels first, as results in another shape.
func.func @channels_first(%x: tensor<2x3x7x5x16xf16> {sparseconv.name = "x"}, %odd: tensor<1x3x5x6xf32> {sparseconv.name = "odd"},
                          %wide: tensor<1x37x41x128xbf16> {sparseconv.name = "wide"})
    -> (tensor<2x48x7x5xf16>, tensor<6x3x5xf32>, tensor<1x128x37x41xbf16>) {
  %a = tensor.empty() : tensor<2x16x3x7x5xf16>
  %ta = linalg.transpose ins(%x : tensor<2x3x7x5x16xf16>) outs(%a : tensor<2x16x3x7x5xf16>) permutation = [0, 4, 1, 2, 3]
  %ra = tensor.collapse_shape %ta [[0], [1, 2], [3], [4]] : tensor<2x16x3x7x5xf16> into tensor<2x48x7x5xf16>
  %b = tensor.empty() : tensor<1x6x3x5xf32>
  %tb = linalg.transpose ins(%odd : tensor<1x3x5x6xf32>) outs(%b : tensor<1x6x3x5xf32>) permutation = [0, 3, 1, 2]
  %rb = tensor.collapse_shape %tb [[0, 1], [2], [3]] : tensor<1x6x3x5xf32> into tensor<6x3x5xf32>
  %c = tensor.empty() : tensor<1x128x37x41xbf16>
  %tc = linalg.transpose ins(%wide : tensor<1x37x41x128xbf16>) outs(%c : tensor<1x128x37x41xbf16>) permutation = [0, 3, 1, 2]
  return %ra, %rb, %tc : tensor<2x48x7x5xf16>, tensor<6x3x5xf32>, tensor<1x128x37x41xbf16>
}

// Operations that are known to give one number everywhere, and numbers of bf16 that are
// compared.
func.func @folded(%x: tensor<?x8xi32> {sparseconv.name = "x"}, %h: tensor<?x24xbf16> {sparseconv.name = "h"})
    -> (tensor<?x8xi32>, tensor<?x8xi1>, tensor<?x24xi16>) {
  %c0 = arith.constant 0 : index
  %zeros = arith.xori %x, %x : tensor<?x8xi32>
  %truths = arith.cmpi eq, %x, %x : tensor<?x8xi32>
  %n = tensor.dim %h, %c0 : tensor<?x24xbf16>
  %room = tensor.empty(%n) : tensor<?x24xi16>
  %quarter = arith.constant 0.25 : bf16
  %above = linalg.generic {indexing_maps = [#rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<?x24xbf16>) outs(%room : tensor<?x24xi16>) {
  ^bb0(%a: bf16, %out: i16):
    %0 = arith.cmpf ogt, %a, %quarter : bf16
    %1 = arith.extui %0 : i1 to i16
    linalg.yield %1 : i16
  } -> tensor<?x24xi16>
  return %zeros, %truths, %above : tensor<?x8xi32>, tensor<?x8xi1>, tensor<?x24xi16>
}

// Branches and loops in the body, which each element takes by itself.
func.func @branches(%x: tensor<?x24xf32> {sparseconv.name = "x"}) -> (tensor<?x24xf32>, tensor<?x24xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %three = arith.constant 3 : index
  %n = tensor.dim %x, %c0 : tensor<?x24xf32>
  %room = tensor.empty(%n) : tensor<?x24xf32>
  %places = tensor.empty(%n) : tensor<?x24xi32>
  %y:2 = linalg.generic {indexing_maps = [#rows, #rows, #rows], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<?x24xf32>) outs(%room, %places : tensor<?x24xf32>, tensor<?x24xi32>) {
  ^bb0(%a: f32, %out: f32, %place: i32):
    %zero = arith.constant 0.0 : f32
    %column = linalg.index 1 : index
    %row = linalg.index 0 : index
    %isAbove = arith.cmpf ogt, %a, %zero : f32
    %b, %i = scf.if %isAbove -> (f32, index) {
      %times = arith.remui %column, %three : index
      %r, %s = scf.for %k = %c0 to %times step %c1 iter_args(%p = %a, %q = %zero) -> (f32, f32) {
        %sum = arith.addf %p, %a : f32
        scf.yield %sum, %p : f32, f32
      }
      %t = arith.subf %r, %s : f32
      scf.yield %t, %times : f32, index
    } else {
      %m = arith.negf %a : f32
      scf.yield %m, %row : f32, index
    }
    %j = arith.index_cast %i : index to i32
    linalg.yield %b, %j : f32, i32
  } -> (tensor<?x24xf32>, tensor<?x24xi32>)
  return %y#0, %y#1 : tensor<?x24xf32>, tensor<?x24xi32>
}
