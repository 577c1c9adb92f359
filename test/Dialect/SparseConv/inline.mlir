// RUN: sparseconv-opt %s --inline | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

func.func private @pack(%points: tensor<?x4xi32>) -> !set {
  %set, %order, %row_of = sparseconv.pack %points : tensor<?x4xi32> -> !set
  return %set : !set
}

// Operations of the dialect move into a caller, sets with them.

// CHECK-LABEL: func.func @size
// CHECK-NOT:   call
// CHECK:       %[[SET:.*]], %{{.*}}, %{{.*}} = sparseconv.pack
// CHECK:       sparseconv.size %[[SET]]
func.func @size(%points: tensor<?x4xi32>) -> index {
  %set = call @pack(%points) : (tensor<?x4xi32>) -> !set
  %size = sparseconv.size %set : !set
  return %size : index
}
