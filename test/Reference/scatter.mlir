// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Rows added by index: 1 and 4 meet in row 1, 2 goes nowhere, and row 2 stays
// empty. In f16, which holds even numbers above 2048, a sum is rounded once.

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "y"}, tensor<?x1xf16> {sparseconv.name = "rounded"}) {
  %x = arith.constant dense<[[1.0], [2.0], [4.0], [8.0]]> : tensor<4x1xf32>
  %rows = arith.constant dense<[1, -1, 1, 0]> : tensor<4xi32>
  %three = arith.constant 3 : index
  %y = sparseconv.scatter %x, %rows into %three : tensor<4x1xf32>, tensor<4xi32> -> tensor<?x1xf32>
  %h = arith.constant dense<[[2048.0], [1.0], [1.0]]> : tensor<3x1xf16>
  %zeros = arith.constant dense<0> : tensor<3xi32>
  %one = arith.constant 1 : index
  %rounded = sparseconv.scatter %h, %zeros into %one : tensor<3x1xf16>, tensor<3xi32> -> tensor<?x1xf16>
  return %y, %rounded : tensor<?x1xf32>, tensor<?x1xf16>
}
// CHECK:      result 'y': tensor<3x1xf32>
// CHECK-NEXT:   [0] 8{{$}}
// CHECK-NEXT:   [1] 5{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// 2048 + 1 + 1 = 2050.
// CHECK:      result 'rounded'
// CHECK-NEXT:   [0] 2050{{$}}
