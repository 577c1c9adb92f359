// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// A set of stride 2 at stride 1: all cells of its coordinates, or those that the
// offsets reach.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!half = !sparseconv.coords<1, stride = [2], #packing>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "cells"}, tensor<?x2xi32> {sparseconv.name = "reached"}) {
  %points = arith.constant dense<[[0, 0], [0, 4]]> : tensor<2x2xi32>
  %half, %order, %row_of = sparseconv.pack %points : tensor<2x2xi32> -> !half
  %0 = sparseconv.upsample %half by [2] : !half -> !set
  %cells = sparseconv.unpack %0 : !set -> tensor<?x2xi32>
  %1 = sparseconv.upsample %half by [2] offsets(box<3>) : !half -> !set
  %reached = sparseconv.unpack %1 : !set -> tensor<?x2xi32>
  return %cells, %reached : tensor<?x2xi32>, tensor<?x2xi32>
}
// 0 is the cells 0 and 1, 4 the cells 4 and 5.
// CHECK:      result 'cells'
// CHECK-NEXT:   [0] 0, 0{{$}}
// CHECK-NEXT:   [1] 0, 1{{$}}
// CHECK-NEXT:   [2] 0, 4{{$}}
// CHECK-NEXT:   [3] 0, 5{{$}}
// 0 and 4 plus -1, 0 and 1.
// CHECK:      result 'reached'
// CHECK-NEXT:   [0] 0, -1{{$}}
// CHECK-NEXT:   [1] 0, 0{{$}}
// CHECK-NEXT:   [2] 0, 1{{$}}
// CHECK-NEXT:   [3] 0, 3{{$}}
// CHECK-NEXT:   [4] 0, 4{{$}}
// CHECK-NEXT:   [5] 0, 5{{$}}
