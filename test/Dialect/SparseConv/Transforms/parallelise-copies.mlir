// RUN: sparseconv-opt %s --sparseconv-parallelise-copies | FileCheck %s

// A concatenation of channels writes into columns of its result.
// CHECK-LABEL: func @columns
// CHECK-SAME: (%[[X:.*]]: memref<?x4xf32>, %[[Y:.*]]: memref<?x4xf32, strided<[12, 1], offset: 8>>)
// CHECK: linalg.copy ins(%[[X]] : {{.*}}) outs(%[[Y]] : {{.*}})
// CHECK-NOT: memref.copy
func.func @columns(%x: memref<?x4xf32>, %y: memref<?x4xf32, strided<[12, 1], offset: 8>>) {
  memref.copy %x, %y : memref<?x4xf32> to memref<?x4xf32, strided<[12, 1], offset: 8>>
  return
}
