// What leaves a tensor, or gives it a shape that it does not have, is an error that
// names the operation, the index and the size, the same one on the CPU as by the
// reference. On a GPU nothing checks them.

// RUN: not sparseconv-run %s --entry=element --input x=const:1:4 --input i=const:4 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not sparseconv-run %s --entry=element --input x=const:1:4 --input i=const:4 --target=reference 2>&1 | FileCheck %s --check-prefix=ABOVE
// RUN: not sparseconv-run %s --entry=element --input x=const:1:4 --input i=const:-1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not sparseconv-run %s --entry=element --input x=const:1:4 --input i=const:-1 --target=reference 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not sparseconv-run %s --entry=element --input x=const:1:4 --input i=const:1000000000000 2>&1 | FileCheck %s --check-prefix=FAR
// RUN: sparseconv-run %s --entry=element --input x=const:5:4 --input i=const:3 | FileCheck %s --check-prefix=INSIDE
// ABOVE: accesses.mlir:[[#@LINE+5]]:8: tensor.extract: index 4 on axis 0 is outside a size of 4
// BELOW: accesses.mlir:[[#@LINE+4]]:8: tensor.extract: index -1 on axis 0 is outside a size of 4
// FAR: accesses.mlir:[[#@LINE+3]]:8: tensor.extract: index 1000000000000 on axis 0 is outside a size of 4
// INSIDE: min 5, mean 5, max 5
func.func @element(%x: tensor<?xf32> {sparseconv.name = "x"}, %i: index {sparseconv.name = "i"}) -> f32 {
  %0 = tensor.extract %x[%i] : tensor<?xf32>
  return %0 : f32
}

