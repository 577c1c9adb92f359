// RUN: sparseconv-opt %s --sparseconv-guard-accesses --canonicalize --split-input-file | FileCheck %s

// An index is compared with the size of its axis. Where it is outside, the status
// record gets code 12, the operation, the axis, the index and the size, and the call
// is left.
// CHECK:       func.func private @sparseconv_cpu_leave()
// CHECK-LABEL: func.func @element(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[I:.*]]: index, %[[STATUS:.*]]: memref<8xi64>
// CHECK-DAG:     %[[C7:.*]] = arith.constant 7 : i64
// CHECK-DAG:     %[[C12:.*]] = arith.constant 12 : i64
// CHECK:         %[[SIZE:.*]] = tensor.dim %[[X]]
// CHECK:         %[[OUTSIDE:.*]] = arith.cmpi uge, %[[I]], %[[SIZE]]
// CHECK:         scf.if %[[OUTSIDE]] {
// CHECK:           memref.store %[[C12]], %[[STATUS]]
// CHECK:           memref.store %[[C7]], %[[STATUS]]
// CHECK:           call @sparseconv_cpu_leave()
// CHECK-NOT:     scf.if
// CHECK:         tensor.extract %[[X]][%[[I]], %{{.*}}]
func.func @element(%x: tensor<?x4xf32>, %i: index, %status: memref<8xi64>) -> f32 {
  %c2 = arith.constant 2 : index
  %0 = tensor.extract %x[%i, %c2] {sparseconv.op_id = 7 : i64} : tensor<?x4xf32>
  return %0 : f32
}

// -----

// A slice of all rows needs no check, nor does an operation of the lowering.
// CHECK-LABEL: func.func @inside(
// CHECK-NOT:     scf.if
// CHECK-NOT:     @sparseconv_cpu_leave
// CHECK:         return
func.func @inside(%x: tensor<?x4xf32>, %i: index, %status: memref<8xi64>) -> (tensor<?x2xf32>, f32) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : tensor<?x4xf32>
  %0 = tensor.extract_slice %x[0, 2] [%n, 2] [1, 1] {sparseconv.op_id = 0 : i64}
      : tensor<?x4xf32> to tensor<?x2xf32>
  %1 = tensor.extract %x[%i, %c0] : tensor<?x4xf32>
  return %0, %1 : tensor<?x2xf32>, f32
}

// -----

// The last element of a slice is found with 128 bits.
// CHECK-LABEL: func.func @slice(
// CHECK-SAME:    %[[X:.*]]: tensor<?xf32>, %[[N:[^:]*]]: index
// CHECK:         arith.cmpi slt, %[[N]], %{{.*}} : index
// CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[N]]
// CHECK:         scf.if %[[SOME]] {
// CHECK:           arith.muli %{{.*}} : i128
// CHECK:           arith.cmpi uge, %{{.*}} : i128
// CHECK:         tensor.extract_slice
func.func @slice(%x: tensor<?xf32>, %n: index, %status: memref<8xi64>) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[3] [%n] [5] {sparseconv.op_id = 0 : i64} : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}
