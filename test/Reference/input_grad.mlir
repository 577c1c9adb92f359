// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// The gradient of a convolution by its input. The map is that of the set 0, 1, 3
// with itself and the offsets -1, 0, 1; its neighbour table is
//   row 0:  -1   0   1
//   row 1:   0   1  -1
//   row 2:  -1   2  -1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<?x2xf32> {sparseconv.name = "dx"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %d = arith.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %dy = sparseconv.gather %d, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %w = arith.constant dense<[[[1.0], [0.0]], [[0.0], [1.0]], [[1.0], [1.0]]]> : tensor<3x2x1xf32>
  %dx = sparseconv.input_grad %dy, %w, %map : tensor<?x1xf32>, tensor<3x2x1xf32>, !map -> tensor<?x2xf32>
  return %dx : tensor<?x2xf32>
}
// Each input row collects from the output rows that it went to. The slices of the
// weights are (1, 0), (0, 1) and (1, 1).
//   row 0: dy[0] * w[1] + dy[1] * w[0] = (0, 1) + (2, 0) = (2, 1)
//   row 1: dy[0] * w[2] + dy[1] * w[1] = (1, 1) + (0, 2) = (1, 3)
//   row 2: dy[2] * w[1] = (0, 3)
// CHECK:      result 'dx'
// CHECK-NEXT:   [0] 2, 1{{$}}
// CHECK-NEXT:   [1] 1, 3{{$}}
// CHECK-NEXT:   [2] 0, 3{{$}}
