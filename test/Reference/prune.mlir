// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=short --target=reference 2>&1 | FileCheck %s --check-prefix=SHORT

// The coordinates whose mask is true, and the rows that they had.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}, tensor<?xi32> {sparseconv.name = "rows"}) {
  %points = arith.constant dense<[[0, 0], [0, 2], [0, 5]]> : tensor<3x2xi32>
  %mask = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %kept, %rows = sparseconv.prune %c, %mask : !set, tensor<3xi1>
  %coords = sparseconv.unpack %kept : !set -> tensor<?x2xi32>
  return %coords, %rows : tensor<?x2xi32>, tensor<?xi32>
}
// CHECK:      result 'coords': tensor<2x2xi32>
// CHECK-NEXT:   [0] 0, 0{{$}}
// CHECK-NEXT:   [1] 0, 5{{$}}
// CHECK:      result 'rows'
// CHECK-NEXT: {{^}}  0, 2{{$}}

func.func @short() -> index {
  %points = arith.constant dense<[[0, 0], [0, 2], [0, 5]]> : tensor<3x2xi32>
  %mask = arith.constant dense<[true, false]> : tensor<2xi1>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %kept, %rows = sparseconv.prune %c, %mask : !set, tensor<2xi1>
  %n = sparseconv.size %kept : !set
  return %n : index
}
// SHORT: sparseconv.prune: 'mask' has 2 rows, but the coordinate set has 3{{$}}
