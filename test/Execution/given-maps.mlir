// Maps that are given: what an error names, on both targets, and which of several
// errors it is: the lowest pair, and in it the lowest column.

// RUN: not sparseconv-run %s --entry=input_row 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not sparseconv-run %s --entry=input_row --target=reference 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: not sparseconv-run %s --entry=output_row 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not sparseconv-run %s --entry=output_row --target=reference 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: not sparseconv-run %s --entry=offset 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not sparseconv-run %s --entry=offset --target=reference 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not sparseconv-run %s --entry=two_inputs 2>&1 | FileCheck %s --check-prefix=INPUTS
// RUN: not sparseconv-run %s --entry=two_inputs --target=reference 2>&1 | FileCheck %s --check-prefix=INPUTS
// RUN: not sparseconv-run %s --entry=two_outputs 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not sparseconv-run %s --entry=two_outputs --target=reference 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not sparseconv-run %s --entry=same_twice 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sparseconv-run %s --entry=same_twice --target=reference 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not sparseconv-run %s --entry=entry 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not sparseconv-run %s --entry=entry --target=reference 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not sparseconv-run %s --entry=below 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not sparseconv-run %s --entry=below --target=reference 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: not sparseconv-run %s --entry=rows 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not sparseconv-run %s --entry=rows --target=reference 2>&1 | FileCheck %s --check-prefix=ROWS
// RUN: not sparseconv-run %s --entry=column 2>&1 | FileCheck %s --check-prefix=COLUMN
// RUN: not sparseconv-run %s --entry=column --target=reference 2>&1 | FileCheck %s --check-prefix=COLUMN
// RUN: not sparseconv-run %s --entry=index 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not sparseconv-run %s --entry=index --target=reference 2>&1 | FileCheck %s --check-prefix=INDEX
// RUN: not sparseconv-run %s --entry=number 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not sparseconv-run %s --entry=number --target=reference 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: sparseconv-run %s --entry=no_rows --print | FileCheck %s --check-prefix=NONE

#packing = #sparseconv.packing<i32, batch = 2, bits = [8], guard = [1]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>
!map = !sparseconv.kernel_map<2, !set to !half>

// A set of 3 rows, one of 2, and the table of a map between them.
func.func private @pairs(%pairs: tensor<?x3xi32>) -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 2]]> : tensor<3x2xi32>
  %in, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %out = sparseconv.downsample %in by [2] : !set -> !half
  %m = sparseconv.map_from_pairs %pairs, %in to %out : tensor<?x3xi32>, !map
  %0 = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}
func.func private @table(%table: tensor<?x2xi32>) -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 2]]> : tensor<3x2xi32>
  %in, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %out = sparseconv.downsample %in by [2] : !set -> !half
  %m = sparseconv.map_from_table %table, %in to %out : tensor<?x2xi32>, !map
  %0 = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// INPUT: given-maps.mlir:40:{{.*}}: sparseconv.map_from_pairs: pair 1: input row 3 is outside 0 .. 2
func.func @input_row() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[0, 0, 0], [3, 2, 2], [9, 9, 9]]> : tensor<3x3xi32>
  %1 = tensor.cast %0 : tensor<3x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// OUTPUT: sparseconv.map_from_pairs: pair 0: output row -1 is outside 0 .. 1
func.func @output_row() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[2, -1, 2], [9, 9, 9]]> : tensor<2x3xi32>
  %1 = tensor.cast %0 : tensor<2x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// OFFSET: sparseconv.map_from_pairs: pair 1: offset 2 is outside 0 .. 1
func.func @offset() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[2, 1, 1], [0, 0, 2]]> : tensor<2x3xi32>
  %1 = tensor.cast %0 : tensor<2x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// Offset 1 of output row 1 has two inputs; a later pair is out of range.
// INPUTS: sparseconv.map_from_pairs: pair 2: output row 1 has offset 1 in an earlier pair, too
func.func @two_inputs() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[2, 1, 1], [0, 1, 0], [0, 1, 1], [9, 9, 9]]> : tensor<4x3xi32>
  %1 = tensor.cast %0 : tensor<4x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// Offset 1 of input row 2 has two outputs: such a map could not be transposed.
