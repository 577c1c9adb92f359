// What an error names: the operation, the row and the bounds.

// RUN: not sparseconv-run %s --entry=two 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sparseconv-run %s --entry=two --target=reference 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not sparseconv-run %s --entry=spread 2>&1 | FileCheck %s --check-prefix=SPREAD
// RUN: not sparseconv-run %s --entry=spread --target=reference 2>&1 | FileCheck %s --check-prefix=SPREAD
// RUN: not sparseconv-run %s --entry=cells 2>&1 | FileCheck %s --check-prefix=CELLS
// RUN: not sparseconv-run %s --entry=cells --target=reference 2>&1 | FileCheck %s --check-prefix=CELLS
// RUN: not sparseconv-run %s --entry=upsample 2>&1 | FileCheck %s --check-prefix=UPSAMPLE
// RUN: not sparseconv-run %s --entry=upsample --target=reference 2>&1 | FileCheck %s --check-prefix=UPSAMPLE
// RUN: not sparseconv-run %s --entry=numbers 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not sparseconv-run %s --entry=numbers --target=reference 2>&1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not sparseconv-run %s --entry=rescale 2>&1 | FileCheck %s --check-prefix=RESCALE
// RUN: not sparseconv-run %s --entry=rescale --target=reference 2>&1 | FileCheck %s --check-prefix=RESCALE
// RUN: not sparseconv-run %s --entry=crowd 2>&1 | FileCheck %s --check-prefix=CROWD
// RUN: not sparseconv-run %s --entry=crowd --target=reference 2>&1 | FileCheck %s --check-prefix=CROWD
// RUN: not sparseconv-run %s --entry=prune 2>&1 | FileCheck %s --check-prefix=PRUNE
// RUN: not sparseconv-run %s --entry=prune --target=reference 2>&1 | FileCheck %s --check-prefix=PRUNE
// RUN: not sparseconv-run %s --entry=items 2>&1 | FileCheck %s --check-prefix=ITEMS
// RUN: not sparseconv-run %s --entry=items --target=reference 2>&1 | FileCheck %s --check-prefix=ITEMS
// RUN: not sparseconv-run %s --entry=grid 2>&1 | FileCheck %s --check-prefix=GRID
// RUN: not sparseconv-run %s --entry=grid --target=reference 2>&1 | FileCheck %s --check-prefix=GRID

#packing = #sparseconv.packing<i32, batch = 2, bits = [4], guard = [1]>
!set = !sparseconv.coords<1, stride = [1], #packing>
#plane = #sparseconv.packing<i32, batch = 2, bits = [4, 4], guard = [1, 1]>
!plane = !sparseconv.coords<2, stride = [1, 1], #plane>
!half = !sparseconv.coords<1, stride = [2], #packing>
!half_plane = !sparseconv.coords<2, stride = [2, 2], #plane>

// Of two operations that fail it is the first.
// TWO: sparseconv.pack: point 1: coordinate 9 on axis 0 is outside -7 .. 6
func.func @two() -> (tensor<?x2xi32>, tensor<?x2xi32>) {
  %first = arith.constant dense<[[0, 5], [0, 9]]> : tensor<2x2xi32>
  %second = arith.constant dense<[[0, -20]]> : tensor<1x2xi32>
  %a, %a_order, %a_row_of = sparseconv.pack %first : tensor<2x2xi32> -> !set
  %b, %b_order, %b_row_of = sparseconv.pack %second : tensor<1x2xi32> -> !set
  %0 = sparseconv.unpack %a : !set -> tensor<?x2xi32>
  %1 = sparseconv.unpack %b : !set -> tensor<?x2xi32>
  return %0, %1 : tensor<?x2xi32>, tensor<?x2xi32>
}

// Of the rows that leave the packing it is the lowest, which is not row 0.
// SPREAD: sparseconv.expand: row 1: coordinate 7 on axis 0 is outside -7 .. 6
func.func @spread() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 0], [0, 6], [1, 6]]> : tensor<3x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %0 = sparseconv.expand %coords offsets(box<3>) : !set
  %1 = sparseconv.unpack %0 : !set -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}

