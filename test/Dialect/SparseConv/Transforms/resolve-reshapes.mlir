// RUN: sparseconv-opt %s --sparseconv-resolve-reshapes --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @collapsed(
// CHECK-SAME:  %[[X:[^:]*]]: memref<?x3x?xf32>)
// CHECK-DAG:   %[[N:.*]] = memref.dim %[[X]], %c0
// CHECK-DAG:   %[[M:.*]] = memref.dim %[[X]], %c2
// CHECK-DAG:   %[[ROWS:.*]] = arith.muli %[[N]], %c3
// CHECK:       %[[ALL:.*]] = arith.muli %[[ROWS]], %[[M]]
// CHECK-NOT:   memref.dim
// CHECK:       return %[[ROWS2:.*]], %[[M2:.*]], %[[ALL]]
func.func @collapsed(%x: memref<?x3x?xf32>) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.collapse_shape %x [[0, 1], [2]] : memref<?x3x?xf32> into memref<?x?xf32>
  %b = memref.collapse_shape %a [[0, 1]] : memref<?x?xf32> into memref<?xf32>
  %0 = memref.dim %a, %c0 : memref<?x?xf32>
  %1 = memref.dim %a, %c1 : memref<?x?xf32>
  %2 = memref.dim %b, %c0 : memref<?xf32>
  return %0, %1, %2 : index, index, index
}

// An expanded buffer has the sizes that it was given.
// CHECK-LABEL: func.func @expanded(
// CHECK-SAME:  %[[X:[^:]*]]: memref<?xf32>, %[[N:[^:]*]]: index)
// CHECK-DAG:   %[[C4:.*]] = arith.constant 4 : index
// CHECK-DAG:   %[[ALL:.*]] = arith.muli %[[N]], %[[C4]]
// CHECK-NOT:   memref.dim
// CHECK:       return %[[N]], %[[C4]], %[[ALL]]
func.func @expanded(%x: memref<?xf32>, %n: index) -> (index, index, index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.expand_shape %x [[0, 1]] output_shape [%n, 4] : memref<?xf32> into memref<?x4xf32>
  %b = memref.collapse_shape %a [[0, 1]] : memref<?x4xf32> into memref<?xf32>
  %0 = memref.dim %a, %c0 : memref<?x4xf32>
  %1 = memref.dim %a, %c1 : memref<?x4xf32>
  %2 = memref.dim %b, %c0 : memref<?xf32>
  return %0, %1, %2 : index, index, index
}

// The number of a dimension that is not known stays a question.
// CHECK-LABEL: func.func @any(
// CHECK:       memref.dim %{{.*}}, %{{.*}} : memref<?xf32>
func.func @any(%x: memref<?x3xf32>, %axis: index) -> index {
  %a = memref.collapse_shape %x [[0, 1]] : memref<?x3xf32> into memref<?xf32>
  %0 = memref.dim %a, %axis : memref<?xf32>
  return %0 : index
}

// So does that of a dimension that is not there.
// CHECK-LABEL: func.func @outside(
// CHECK:       %[[C1:.*]] = arith.constant 1 : index
// CHECK:       memref.dim %{{.*}}, %[[C1]] : memref<?xf32>
func.func @outside(%x: memref<?x3xf32>) -> index {
  %c1 = arith.constant 1 : index
  %a = memref.collapse_shape %x [[0, 1]] : memref<?x3xf32> into memref<?xf32>
  %0 = memref.dim %a, %c1 : memref<?xf32>
  return %0 : index
}
