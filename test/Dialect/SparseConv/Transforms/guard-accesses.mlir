// RUN: sparseconv-opt %s --sparseconv-guard-accesses --canonicalize --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-guard-accesses --sparseconv-guard-accesses --split-input-file -o %t

// An index is compared with the size of its axis. Where it is outside, the status
// record gets code 12, the operation, the axis, the index and the size, and the call
// is left.
// CHECK:       func.func private @sparseconv_cpu_leave()
// CHECK-LABEL: func.func @element(
// CHECK-SAME:    %[[X:.*]]: tensor<?x4xf32>, %[[I:.*]]: index, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status}
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
func.func @element(%x: tensor<?x4xf32>, %i: index, %status: memref<8xi64> {sparseconv.status}) -> f32 {
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
func.func @inside(%x: tensor<?x4xf32>, %i: index, %status: memref<8xi64> {sparseconv.status}) -> (tensor<?x2xf32>, f32) {
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
func.func @slice(%x: tensor<?xf32>, %n: index, %status: memref<8xi64> {sparseconv.status}) -> tensor<?xf32> {
  %0 = tensor.extract_slice %x[3] [%n] [5] {sparseconv.op_id = 0 : i64} : tensor<?xf32> to tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

// A divisor that is zero is an error. What then goes on, for a loop over elements
// cannot be left, divides by one; by -1 it negates.
// CHECK-LABEL: func.func @remainders(
// CHECK-SAME:    %{{.*}}: tensor<4xi32>, %[[N:[^:]*]]: i32, %[[STATUS:.*]]: memref<8xi64> {sparseconv.status}
// CHECK-DAG:     %[[C0:.*]] = arith.constant 0 : i32
// CHECK-DAG:     %[[C1:.*]] = arith.constant 1 : i32
// CHECK-DAG:     %[[LESS:.*]] = arith.constant -1 : i32
// CHECK:         %[[ZERO:.*]] = arith.cmpi eq, %[[N]], %[[C0]]
// CHECK:         scf.if %[[ZERO]] {
// CHECK:           memref.store %{{.*}}, %[[STATUS]]
// CHECK:           call @sparseconv_cpu_leave()
// CHECK:         %[[NEGATES:.*]] = arith.cmpi eq, %[[N]], %[[LESS]]
// CHECK:         %[[EITHER:.*]] = arith.ori %[[ZERO]], %[[NEGATES]]
// CHECK:         %[[SAFE:.*]] = arith.select %[[EITHER]], %[[C1]], %[[N]]
// CHECK:         %[[Q:.*]] = arith.divsi %{{.*}}, %[[SAFE]]
// CHECK:         %[[NEGATED:.*]] = arith.subi %[[C0]], %[[Q]]
// CHECK:         arith.select %[[NEGATES]], %[[NEGATED]], %[[Q]]
// CHECK:         linalg.generic
// CHECK:         ^bb0(%[[A:[^:]*]]: i32,
// CHECK:           %[[NONE:.*]] = arith.cmpi eq, %[[A]], %[[C0]]
// CHECK:           scf.if %[[NONE]] {
// CHECK:             memref.store %{{.*}}, %[[STATUS]]
// CHECK-NOT:       call
// CHECK:           %[[DIVISOR:.*]] = arith.select %[[NONE]], %[[C1]], %[[A]]
// CHECK:           arith.remui %{{.*}}, %[[DIVISOR]]
func.func @remainders(%x: tensor<4xi32>, %n: i32, %status: memref<8xi64> {sparseconv.status}) -> tensor<4xi32> {
  %c7 = arith.constant 7 : i32
  %q = arith.divsi %c7, %n {sparseconv.op_id = 1 : i64} : i32
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%x : tensor<4xi32>) outs(%x : tensor<4xi32>) {
    ^bb0(%a: i32, %b: i32):
      %r = arith.remui %q, %a {sparseconv.op_id = 2 : i64} : i32
      linalg.yield %r : i32
  } -> tensor<4xi32>
  return %y : tensor<4xi32>
}
