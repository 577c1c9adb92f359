// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=outside --target=reference 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// Rows in a grid [batch, x, channels] of two items and three cells of stride 2. Its
// first cell is at -2.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!half = !sparseconv.coords<1, stride = [2], #packing>

func.func @main() -> (tensor<2x3x1xf32> {sparseconv.name = "grid"}) {
  %points = arith.constant dense<[[0, 0], [1, -2]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !half
  %v = arith.constant dense<[[5.0], [7.0]]> : tensor<2x1xf32>
  %x = sparseconv.gather %v, %order : tensor<2x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %grid = sparseconv.to_dense %x, %c origin [-2] : tensor<?x1xf32>, !half -> tensor<2x3x1xf32>
  return %grid : tensor<2x3x1xf32>
}
// 0 is cell (0 - -2) / 2 = 1 of item 0, and -2 is cell 0 of item 1.
// CHECK:      result 'grid'
// CHECK-NEXT:   [0, 0] 0{{$}}
// CHECK-NEXT:   [0, 1] 5{{$}}
// CHECK-NEXT:   [0, 2] 0{{$}}
// CHECK-NEXT:   [1, 0] 7{{$}}
// CHECK-NEXT:   [1, 1] 0{{$}}
// CHECK-NEXT:   [1, 2] 0{{$}}

// 4 would be cell 3.
func.func @outside() -> tensor<1x3x1xf32> {
  %points = arith.constant dense<[[0, 4]]> : tensor<1x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<1x2xi32> -> !half
  %v = arith.constant dense<[[5.0]]> : tensor<1x1xf32>
  %x = sparseconv.gather %v, %order : tensor<1x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %grid = sparseconv.to_dense %x, %c origin [-2] : tensor<?x1xf32>, !half -> tensor<1x3x1xf32>
  return %grid : tensor<1x3x1xf32>
}
// OUTSIDE: sparseconv.to_dense: row 0: coordinate 4 on axis 0 is outside -2 .. 2{{$}}
