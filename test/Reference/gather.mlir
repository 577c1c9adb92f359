// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=outside --target=reference 2>&1 | FileCheck %s --check-prefix=OUTSIDE

// Rows by index; -1 gives zeros.

func.func @main() -> (tensor<4x2xf32> {sparseconv.name = "y"}) {
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %rows = arith.constant dense<[2, -1, 0, 2]> : tensor<4xi32>
  %y = sparseconv.gather %x, %rows : tensor<3x2xf32>, tensor<4xi32> -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}
// CHECK:      result 'y'
// CHECK-NEXT:   [0] 5, 6{{$}}
// CHECK-NEXT:   [1] 0, 0{{$}}
// CHECK-NEXT:   [2] 1, 2{{$}}
// CHECK-NEXT:   [3] 5, 6{{$}}

func.func @outside() -> tensor<1x2xf32> {
  %x = arith.constant dense<0.0> : tensor<3x2xf32>
  %rows = arith.constant dense<[3]> : tensor<1xi32>
  %y = sparseconv.gather %x, %rows : tensor<3x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
  return %y : tensor<1x2xf32>
}
// OUTSIDE: sparseconv.gather: position 0: row index 3 is outside -1 .. 2{{$}}
