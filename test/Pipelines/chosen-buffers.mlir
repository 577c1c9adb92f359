// RUN: sparseconv-opt %s --sparseconv-lower-to-buffers | FileCheck %s

// A choice between two tensors is one of two buffers, which is read afterwards: neither goes
// back to the pool before that.

// CHECK-LABEL: func.func @choose(
// CHECK:         %[[CHOSEN:.*]] = arith.select %{{.*}}, %[[SUM:.*]], %[[SQUARE:.*]] : memref<16x4xf32>
// CHECK-NOT:     memref.dealloc
// CHECK:         sparseconv.kernel.scatter_rows ins(%[[CHOSEN]],
// CHECK-DAG:     memref.dealloc %[[SUM]] :
// CHECK-DAG:     memref.dealloc %[[SQUARE]] :
// CHECK:         return
func.func @choose(%if: i1, %x: tensor<16x4xf32>, %rows: tensor<16xi32>, %n: index) -> tensor<?x4xf32> {
  %sum = arith.addf %x, %x : tensor<16x4xf32>
  %square = arith.mulf %x, %x : tensor<16x4xf32>
  %chosen = arith.select %if, %sum, %square : tensor<16x4xf32>
  %z = sparseconv.scatter %chosen, %rows into %n : tensor<16x4xf32>, tensor<16xi32> -> tensor<?x4xf32>
  return %z : tensor<?x4xf32>
}
