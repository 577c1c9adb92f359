// RUN: sparseconv-opt %s --sparseconv-convert-elementwise | FileCheck %s

// Arithmetic and functions on tensors are linalg operations, one after the other.

// CHECK-LABEL: func.func @functions(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[Y:.*]]: tensor<?x4xf32>)
// CHECK:         %[[ERF:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[X]] : tensor<?x4xf32>)
// CHECK:           math.erf %{{.*}} : f32
// CHECK:         %[[SUM:.*]] = linalg.generic
// CHECK-SAME:      ins(%[[ERF]], %[[Y]] : tensor<?x4xf32>, tensor<?x4xf32>)
// CHECK:           arith.addf %{{.*}}, %{{.*}} : f32
// CHECK:         return %[[SUM]]
func.func @functions(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = math.erf %x : tensor<?x4xf32>
  %1 = arith.addf %0, %y : tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// A choice between whole tensors stays one, since their sizes may differ; that of
// each element does not.

// CHECK-LABEL: func.func @choices(
// CHECK:         arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<?xf32>
// CHECK:         linalg.generic
// CHECK:           arith.select %{{.*}}, %{{.*}}, %{{.*}} : f32
func.func @choices(%one: i1, %all: tensor<?xi1>, %x: tensor<?xf32>, %y: tensor<?xf32>)
    -> (tensor<?xf32>, tensor<?xf32>) {
  %0 = arith.select %one, %x, %y : tensor<?xf32>
  %1 = arith.select %all, %x, %y : tensor<?xi1>, tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// Numbers are left alone.

// CHECK-LABEL: func.func @numbers(
// CHECK-NEXT:    math.erf %{{.*}} : f32
func.func @numbers(%x: f32) -> f32 {
  %0 = math.erf %x : f32
  return %0 : f32
}
