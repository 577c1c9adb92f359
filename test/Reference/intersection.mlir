// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The coordinates of both sets, and which row of each side a row came from.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}, tensor<?xi32> {sparseconv.name = "lhs_rows"},
                      tensor<?xi32> {sparseconv.name = "rhs_rows"}) {
  %p = arith.constant dense<[[0, 0], [0, 2], [0, 5]]> : tensor<3x2xi32>
  %q = arith.constant dense<[[0, 2], [0, 5], [0, 7]]> : tensor<3x2xi32>
  %a, %order_a, %row_of_a = sparseconv.pack %p : tensor<3x2xi32> -> !set
  %b, %order_b, %row_of_b = sparseconv.pack %q : tensor<3x2xi32> -> !set
  %c, %lhs_rows, %rhs_rows = sparseconv.intersection %a, %b : !set
  %coords = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %coords, %lhs_rows, %rhs_rows : tensor<?x2xi32>, tensor<?xi32>, tensor<?xi32>
}
// CHECK:      result 'coords': tensor<2x2xi32>
// CHECK-NEXT:   [0] 0, 2{{$}}
// CHECK-NEXT:   [1] 0, 5{{$}}
// CHECK:      result 'lhs_rows'
// CHECK-NEXT: {{^}}  1, 2{{$}}
// CHECK:      result 'rhs_rows'
// CHECK-NEXT: {{^}}  0, 1{{$}}
