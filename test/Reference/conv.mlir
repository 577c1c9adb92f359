// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=short --target=reference 2>&1 | FileCheck %s --check-prefix=SHORT

// Convolutions over the map of the set 0, 1, 3 with itself and the offsets
// -1, 0, 1. Its neighbour table is
//   row 0:  -1   0   1
//   row 1:   0   1  -1
//   row 2:  -1   2  -1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "plain"}, tensor<?x2xf32> {sparseconv.name = "groups"},
                      tensor<?x1xf16> {sparseconv.name = "rounded"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %f = sparseconv.gather %x, %order : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %w = arith.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]]]> : tensor<3x2x1xf32>
  %plain = sparseconv.conv %f, %w, %map : tensor<?x2xf32>, tensor<3x2x1xf32>, !map -> tensor<?x1xf32>

  %wg = arith.constant dense<[[[[1.0]], [[10.0]]], [[[2.0]], [[20.0]]], [[[3.0]], [[30.0]]]]> : tensor<3x2x1x1xf32>
  %groups = sparseconv.conv %f, %wg, %map : tensor<?x2xf32>, tensor<3x2x1x1xf32>, !map -> tensor<?x2xf32>

  %q = arith.constant dense<[[0, 0], [0, 1], [0, 2]]> : tensor<3x2xi32>
  %line, %order_q, %row_of_q = sparseconv.pack %q : tensor<3x2xi32> -> !set
  %line_map = sparseconv.kernel_map %line to %line offsets(box<3>) : !map
  %h = arith.constant dense<[[1.0], [2048.0], [1.0]]> : tensor<3x1xf16>
  %fh = sparseconv.gather %h, %order_q : tensor<3x1xf16>, tensor<?xi32> -> tensor<?x1xf16>
  %ones = arith.constant dense<1.0> : tensor<3x1x1xf16>
  %rounded = sparseconv.conv %fh, %ones, %line_map : tensor<?x1xf16>, tensor<3x1x1xf16>, !map -> tensor<?x1xf16>
  return %plain, %groups, %rounded : tensor<?x1xf32>, tensor<?x2xf32>, tensor<?x1xf16>
}
// The slices of the weights take the first channel, the second one, and the sum.
//   row 0: x[0] . w[1] + x[1] . w[2] = 2 + (3 + 4) = 9
//   row 1: x[0] . w[0] + x[1] . w[1] = 1 + 4 = 5
//   row 2: x[2] . w[1] = 6
// CHECK:      result 'plain'
// CHECK-NEXT:   [0] 9{{$}}
// CHECK-NEXT:   [1] 5{{$}}
// CHECK-NEXT:   [2] 6{{$}}
// Two groups of one channel do not see each other: their weights are 1, 2, 3 and
// 10, 20, 30.
//   row 0: 1 * 2 + 3 * 3 = 11,  2 * 20 + 4 * 30 = 160
//   row 1: 1 * 1 + 3 * 2 = 7,   2 * 10 + 4 * 20 = 100
//   row 2: 5 * 2 = 10,          6 * 20 = 120
// CHECK:      result 'groups'
// CHECK-NEXT:   [0] 11, 160{{$}}
// CHECK-NEXT:   [1] 7, 100{{$}}
// CHECK-NEXT:   [2] 10, 120{{$}}
// Between 2048 and 4096, f16 holds even numbers. 1 + 2048 = 2049 is rounded to
// 2048; the sum of all three is rounded once, and 2050 it is.
// CHECK:      result 'rounded'
// CHECK-NEXT:   [0] 2048{{$}}
// CHECK-NEXT:   [1] 2050{{$}}
// CHECK-NEXT:   [2] 2048{{$}}

func.func @short() -> tensor<?x1xf32> {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %x = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %f = tensor.cast %x : tensor<2x2xf32> to tensor<?x2xf32>
  %w = arith.constant dense<1.0> : tensor<3x2x1xf32>
  %y = sparseconv.conv %f, %w, %map : tensor<?x2xf32>, tensor<3x2x1xf32>, !map -> tensor<?x1xf32>
  return %y : tensor<?x1xf32>
}
// SHORT: sparseconv.conv: 'x' has 2 rows, but the in set of the map has 3
