// RUN: env SPARSECONV_POISON=1 sparseconv-run %s --check --print | FileCheck %s

// Points outside of a clip region have no row, and neither have their cells. Points 0
// and 3 are the same one.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!half = !sparseconv.coords<1, stride = [2], #packing>
!fine = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}, tensor<?xi32> {sparseconv.name = "row_of"}) {
  %p = arith.constant dense<[[0, 6], [0, -2], [0, 40], [0, 6]]> : tensor<4x2xi32>
  %half, %o, %r = sparseconv.pack %p clip(<[-4] to [8]>) : tensor<4x2xi32> -> !half
  %fine, %rows, %order, %row_of = sparseconv.subdivide %half by [2]
      points(%o, %r : tensor<?xi32>, tensor<4xi32>) : !half
  %coords = sparseconv.unpack %fine : !fine -> tensor<?x2xi32>
  return %coords, %row_of : tensor<?x2xi32>, tensor<?xi32>
}
// CHECK:      result 'coords': tensor<4x2xi32>
// CHECK-NEXT:   [0] 0, -2{{$}}
// CHECK-NEXT:   [1] 0, -1{{$}}
// CHECK-NEXT:   [2] 0, 6{{$}}
// CHECK-NEXT:   [3] 0, 7{{$}}
// CHECK:      result 'row_of'
// CHECK-NEXT: {{^}}  2, 3, 0, 1, -1, -1, 2, 3{{$}}
