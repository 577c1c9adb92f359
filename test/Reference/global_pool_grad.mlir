// RUN: sparseconv-run %s --target=reference --print | FileCheck %s

// Of three batch items, item 0 has the values -1 and -4, item 1 is empty, and item
// 2 has 7.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<?x1xf32> {sparseconv.name = "max"}, tensor<?x1xf32> {sparseconv.name = "sum"},
                      tensor<?x1xf32> {sparseconv.name = "avg"}) {
  %points = arith.constant dense<[[0, 0], [0, 5], [2, 1]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %v = arith.constant dense<[[-1.0], [-4.0], [7.0]]> : tensor<3x1xf32>
  %x = sparseconv.gather %v, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %dy = arith.constant dense<[[1.0], [2.0], [3.0]]> : tensor<3x1xf32>
  %max = sparseconv.global_pool_grad max %dy, %c of %x
      : tensor<3x1xf32>, !set, tensor<?x1xf32> -> tensor<?x1xf32>
  %sum = sparseconv.global_pool_grad sum %dy, %c : tensor<3x1xf32>, !set -> tensor<?x1xf32>
  %avg = sparseconv.global_pool_grad avg %dy, %c : tensor<3x1xf32>, !set -> tensor<?x1xf32>
  return %max, %sum, %avg : tensor<?x1xf32>, tensor<?x1xf32>, tensor<?x1xf32>
}
// The maximum of item 0 is in row 0.
// CHECK:      result 'max'
// CHECK-NEXT:   [0] 1{{$}}
// CHECK-NEXT:   [1] 0{{$}}
// CHECK-NEXT:   [2] 3{{$}}
// CHECK:      result 'sum'
// CHECK-NEXT:   [0] 1{{$}}
// CHECK-NEXT:   [1] 1{{$}}
// CHECK-NEXT:   [2] 3{{$}}
// CHECK:      result 'avg'
// CHECK-NEXT:   [0] 0.5{{$}}
// CHECK-NEXT:   [1] 0.5{{$}}
// CHECK-NEXT:   [2] 3{{$}}
