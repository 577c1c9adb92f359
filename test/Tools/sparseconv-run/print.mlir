// --print shows the elements of every result, one line for each row.

// RUN: sparseconv-run %s --entry=shapes --target=reference --print | FileCheck %s --match-full-lines --strict-whitespace
// RUN: sparseconv-run %s --entry=shapes --print | FileCheck %s --match-full-lines --strict-whitespace
//      CHECK:result 'matrix': tensor<2x3xf32>, min -0.5, mean 0.833333, max 2
// CHECK-NEXT:  [0] 1, 2, 0.5
// CHECK-NEXT:  [1] -0.5, 0, 2
// CHECK-NEXT:result 'cube': tensor<2x2x1xi32>, min 1, mean 2.5, max 4
// CHECK-NEXT:  [0, 0] 1
// CHECK-NEXT:  [0, 1] 2
// CHECK-NEXT:  [1, 0] 3
// CHECK-NEXT:  [1, 1] 4
// CHECK-NEXT:result 'list': tensor<2xi64>, min 1, mean 2.14748e+09, max 4.29497e+09
// CHECK-NEXT:  1, 4294967297
// CHECK-NEXT:result 'scalar': tensor<i64>, min 7, mean 7, max 7
// CHECK-NEXT:  7
// CHECK-NEXT:result 'empty': tensor<0x2xf16>
//  CHECK-NOT:{{.}}

// Without the summaries, the elements alone.
// RUN: sparseconv-run %s --entry=long --target=reference --quiet --print | FileCheck %s --check-prefix=LONG
//      LONG: {{^}}  [0] 3{{$}}
// LONG-COUNT-999: ] 3{{$}}
// LONG-NEXT: {{^}}  and 2 more rows{{$}}
//  LONG-NOT: {{.}}

func.func @shapes() -> (tensor<2x3xf32> {sparseconv.name = "matrix"}, tensor<2x2x1xi32> {sparseconv.name = "cube"},
                        tensor<2xi64> {sparseconv.name = "list"}, index {sparseconv.name = "scalar"},
                        tensor<0x2xf16> {sparseconv.name = "empty"}) {
  %matrix = arith.constant dense<[[1.0, 2.0, 0.5], [-0.5, 0.0, 2.0]]> : tensor<2x3xf32>
  %cube = arith.constant dense<[[[1], [2]], [[3], [4]]]> : tensor<2x2x1xi32>
  %list = arith.constant dense<[1, 4294967297]> : tensor<2xi64>
  %scalar = arith.constant 7 : index
  %empty = arith.constant dense<0.0> : tensor<0x2xf16>
  return %matrix, %cube, %list, %scalar, %empty
      : tensor<2x3xf32>, tensor<2x2x1xi32>, tensor<2xi64>, index, tensor<0x2xf16>
}

func.func @long() -> tensor<1002x1xi32> {
  %long = arith.constant dense<3> : tensor<1002x1xi32>
  return %long : tensor<1002x1xi32>
}
