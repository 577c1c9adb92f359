// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Pooling over the map of the set 0, 1, 3 with itself and the offsets
// -1, 0, 1. Its neighbour table is
//   row 0:  -1   0   1
//   row 1:   0   1  -1
//   row 2:  -1   2  -1

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>
!map = !sparseconv.kernel_map<3, !set to !set>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "max"}, tensor<?x1xf32> {sparseconv.name = "sum"},
                      tensor<?x1xf32> {sparseconv.name = "avg"}, tensor<?x1xf32> {sparseconv.name = "by_volume"},
                      tensor<?x1xf32> {sparseconv.name = "empty"}) {
  %points = arith.constant dense<[[0, 0], [0, 1], [0, 3]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %map = sparseconv.kernel_map %c to %c offsets(box<3>) : !map
  %v = arith.constant dense<[[-1.0], [-5.0], [3.0]]> : tensor<3x1xf32>
  %x = sparseconv.gather %v, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %max = sparseconv.pool max %x, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  %sum = sparseconv.pool sum %x, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  %avg = sparseconv.pool avg %x, %map : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  %by_volume = sparseconv.pool avg %x, %map count(volume) : tensor<?x1xf32>, !map -> tensor<?x1xf32>

  %q = arith.constant dense<[[0, 0], [0, 9]]> : tensor<2x2xi32>
  %far, %order_q, %row_of_q = sparseconv.pack %q : tensor<2x2xi32> -> !set
  %to_far = sparseconv.kernel_map %c to %far offsets(box<3>) : !map
  %empty = sparseconv.pool max %x, %to_far : tensor<?x1xf32>, !map -> tensor<?x1xf32>
  return %max, %sum, %avg, %by_volume, %empty
      : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
// Rows 0 and 1 have the inputs -1 and -5, row 2 has 3. What is absent is no 0.
// CHECK:      result 'max'
// CHECK-NEXT:   [0] -1{{$}}
// CHECK-NEXT:   [1] -1{{$}}
// CHECK-NEXT:   [2] 3{{$}}
// CHECK:      result 'sum'
// CHECK-NEXT:   [0] -6{{$}}
// CHECK-NEXT:   [1] -6{{$}}
// CHECK-NEXT:   [2] 3{{$}}
// Divided by the inputs that are there,
// CHECK:      result 'avg'
// CHECK-NEXT:   [0] -3{{$}}
// CHECK-NEXT:   [1] -3{{$}}
// CHECK-NEXT:   [2] 3{{$}}
// or by the three offsets.
// CHECK:      result 'by_volume'
// CHECK-NEXT:   [0] -2{{$}}
// CHECK-NEXT:   [1] -2{{$}}
// CHECK-NEXT:   [2] 1{{$}}
// The output at 9 has no input: 0.
// CHECK:      result 'empty'
// CHECK-NEXT:   [0] -1{{$}}
// CHECK-NEXT:   [1] 0{{$}}
