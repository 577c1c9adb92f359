// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The coordinates of a set, in set order and in units of the finest grid: those
// of a set of stride 2 are even.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!half = !sparseconv.coords<1, stride = [2], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %points = arith.constant dense<[[0, 4], [0, -2], [1, 0]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !half
  %coords = sparseconv.unpack %c : !half -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}
// CHECK:      result 'coords'
// CHECK-NEXT:   [0] 0, -2{{$}}
// CHECK-NEXT:   [1] 0, 4{{$}}
// CHECK-NEXT:   [2] 1, 0{{$}}
