// RUN: sparseconv-opt %s --sparseconv-limit-parallelism --split-input-file | FileCheck %s

// Of two dimensions the first stays parallel.
// CHECK-LABEL: func @two_dimensions
// CHECK: scf.parallel (%[[I:.*]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// CHECK:   scf.for %[[J:.*]] =
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
func.func @two_dimensions(%buffer: memref<?x8xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%n, %c8) step (%c1, %c1) {
    memref.store %v, %buffer[%i, %j] : memref<?x8xf32>
  }
  return
}

// -----

// An inner parallel loop becomes sequential.
// CHECK-LABEL: func @nested
// CHECK: scf.parallel
// CHECK:   scf.for
// CHECK-NOT: scf.parallel
func.func @nested(%buffer: memref<?x8xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.parallel (%i) = (%c0) to (%n) step (%c1) {
    scf.parallel (%j) = (%c0) to (%c8) step (%c1) {
      memref.store %v, %buffer[%i, %j] : memref<?x8xf32>
    }
  }
  return
}

// -----

// What a sequential loop carries from one iteration to the next may be of another
// iteration of the parallel loop in it, so that one stays inside.
// CHECK-LABEL: func @carried
// CHECK: scf.for %[[R:.*]] =
// CHECK:   scf.parallel (%[[C:.*]]) =
// CHECK:     memref.load
// CHECK:     memref.store
func.func @carried(%x: memref<?x8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  scf.for %r = %c1 to %n step %c1 {
    scf.parallel (%c) = (%c0) to (%c8) step (%c1) {
      %before = arith.subi %r, %c1 : index
      %other = arith.subi %c7, %c : index
      %a = memref.load %x[%before, %other] : memref<?x8xf32>
      memref.store %a, %x[%r, %c] : memref<?x8xf32>
    }
  }
  return
}