// OUTPUTS: sparseconv.map_from_pairs: pair 2: input row 2 has offset 1 in an earlier pair, too
func.func @two_outputs() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[2, 1, 1], [2, 0, 0], [2, 0, 1]]> : tensor<3x3xi32>
  %1 = tensor.cast %0 : tensor<3x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// TWICE: sparseconv.map_from_pairs: pair 1: output row 1 has offset 0 in an earlier pair, too
func.func @same_twice() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[2, 1, 0], [2, 1, 0], [2, 1, 0]]> : tensor<3x3xi32>
  %1 = tensor.cast %0 : tensor<3x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// ENTRY: sparseconv.map_from_table: row 0: input row 3 of offset 1 is outside -1 .. 2
func.func @entry() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[0, 3], [0, 9]]> : tensor<2x2xi32>
  %1 = tensor.cast %0 : tensor<2x2xi32> to tensor<?x2xi32>
  %2 = call @table(%1) : (tensor<?x2xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// BELOW: sparseconv.map_from_table: row 1: input row -2 of offset 0 is outside -1 .. 2
func.func @below() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[-1, 2], [-2, 2]]> : tensor<2x2xi32>
  %1 = tensor.cast %0 : tensor<2x2xi32> to tensor<?x2xi32>
  %2 = call @table(%1) : (tensor<?x2xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// ROWS: sparseconv.map_from_table: 'table' has 3 rows, but the out set of the map has 2
func.func @rows() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[-1, 9], [1, 1], [0, 1]]> : tensor<3x2xi32>
  %1 = tensor.cast %0 : tensor<3x2xi32> to tensor<?x2xi32>
  %2 = call @table(%1) : (tensor<?x2xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// COLUMN: sparseconv.map_from_table: row 1: input row 1 has offset 1 in an earlier row, too
func.func @column() -> tensor<?x2xi32> {
  %0 = arith.constant dense<[[1, 1], [0, 1]]> : tensor<2x2xi32>
  %1 = tensor.cast %0 : tensor<2x2xi32> to tensor<?x2xi32>
  %2 = call @table(%1) : (tensor<?x2xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}

// INDEX: sparseconv.renumber_table: position 1: row index 2 is outside -1 .. 1
func.func @index() -> tensor<4x2xi32> {
  %0 = arith.constant dense<[[0, 1], [1, -1]]> : tensor<2x2xi32>
  %1 = arith.constant dense<[-1, 2, -2, 0]> : tensor<4xi32>
  %2 = sparseconv.renumber_table out %0, %1 : tensor<2x2xi32>, tensor<4xi32> -> tensor<4x2xi32>
  return %2 : tensor<4x2xi32>
}

// NUMBER: sparseconv.renumber_table: row 1: input row -2 of offset 0 is outside -1 .. 3
func.func @number() -> tensor<2x2xi32> {
  %0 = arith.constant dense<[[3, 1], [-2, 4]]> : tensor<2x2xi32>
  %1 = arith.constant dense<[-1, 2, -2, 0]> : tensor<4xi32>
  %2 = sparseconv.renumber_table in %0, %1 : tensor<2x2xi32>, tensor<4xi32> -> tensor<2x2xi32>
  return %2 : tensor<2x2xi32>
}

// No pairs are a map without any.
// NONE:      tensor<2x2xi32>
// NONE-NEXT:   [0] -1, -1
// NONE-NEXT:   [1] -1, -1
func.func @no_rows() -> tensor<?x2xi32> {
  %0 = arith.constant dense<0> : tensor<0x3xi32>
  %1 = tensor.cast %0 : tensor<0x3xi32> to tensor<?x3xi32>
  %2 = call @pairs(%1) : (tensor<?x3xi32>) -> tensor<?x2xi32>
  return %2 : tensor<?x2xi32>
}
