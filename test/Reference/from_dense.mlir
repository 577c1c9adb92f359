// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The rows of a set from a grid [batch, x, channels] of two items and three cells of
// stride 2. Its first cell is at -2.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!half = !sparseconv.coords<1, stride = [2], #packing>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "x"}) {
  %points = arith.constant dense<[[0, 0], [1, -2]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !half
  %grid = arith.constant dense<[[[1.0], [2.0], [3.0]], [[4.0], [5.0], [6.0]]]> : tensor<2x3x1xf32>
  %x = sparseconv.from_dense %grid, %c origin [-2] : tensor<2x3x1xf32>, !half -> tensor<?x1xf32>
  return %x : tensor<?x1xf32>
}
// 0 is cell (0 - -2) / 2 = 1 of item 0, and -2 is cell 0 of item 1.
// CHECK:      result 'x'
// CHECK-NEXT:   [0] 2{{$}}
// CHECK-NEXT:   [1] 4{{$}}
