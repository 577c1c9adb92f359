// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// A map from a table: one row for each output row, one column for each offset.
// Sums over it are those of a convolution: y[r] = sum over k of x[table[r, k]] * w[k].

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<2, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "y"}) {
  %points = arith.constant dense<[[0, 0], [0, 10], [0, 20]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %table = arith.constant dense<[[-1, 2], [2, 1], [-1, -1]]> : tensor<3x2xi32>
  %m = sparseconv.map_from_table %table, %c to %c : tensor<3x2xi32>, !map
  %x = arith.constant dense<[[1.0], [2.0], [4.0]]> : tensor<3x1xf32>
  %w = arith.constant dense<[[[10.0]], [[100.0]]]> : tensor<2x1x1xf32>
  %y = sparseconv.conv %x, %w, %m : tensor<3x1xf32>, tensor<2x1x1xf32>, !map -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
// 4 * 100; 4 * 10 + 2 * 100; nothing.
// CHECK:      result 'y'
// CHECK-NEXT:   [0] 400{{$}}
// CHECK-NEXT:   [1] 240{{$}}
// CHECK-NEXT:   [2] 0{{$}}
