// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The tiles of a map of 3 rows and 2 offsets: 256 slots, of which three have rows, and
// 16 masks, of which one has bits. The map that they give convolves as its table does.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<2, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "y"},
                      tensor<3xindex> {sparseconv.name = "sizes"}) {
  %points = arith.constant dense<[[0, 0], [0, 10], [0, 20]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points {in_order} : tensor<3x2xi32> -> !set
  %table = arith.constant dense<[[-1, 2], [2, 1], [-1, -1]]> : tensor<3x2xi32>
  %m = sparseconv.map_from_table %table, %c to %c : tensor<3x2xi32>, !map
  %tiles, %row, %masks, %sizes = sparseconv.map_tiles %m : !map
  %again = sparseconv.map_from_tiles %tiles, %row, %masks, %sizes, %c to %c
      : tensor<2x?xi32>, tensor<?xi32>, tensor<?x1xi32>, tensor<3xindex>, !map
  %x = arith.constant dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf32>
  %w = arith.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>
  %y = sparseconv.conv %x, %w, %again : tensor<3x1xf32>, tensor<2x1x1xf32>, !map -> tensor<?x1xf32>
  return %y, %sizes : tensor<?x1xf32>, tensor<3xindex>
}
// 4 * 100; 4 * 10 + 2 * 100; nothing.
// CHECK:      result 'y'
// CHECK-NEXT:   [0] 400{{$}}
// CHECK-NEXT:   [1] 240{{$}}
// CHECK-NEXT:   [2] 0{{$}}
// CHECK:      result 'sizes'
// CHECK:      3{{.*}}3{{.*}}256
