// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The gradient of a convolution by its weights. The map is that of the set 0, 1, 3
// with itself and the offsets -1, 0, 1; its neighbour table is
//   row 0:  -1   0   1
//   row 1:   0   1  -1
//   row 2:  -1   2  -1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<3x2x1xf32> {sparseconv.name = "dw"}, tensor<3x2x1x1xf32> {sparseconv.name = "groups"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %v = arith.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %x = sparseconv.gather %v, %order : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %d = arith.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %dy = sparseconv.gather %d, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %dw = sparseconv.weight_grad %x, %dy, %map : tensor<?x2xf32>, tensor<?x1xf32>, !map -> tensor<3x2x1xf32>

  %d2 = arith.constant dense<[[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]> : tensor<3x2xf32>
  %dy2 = sparseconv.gather %d2, %order : tensor<3x2xf32>, tensor<?xi32> -> tensor<?x2xf32>
  %groups = sparseconv.weight_grad %x, %dy2, %map groups(2)
      : tensor<?x2xf32>, tensor<?x2xf32>, !map -> tensor<3x2x1x1xf32>
  return %dw, %groups : tensor<3x2x1xf32>, tensor<3x2x1x1xf32>
}
// Each slice adds up the pairs (in, out) of its offset.
//   slice 0: x[0] * dy[1] = (1, 2) * 2 = (2, 4)
//   slice 1: x[0] * dy[0] + x[1] * dy[1] + x[2] * dy[2]
//            = (1 + 6 + 15, 2 + 8 + 18) = (22, 28)
//   slice 2: x[1] * dy[0] = (3, 4)
// CHECK:      result 'dw'
// CHECK-NEXT:   [0, 0] 2{{$}}
// CHECK-NEXT:   [0, 1] 4{{$}}
// CHECK-NEXT:   [1, 0] 22{{$}}
// CHECK-NEXT:   [1, 1] 28{{$}}
// CHECK-NEXT:   [2, 0] 3{{$}}
// CHECK-NEXT:   [2, 1] 4{{$}}
// The second group has the second channel of both: 2 * 20, then
// 2 * 10 + 4 * 20 + 6 * 30, then 4 * 10.
// CHECK:      result 'groups'
// CHECK-NEXT:   [0, 0, 0] 2{{$}}
// CHECK-NEXT:   [0, 1, 0] 40{{$}}
// CHECK-NEXT:   [1, 0, 0] 22{{$}}
// CHECK-NEXT:   [1, 1, 0] 280{{$}}
// CHECK-NEXT:   [2, 0, 0] 3{{$}}
// CHECK-NEXT:   [2, 1, 0] 40{{$}}
