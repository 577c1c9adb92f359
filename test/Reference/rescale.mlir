// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The same coordinates in units of a grid that is three times as fine.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!third = !sparseconv.coords<1, stride = [3], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "coords"}) {
  %p = arith.constant dense<[[0, 5], [0, -2]]> : tensor<2x2xi32>
  %set, %order, %row_of = sparseconv.pack %p : tensor<2x2xi32> -> !set
  %third = sparseconv.rescale %set by [3] : !set -> !third
  %coords = sparseconv.unpack %third : !third -> tensor<?x2xi32>
  return %coords : tensor<?x2xi32>
}
// CHECK:      result 'coords': tensor<2x2xi32>
// CHECK-NEXT:   [0] 0, -6{{$}}
// CHECK-NEXT:   [1] 0, 15{{$}}
