// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The number of rows of a set: three points, two of them equal.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (index {sparseconv.name = "rows"}) {
  %points = arith.constant dense<[[0, 3], [0, 5], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %rows = sparseconv.size %c : !set
  return %rows : index
}
// CHECK:      result 'rows': tensor<i64>
// CHECK-NEXT: {{^}}  2{{$}}
