// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// A map as a table: one row for each output row, one column for each offset.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>
!pair = !sparseconv.kernel_map<2, !set to !set>

func.func @main() -> (tensor<?x3xi32> {sparseconv.name = "box"}, tensor<?x2xi32> {sparseconv.name = "list"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [1, 0]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %0 = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %box = sparseconv.neighbour_table %0 : !map -> tensor<?x3xi32>
  %1 = sparseconv.kernel_map %c to %c offsets(list<[1], [-1]>) : !pair
  %list = sparseconv.neighbour_table %1 : !pair -> tensor<?x2xi32>
  return %box, %list : tensor<?x3xi32>, tensor<?x2xi32>
}
// Rows 0 and 1 are neighbours. Row 2 is in another batch item.
// CHECK:      result 'box'
// CHECK-NEXT:   [0] -1, 0, 1{{$}}
// CHECK-NEXT:   [1] 0, 1, -1{{$}}
// CHECK-NEXT:   [2] -1, 2, -1{{$}}
// The columns of a list have its order.
// CHECK:      result 'list'
// CHECK-NEXT:   [0] 1, -1{{$}}
// CHECK-NEXT:   [1] -1, 0{{$}}
// CHECK-NEXT:   [2] -1, -1{{$}}
