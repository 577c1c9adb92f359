// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=beyond --target=reference 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: not sparseconv-run %s --entry=between --target=reference 2>&1 | FileCheck %s --check-prefix=BETWEEN

// Points become a set: distinct coordinates, batch first, then ascending.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>

// The points are (batch, x). Points 0 and 3 are one coordinate, 2 and 4 another.
func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}, tensor<?xi32> {sparseconv.name = "order"},
                      tensor<5xi32> {sparseconv.name = "row_of"}) {
  %points = arith.constant dense<[[0, 3], [1, -2], [0, -1], [0, 3], [0, -1]]> : tensor<5x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<5x2xi32> -> !set
  %coords = sparseconv.unpack %c : !set -> tensor<?x2xi32>
  return %coords, %order, %row_of : tensor<?x2xi32>, tensor<?xi32>, tensor<5xi32>
}
// CHECK:      result 'coords'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] 0, 3{{$}}
// CHECK-NEXT:   [2] 1, -2{{$}}
// Row 0 is first named by point 2, row 1 by point 0, row 2 by point 1.
// CHECK:      result 'order'
// CHECK-NEXT: {{^}}  2, 0, 1{{$}}
// CHECK:      result 'row_of'
// CHECK-NEXT: {{^}}  1, 2, 0, 1, 0{{$}}

// A field of 4 bits holds -8 to 7; the guard takes one value at each end.
#small = #sparseconv.packing<i32, batch = 1, bits = [4], guard = [1]>
func.func @beyond() -> index {
  %points = arith.constant dense<[[0, 6], [0, 7]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !sparseconv.coords<1, stride = [1], #small>
  %n = sparseconv.size %c : !sparseconv.coords<1, stride = [1], #small>
  return %n : index
}
// BEYOND: sparseconv.pack: point 1: coordinate 7 on axis 0 is outside -7 .. 6{{$}}

// 3 is no coordinate of stride 2.
func.func @between() -> index {
  %points = arith.constant dense<[[0, 2], [0, 3]]> : tensor<2x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !half
  %n = sparseconv.size %c : !half
  return %n : index
}
// BETWEEN: sparseconv.pack: point 1: coordinate 3 on axis 0 is not a multiple of the stride 2{{$}}
