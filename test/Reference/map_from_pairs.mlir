// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// A map from pairs (input row, output row, offset), in any order. Here the offsets
// are no displacements: the pairs connect what a caller wants to connect.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<2, !set to !set>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "table"}, tensor<?x2xi32> {sparseconv.name = "back"}) {
  %points = arith.constant dense<[[0, 0], [0, 10], [0, 20]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %pairs = arith.constant dense<[[2, 0, 1], [0, 2, 0], [1, 1, 1], [2, 1, 0]]> : tensor<4x3xi32>
  %m = sparseconv.map_from_pairs %pairs, %c to %c : tensor<4x3xi32>, !map
  %table = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  %t = sparseconv.transpose_map %m : !map -> !map
  %back = sparseconv.neighbour_table %t : !map -> tensor<?x2xi32>
  return %table, %back : tensor<?x2xi32>, tensor<?x2xi32>
}
// CHECK:      result 'table'
// CHECK-NEXT:   [0] -1, 2{{$}}
// CHECK-NEXT:   [1] 2, 1{{$}}
// CHECK-NEXT:   [2] 0, -1{{$}}
// The sides change places, the offsets stay.
// CHECK:      result 'back'
// CHECK-NEXT:   [0] 2, -1{{$}}
// CHECK-NEXT:   [1] -1, 1{{$}}
// CHECK-NEXT:   [2] 1, 0{{$}}
