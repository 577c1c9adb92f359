// Reductions of many rows to a few elements, as in norms and in gradients of scales.
// Sizes that break blocks of threads, numbers of channels that do not divide them, and
// twice with equal bits.

// DEFINE: %{run} = env SPARSECONV_POISON=1 sparseconv-run %s --check --quiet

// RUN: rm -rf %t && mkdir %t
// RUN: %{run} --entry=sums --input x=random:0 --input y=random:0
// RUN: %{run} --entry=wide --input x=random:0 --input y=random:0
// RUN: %{run} --entry=total --input x=random:0
// RUN: %{run} --entry=extremes --input x=random:0
// RUN: %{run} --entry=sums --input x=random:1 --input y=random:1
// RUN: %{run} --entry=wide --input x=random:1 --input y=random:1
// RUN: %{run} --entry=total --input x=random:1
// RUN: %{run} --entry=extremes --input x=random:1
// RUN: %{run} --entry=sums --input x=random:31 --input y=random:31
// RUN: %{run} --entry=wide --input x=random:31 --input y=random:31
// RUN: %{run} --entry=total --input x=random:31
// RUN: %{run} --entry=extremes --input x=random:31
// RUN: %{run} --entry=sums --input x=random:129 --input y=random:129
// RUN: %{run} --entry=wide --input x=random:129 --input y=random:129
// RUN: %{run} --entry=total --input x=random:129
// RUN: %{run} --entry=extremes --input x=random:129
// RUN: %{run} --entry=sums --input x=random:7919 --input y=random:7919
// RUN: %{run} --entry=wide --input x=random:7919 --input y=random:7919
// RUN: %{run} --entry=total --input x=random:7919
// RUN: %{run} --entry=extremes --input x=random:7919
// RUN: %{run} --entry=sums --input x=random:400009 --input y=random:400009 --output scale=%t/once.npy
// RUN: %{run} --entry=sums --input x=random:400009 --input y=random:400009 --output scale=%t/twice.npy
// RUN: cmp %t/once.npy %t/twice.npy

#rows = affine_map<(i, c) -> (i, c)>
#channels = affine_map<(i, c) -> (c)>
#one = affine_map<(i, c) -> ()>

// The gradients of a scale and a shift in f16.
func.func @sums(%x: tensor<?x20xf16> {sparseconv.name = "x"}, %y: tensor<?x20xf16> {sparseconv.name = "y"})
    -> (tensor<20xf32> {sparseconv.name = "scale"}, tensor<20xf32> {sparseconv.name = "shift"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<20xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<20xf32>) -> tensor<20xf32>
  %scale = linalg.generic {indexing_maps = [#rows, #rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x, %y : tensor<?x20xf16>, tensor<?x20xf16>) outs(%zeros : tensor<20xf32>) {
  ^bb0(%a: f16, %b: f16, %sum: f32):
    %wide = arith.extf %a : f16 to f32
    %other = arith.extf %b : f16 to f32
    %product = arith.mulf %wide, %other : f32
    %next = arith.addf %sum, %product : f32
    linalg.yield %next : f32
  } -> tensor<20xf32>
  // What a sum starts with is added once.
  %shift = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%y : tensor<?x20xf16>) outs(%scale : tensor<20xf32>) {
  ^bb0(%b: f16, %sum: f32):
    %wide = arith.extf %b : f16 to f32
    %next = arith.addf %wide, %sum : f32
    linalg.yield %next : f32
  } -> tensor<20xf32>
  return %scale, %shift : tensor<20xf32>, tensor<20xf32>
}

// More channels than a block has threads: a gradient by a matrix of 17 by 23, too.
func.func @wide(%x: tensor<?x300xf32> {sparseconv.name = "x"}, %y: tensor<?x23xf32> {sparseconv.name = "y"})
    -> (tensor<300xf32> {sparseconv.name = "sum"}, tensor<17x23xf32> {sparseconv.name = "matrix"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<300xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<300xf32>) -> tensor<300xf32>
  %sum = linalg.generic {indexing_maps = [#rows, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x300xf32>) outs(%zeros : tensor<300xf32>) {
  ^bb0(%a: f32, %before: f32):
    %next = arith.addf %before, %a : f32
    linalg.yield %next : f32
  } -> tensor<300xf32>
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x300xf32>
  %left = tensor.extract_slice %x[0, 0] [%n, 17] [1, 1] : tensor<?x300xf32> to tensor<?x17xf32>
  %square = tensor.empty() : tensor<17x23xf32>
  %start = linalg.fill ins(%zero : f32) outs(%square : tensor<17x23xf32>) -> tensor<17x23xf32>
  %matrix = linalg.generic {indexing_maps = [affine_map<(i, a, b) -> (i, a)>, affine_map<(i, a, b) -> (i, b)>, affine_map<(i, a, b) -> (a, b)>],
                            iterator_types = ["reduction", "parallel", "parallel"]}
      ins(%left, %y : tensor<?x17xf32>, tensor<?x23xf32>) outs(%start : tensor<17x23xf32>) {
  ^bb0(%a: f32, %b: f32, %before: f32):
    %product = arith.mulf %a, %b : f32
    %next = arith.addf %before, %product : f32
    linalg.yield %next : f32
  } -> tensor<17x23xf32>
  return %sum, %matrix : tensor<300xf32>, tensor<17x23xf32>
}

// All elements of all rows: a loss, the mean of squares times a weight by channel.
func.func @total(%x: tensor<?x5xf32> {sparseconv.name = "x"}) -> (tensor<f32> {sparseconv.name = "loss"}) {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<f32>
  %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#rows, #one], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<?x5xf32>) outs(%start : tensor<f32>) {
  ^bb0(%a: f32, %before: f32):
    %channel = linalg.index 1 : index
    %integer = arith.index_cast %channel : index to i32
    %weight = arith.sitofp %integer : i32 to f32
    %square = arith.mulf %a, %a : f32
    %part = arith.mulf %square, %weight : f32
    %next = arith.addf %before, %part : f32
    linalg.yield %next : f32
  } -> tensor<f32>
  return %loss : tensor<f32>
}

// The largest and the smallest of each channel; without rows what they start with.
func.func @extremes(%x: tensor<?x3xf32> {sparseconv.name = "x"})
    -> (tensor<3xf32> {sparseconv.name = "largest"}, tensor<3xf32> {sparseconv.name = "smallest"}) {
  %low = arith.constant -2.0 : f32
  %high = arith.constant 2.0 : f32
  %empty = tensor.empty() : tensor<3xf32>
  %lowest = linalg.fill ins(%low : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  %highest = linalg.fill ins(%high : f32) outs(%empty : tensor<3xf32>) -> tensor<3xf32>
  %largest, %smallest = linalg.generic {indexing_maps = [#rows, #channels, #channels], iterator_types = ["reduction", "parallel"]}
      ins(%x : tensor<?x3xf32>) outs(%lowest, %highest : tensor<3xf32>, tensor<3xf32>) {
  ^bb0(%a: f32, %most: f32, %least: f32):
    %up = arith.maximumf %most, %a : f32
    %down = arith.minimumf %least, %a : f32
    linalg.yield %up, %down : f32, f32
  } -> (tensor<3xf32>, tensor<3xf32>)
  return %largest, %smallest : tensor<3xf32>, tensor<3xf32>
}
