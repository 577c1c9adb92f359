// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Gradients of pooling over the map of the set 0, 1, 3 with itself and the offsets
// -1, 0, 1. Its neighbour table is
//   row 0:  -1   0   1
//   row 1:   0   1  -1
//   row 2:  -1   2  -1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "max"}, tensor<?x1xf32> {sparseconv.name = "tie"},
                      tensor<?x1xf32> {sparseconv.name = "sum"}, tensor<?x1xf32> {sparseconv.name = "avg"},
                      tensor<?x1xf32> {sparseconv.name = "by_volume"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %v = arith.constant dense<[[1.0], [5.0], [3.0]]> : tensor<3x1xf32>
  %x = sparseconv.gather %v, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %sevens = arith.constant dense<7.0> : tensor<3x1xf32>
  %equal = sparseconv.gather %sevens, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %d = arith.constant dense<[[3.0], [6.0], [12.0]]> : tensor<3x1xf32>
  %dy = sparseconv.gather %d, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %max = sparseconv.pool_grad max %dy, %map of %x : tensor<?x1xf32>, !map, tensor<?x1xf32> -> tensor<?x1xf32>
  %tie = sparseconv.pool_grad max %dy, %map of %equal : tensor<?x1xf32>, !map, tensor<?x1xf32> -> tensor<?x1xf32>
  %sum = sparseconv.pool_grad sum %dy, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  %avg = sparseconv.pool_grad avg %dy, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  %by_volume = sparseconv.pool_grad avg %dy, %map count(volume) : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  return %max, %tie, %sum, %avg, %by_volume
      : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
// The output rows 0 and 1 took the 5 of input row 1, row 2 took row 2: 3 + 6 go to
// row 1 and 12 to row 2.
// CHECK:      result 'max'
// CHECK-NEXT:   [0] 0{{$}}
// CHECK-NEXT:   [1] 9{{$}}
// CHECK-NEXT:   [2] 12{{$}}
// Among equals the lowest offset wins: that is row 0 for the first two rows.
// CHECK:      result 'tie'
// CHECK-NEXT:   [0] 9{{$}}
// CHECK-NEXT:   [1] 0{{$}}
// CHECK-NEXT:   [2] 12{{$}}
// The first two output rows send to both of their inputs: 3 + 6.
// CHECK:      result 'sum'
// CHECK-NEXT:   [0] 9{{$}}
// CHECK-NEXT:   [1] 9{{$}}
// CHECK-NEXT:   [2] 12{{$}}
// Halves, 3 / 2 + 6 / 2, or thirds, 3 / 3 + 6 / 3 and 12 / 3.
// CHECK:      result 'avg'
// CHECK-NEXT:   [0] 4.5{{$}}
// CHECK-NEXT:   [1] 4.5{{$}}
// CHECK-NEXT:   [2] 12{{$}}
// CHECK:      result 'by_volume'
// CHECK-NEXT:   [0] 3{{$}}
// CHECK-NEXT:   [1] 3{{$}}
// CHECK-NEXT:   [2] 4{{$}}