// Of the cells that leave the packing it is the first of the lowest row.
// CELLS: sparseconv.subdivide: row 1: coordinate 7 on axis 1 is outside -7 .. 6
func.func @cells() -> tensor<?x3xi32> {
  %points = arith.constant dense<[[0, 6, 6], [0, 2, 2], [1, 6, 0]]> : tensor<3x3xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<3x3xi32> -> !half_plane
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %coords by [2, 2] : !half_plane
  %0 = sparseconv.unpack %fine : !plane -> tensor<?x3xi32>
  return %0 : tensor<?x3xi32>
}

// UPSAMPLE: sparseconv.upsample: the result has 4 rows, more than its capacity of 3
func.func @upsample() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 2], [0, -6]]> : tensor<2x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !half
  %fine = sparseconv.upsample %coords by [2] capacity(3) : !half -> !set
  %0 = sparseconv.unpack %fine : !set -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// NUMBERS: sparseconv.subdivide: 'points_order' has 2 rows, but the coordinate set has 1
func.func @numbers() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 2]]> : tensor<1x2xi32>
  %numbers = arith.constant dense<[0, 1]> : tensor<2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<1x2xi32> -> !half
  %fine, %rows, %cells, %row_of_cell = sparseconv.subdivide %coords by [2]
      points(%numbers, %row_of : tensor<2xi32>, tensor<1xi32>) : !half
  %0 = sparseconv.unpack %fine : !set -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// RESCALE: sparseconv.rescale: row 1: coordinate 10 on axis 0 is outside -7 .. 6
func.func @rescale() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 5], [0, -3], [0, 6]]> : tensor<3x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %half = sparseconv.rescale %coords by [2] : !set -> !half
  %0 = sparseconv.unpack %half : !half -> tensor<?x2xi32>
  return %0 : tensor<?x2xi32>
}

// Rows from -1 to 2, of which two have room.
// CROWD: sparseconv.expand: the result has 4 rows, more than its capacity of 2
func.func @crowd() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0 = sparseconv.expand %coords offsets(box<3>) capacity(2) : !set
  %1 = sparseconv.unpack %0 : !set -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}

// Of the axes it is the first one on which a row is outside.
// GRID: sparseconv.to_dense: row 1: coordinate 3 on axis 1 is outside 0 .. 1
func.func @grid() -> tensor<1x5x2x1xf32> {
  %points = arith.constant dense<[[0, 0, 0], [0, 4, 3]]> : tensor<2x3xi32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x3xi32> -> !plane
  %ones = arith.constant dense<1.0> : tensor<2x1xf32>
  %x = sparseconv.gather %ones, %order : tensor<2x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %0 = sparseconv.to_dense %x, %coords origin [0, 0] : tensor<?x1xf32>, !plane -> tensor<1x5x2x1xf32>
  return %0 : tensor<1x5x2x1xf32>
}

// PRUNE: sparseconv.prune: 'mask' has 3 rows, but the coordinate set has 2
func.func @prune() -> tensor<?x2xi32> {
  %points = arith.constant dense<[[0, 0], [0, 1]]> : tensor<2x2xi32>
  %mask = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0, %rows = sparseconv.prune %coords, %mask : !set, tensor<3xi1>
  %1 = sparseconv.unpack %0 : !set -> tensor<?x2xi32>
  return %1 : tensor<?x2xi32>
}

// ITEMS: sparseconv.global_pool: row 1: batch index 3 is not below the number of items, 2
func.func @items() -> tensor<2x4xf32> {
  %points = arith.constant dense<[[0, 0], [3, 0]]> : tensor<2x2xi32>
  %x = arith.constant dense<1.0> : tensor<2x4xf32>
  %coords, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !set
  %0 = sparseconv.global_pool sum %x, %coords : tensor<2x4xf32>, !set -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
