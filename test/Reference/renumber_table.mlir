// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: sparseconv-run %s --target=cpu --print | FileCheck %s

// The table of a map between rows of a set, for points in their own order.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<3x3xi32> {sparseconv.name = "by_point"}, tensor<3x3xi32> {sparseconv.name = "moved"}, tensor<4x3xi32> {sparseconv.name = "some"}) {
  %points = arith.constant dense<[[0, 7], [0, 1], [0, 2]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %m = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %table = sparseconv.neighbour_table %m : !map -> tensor<?x3xi32>
  %by_point = sparseconv.renumber_table out %table, %row_of : tensor<?x3xi32>, tensor<3xi32> -> tensor<3x3xi32>
  %moved = sparseconv.renumber_table in %by_point, %order : tensor<3x3xi32>, tensor<?xi32> -> tensor<3x3xi32>
  %rows = arith.constant dense<[1, -1, 1, 0]> : tensor<4xi32>
  %some = sparseconv.renumber_table out %moved, %rows : tensor<3x3xi32>, tensor<4xi32> -> tensor<4x3xi32>
  return %by_point, %moved, %some : tensor<3x3xi32>, tensor<3x3xi32>, tensor<4x3xi32>
}
// The first point is the last row, which has no neighbours; the others are rows 0 and 1.
// CHECK:      result 'by_point'
// CHECK-NEXT:   [0] -1, 2, -1{{$}}
// CHECK-NEXT:   [1] -1, 0, 1{{$}}
// CHECK-NEXT:   [2] 0, 1, -1{{$}}
// CHECK:      result 'moved'
// CHECK-NEXT:   [0] -1, 0, -1{{$}}
// CHECK-NEXT:   [1] -1, 1, 2{{$}}
// CHECK-NEXT:   [2] 1, 2, -1{{$}}
// A row may be asked for twice, and -1 is none.
// CHECK:      result 'some'
// CHECK-NEXT:   [0] -1, 1, 2{{$}}
// CHECK-NEXT:   [1] -1, -1, -1{{$}}
// CHECK-NEXT:   [2] -1, 1, 2{{$}}
// CHECK-NEXT:   [3] -1, 0, -1{{$}}