// RUN: not sparseconv-run %s --entry=put --input x=const:1:4 --input i=const:9 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: not sparseconv-run %s --entry=put --input x=const:1:4 --input i=const:9 --target=reference 2>&1 | FileCheck %s --check-prefix=PUT
// RUN: sparseconv-run %s --entry=put --input x=const:1:4 --input i=const:2 | FileCheck %s --check-prefix=PUTS
// PUT: tensor.insert: index 9 on axis 0 is outside a size of 4
// PUTS: min 1, mean 1.5, max 3
func.func @put(%x: tensor<?xf32> {sparseconv.name = "x"}, %i: index {sparseconv.name = "i"}) -> tensor<?xf32> {
  %three = arith.constant 3.0 : f32
  %0 = tensor.insert %three into %x[%i] : tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A slice: its first row, its last one, a size below 0; none leaves nothing.
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:5 --input n=const:1 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:5 --input n=const:1 --target=reference 2>&1 | FileCheck %s --check-prefix=FIRST
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:3 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:3 --target=reference 2>&1 | FileCheck %s --check-prefix=LAST
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:-3 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:-3 --target=reference 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:4611686018427387905 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: not sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:4611686018427387905 --target=reference 2>&1 | FileCheck %s --check-prefix=WRAPS
// RUN: sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:1 --input n=const:2 | FileCheck %s --check-prefix=TWO
// RUN: sparseconv-run %s --entry=slice --input x=const:1:4 --input i=const:77 --input n=const:0 | FileCheck %s --check-prefix=NONE
// FIRST: tensor.extract_slice: index 5 on axis 0 is outside a size of 4
// LAST: tensor.extract_slice: index 5 on axis 0 is outside a size of 4
// NEGATIVE: tensor.extract_slice: index -3 on axis 0 is outside a size of 4
// WRAPS: tensor.extract_slice: index 9223372036854775807 on axis 0 is outside a size of 4
// TWO: tensor<2xf32>
// NONE: tensor<0xf32>
func.func @slice(%x: tensor<?xf32> {sparseconv.name = "x"}, %i: index {sparseconv.name = "i"},
                 %n: index {sparseconv.name = "n"}) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[%i] [%n] [2] : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// What is inserted fits its place, and its place fits the tensor.
// RUN: not sparseconv-run %s --entry=put_slice --input x=const:1:4 --input y=const:2:3 --input i=const:2 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not sparseconv-run %s --entry=put_slice --input x=const:1:4 --input y=const:2:3 --input i=const:2 --target=reference 2>&1 | FileCheck %s --check-prefix=PLACE
// RUN: not sparseconv-run %s --entry=put_slice --input x=const:1:4 --input y=const:2:4 --input i=const:1 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: not sparseconv-run %s --entry=put_slice --input x=const:1:4 --input y=const:2:4 --input i=const:1 --target=reference 2>&1 | FileCheck %s --check-prefix=SOURCE
// RUN: sparseconv-run %s --entry=put_slice --input x=const:1:4 --input y=const:2:3 --input i=const:1 | FileCheck %s --check-prefix=FITS
// PLACE: tensor.insert_slice: index 4 on axis 0 is outside a size of 4
// SOURCE: tensor.insert_slice: operand 0 has size 4 on axis 0, expected 3
// FITS: min 1, mean 1.75, max 2
func.func @put_slice(%x: tensor<?xf32> {sparseconv.name = "x"}, %y: tensor<?xf32> {sparseconv.name = "y"},
                     %i: index {sparseconv.name = "i"}) -> tensor<?xf32> {
  %c3 = arith.constant 3 : index
  %n = arith.maxsi %c3, %i : index
  %0 = tensor.insert_slice %y into %x[%i] [%n] [1] : tensor<?xf32> into tensor<?xf32>
  return %0 : tensor<?xf32>
}

// A size that a type takes for granted.
// RUN: not sparseconv-run %s --entry=cast --input x=const:1:3 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: not sparseconv-run %s --entry=cast --input x=const:1:3 --target=reference 2>&1 | FileCheck %s --check-prefix=CAST
// RUN: sparseconv-run %s --entry=cast --input x=const:1:4 | FileCheck %s --check-prefix=CASTS
// CAST: tensor.cast: operand 0 has size 3 on axis 0, expected 4
// CASTS: tensor<4xf32>
func.func @cast(%x: tensor<?xf32> {sparseconv.name = "x"}) -> tensor<4xf32> {
  %0 = tensor.cast %x : tensor<?xf32> to tensor<4xf32>
  return %0 : tensor<4xf32>
}

// RUN: not sparseconv-run %s --entry=expand --input x=const:1:8 --input n=const:5 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not sparseconv-run %s --entry=expand --input x=const:1:8 --input n=const:5 --target=reference 2>&1 | FileCheck %s --check-prefix=EXPAND
// RUN: not sparseconv-run %s --entry=expand --input x=const:1:9 --input n=const:4 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not sparseconv-run %s --entry=expand --input x=const:1:9 --input n=const:4 --target=reference 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: sparseconv-run %s --entry=expand --input x=const:1:8 --input n=const:4 | FileCheck %s --check-prefix=EXPANDS
// EXPAND: tensor.expand_shape: operand 0 has size 5 on axis 0, expected 4
// ODD: tensor.expand_shape: operand 0 has size 9 on axis 0, expected 8
// EXPANDS: tensor<4x2xf32>
func.func @expand(%x: tensor<?xf32> {sparseconv.name = "x"}, %n: index {sparseconv.name = "n"}) -> tensor<?x2xf32> {
  %0 = tensor.expand_shape %x [[0, 1]] output_shape [%n, 2] : tensor<?xf32> into tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// A size that is static in one operand decides, wherever it stands. For compiled code
// the canonicalizer writes that as a cast.
// RUN: not sparseconv-run %s --entry=sizes --input x=const:1:9 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not sparseconv-run %s --entry=sizes --input x=const:1:9 --target=reference 2>&1 | FileCheck %s --check-prefix=SIZES
// SIZES: {{linalg.add|tensor.cast}}: operand 0 has size 9 on axis 0, expected 4
func.func @sizes(%x: tensor<?xf32> {sparseconv.name = "x"}) -> tensor<4xf32> {
  %y = arith.constant dense<1.0> : tensor<4xf32>
  %0 = linalg.add ins(%x, %y : tensor<?xf32>, tensor<4xf32>) outs(%y : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Of two errors it is the first operation's, also where the second ends the run.
// RUN: not sparseconv-run %s --entry=two --input x=const:1:2 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not sparseconv-run %s --entry=two --input x=const:1:2 --target=reference 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: sparseconv.gather: position 1: row index 7 is outside -1 .. 1
func.func @two(%x: tensor<?x1xf32> {sparseconv.name = "x"}) -> f32 {
  %rows = arith.constant dense<[0, 7]> : tensor<2xi32>
  %c0 = arith.constant 0 : index
  %y = sparseconv.gather %x, %rows : tensor<?x1xf32>, tensor<2xi32> -> tensor<2x1xf32>
  %v = tensor.extract %y[%c0, %c0] : tensor<2x1xf32>
  %big = arith.constant 100.0 : f32
  %scaled = arith.mulf %v, %big : f32
  %number = arith.addf %scaled, %big : f32
  %i = arith.fptosi %number : f32 to i64
  %at = arith.index_cast %i : i64 to index
  %w = tensor.extract %x[%at, %c0] : tensor<?x1xf32>
  return %w : f32
}
