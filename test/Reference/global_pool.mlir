// RUN: sparseconv-run %s --target=reference --print | FileCheck %s
// RUN: not sparseconv-run %s --entry=few --target=reference 2>&1 | FileCheck %s --check-prefix=FEW

// Of four batch items, item 0 has the values -1 and -4, item 2 has 7, and two are
// empty.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20], guard = [4]>
!set = !sparseconv.coords<1, stride = [1], #packing>

func.func @main() -> (tensor<4x1xf32> {sparseconv.name = "max"}, tensor<4x1xf32> {sparseconv.name = "sum"},
                      tensor<4x1xf32> {sparseconv.name = "avg"}) {
  %points = arith.constant dense<[[0, 0], [0, 5], [2, 1]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %v = arith.constant dense<[[-1.0], [-4.0], [7.0]]> : tensor<3x1xf32>
  %x = sparseconv.gather %v, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %max = sparseconv.global_pool max %x, %c : tensor<?x1xf32>, !set -> tensor<4x1xf32>
  %sum = sparseconv.global_pool sum %x, %c : tensor<?x1xf32>, !set -> tensor<4x1xf32>
  %avg = sparseconv.global_pool avg %x, %c : tensor<?x1xf32>, !set -> tensor<4x1xf32>
  return %max, %sum, %avg : tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
}
// CHECK:      result 'max'
// CHECK-NEXT:   [0] -1{{$}}
// CHECK-NEXT:   [1] 0{{$}}
// CHECK-NEXT:   [2] 7{{$}}
// CHECK-NEXT:   [3] 0{{$}}
// CHECK:      result 'sum'
// CHECK-NEXT:   [0] -5{{$}}
// CHECK-NEXT:   [1] 0{{$}}
// CHECK-NEXT:   [2] 7{{$}}
// CHECK-NEXT:   [3] 0{{$}}
// CHECK:      result 'avg'
// CHECK-NEXT:   [0] -2.5{{$}}
// CHECK-NEXT:   [1] 0{{$}}
// CHECK-NEXT:   [2] 7{{$}}
// CHECK-NEXT:   [3] 0{{$}}

func.func @few() -> tensor<2x1xf32> {
  %points = arith.constant dense<[[0, 0], [0, 5], [2, 1]]> : tensor<3x2xi32>
  %c, %order, %row_of = sparseconv.pack %points : tensor<3x2xi32> -> !set
  %v = arith.constant dense<[[-1.0], [-4.0], [7.0]]> : tensor<3x1xf32>
  %x = sparseconv.gather %v, %order : tensor<3x1xf32>, tensor<?xi32> -> tensor<?x1xf32>
  %y = sparseconv.global_pool max %x, %c : tensor<?x1xf32>, !set -> tensor<2x1xf32>
  return %y : tensor<2x1xf32>
}
// FEW: sparseconv.global_pool: row 2: batch index 2 is not below the number of items, 2{{$}}
