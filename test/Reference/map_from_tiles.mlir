// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: sparseconv-run %s --target=cpu --print | FileCheck %s

// One tile of 16 slots, whose rows are 2, 0 and 1. Some row has offset 0 and none has
// offset 1, so that what the table says of offset 1 means nothing.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<2, !set to !set>

func.func @main() -> (tensor<?x2xi32> {sparseconv.name = "table"}) {
  %points = arith.constant dense<[[0, 0], [0, 10], [0, 20]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points {in_order} : tensor<3x2xi32> -> !set
  %tiles = arith.constant dense<[[-1, 2, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1],
                                 [7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7]]> : tensor<2x16xi32>
  %row = arith.constant dense<[2, 0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1]> : tensor<16xi32>
  %masks = arith.constant dense<1> : tensor<1x1xi32>
  %sizes = arith.constant dense<[3, 3, 16]> : tensor<3xindex>
  %m = sparseconv.map_from_tiles %tiles, %row, %masks, %sizes, %c to %c
      : tensor<2x16xi32>, tensor<16xi32>, tensor<1x1xi32>, tensor<3xindex>, !map
  %table = sparseconv.neighbour_table %m : !map -> tensor<?x2xi32>
  return %table : tensor<?x2xi32>
}
// CHECK:      result 'table'
// CHECK-NEXT:   [0] 2, -1{{$}}
// CHECK-NEXT:   [1] 1, -1{{$}}
// CHECK-NEXT:   [2] -1, -1{{$}}
