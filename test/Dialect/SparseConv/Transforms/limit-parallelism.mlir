// RUN: sparseconv-opt %s --sparseconv-limit-parallelism --split-input-file | FileCheck %s
// RUN: sparseconv-opt %s --sparseconv-limit-parallelism=only-sink --split-input-file | FileCheck %s --check-prefix=SINK

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

// A sum over rows, as linalg lowers it: each thread takes channels and walks
// all rows.
// CHECK-LABEL: func @sum_over_rows
// CHECK: scf.parallel (%[[C:.*]]) =
// CHECK:   scf.for %[[R:.*]] =
// CHECK:     memref.load %{{.*}}[%[[R]], %[[C]]]
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[C]]]
func.func @sum_over_rows(%x: memref<?x8xf32>, %sum: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %r = %c0 to %n step %c1 {
    scf.parallel (%c) = (%c0) to (%c8) step (%c1) {
      %a = memref.load %x[%r, %c] : memref<?x8xf32>
      %s = memref.load %sum[%c] : memref<8xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%c] : memref<8xf32>
    }
  }
  return
}

// -----

// A parallel loop whose bound is the row stays inside the loop over rows.
// CHECK-LABEL: func @triangle
// CHECK: scf.for %[[R:.*]] =
// CHECK:   scf.parallel (%[[C:.*]]) = (%{{.*}}) to (%[[R]])
// CHECK:     memref.store %{{.*}}, %{{.*}}[%[[R]], %[[C]]]
// SINK-LABEL: func @triangle
// SINK: scf.for %[[R:.*]] =
// SINK:   scf.parallel (%{{.*}}) = (%{{.*}}) to (%[[R]])
func.func @triangle(%buffer: memref<?x?xf32>, %n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %r = %c0 to %n step %c1 {
    scf.parallel (%c) = (%c0) to (%r) step (%c1) {
      memref.store %v, %buffer[%r, %c] : memref<?x?xf32>
    }
  }
  return
}

// -----

// For a target that takes all parallel loops, only sequential ones move.
// SINK-LABEL: func @sink
// SINK: scf.parallel (%[[C:.*]], %[[D:.*]]) =
// SINK:   scf.for %[[R:.*]] =
// SINK:     memref.store %{{.*}}, %{{.*}}[%[[C]], %[[D]]]
func.func @sink(%x: memref<?x8x4xf32>, %sum: memref<8x4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  scf.for %r = %c0 to %n step %c1 {
    scf.parallel (%c, %d) = (%c0, %c0) to (%c8, %c4) step (%c1, %c1) {
      %a = memref.load %x[%r, %c, %d] : memref<?x8x4xf32>
      %s = memref.load %sum[%c, %d] : memref<8x4xf32>
      %t = arith.addf %s, %a : f32
      memref.store %t, %sum[%c, %d] : memref<8x4xf32>
    }
  }
  return
}
