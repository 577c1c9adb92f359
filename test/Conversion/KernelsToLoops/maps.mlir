// RUN: sparseconv-opt %s -convert-sparseconv-kernels-to-loops -canonicalize -split-input-file | FileCheck %s

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>

// Two columns of two displacements: (0, 0, *) and (0, 1, *), in the order of
// the last axis. The code has one column and one entry.

// CHECK-DAG:   memref.global "private" constant @[[$PACKED:.*]] : memref<4xi64> = dense<[-1, 0, 65536, 65537]>
// CHECK-DAG:   memref.global "private" constant @[[$NUMBERS:.*]] : memref<4xindex> = dense<[2, 0, 1, 3]>
// CHECK-LABEL: func.func @search
// CHECK-SAME:      (%[[IN:.*]]: memref<?xi64>, %[[OUT:.*]]: memref<?xi64>, %[[TABLE:.*]]: memref<?x4xi32>)
// CHECK-DAG:     %[[SENTINEL:.*]] = arith.constant -1 : i64
// CHECK-DAG:     memref.get_global @[[$NUMBERS]]
// CHECK-DAG:     memref.get_global @[[$PACKED]]
// CHECK:         %[[KEYS:.*]] = memref.alloc
// CHECK:         scf.parallel
// CHECK:         memref.store %[[SENTINEL]], %[[KEYS]]
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             scf.while
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             memref.load %[[OUT]][%[[ROW]]]
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK-NOT:             scf.if
// CHECK:                 memref.store %{{.*}}, %[[TABLE]][%[[ROW]],
// CHECK-NOT:             memref.store %{{.*}}, %[[TABLE]]
// CHECK:         memref.dealloc %[[KEYS]]
func.func @search(%in: memref<?xi64>, %out: memref<?xi64>,
                  %table: memref<?x4xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 1, 1>,
       packing = #pack, search = #sparseconv.search<zdelta>}
  return
}

// -----

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>

// Columns of different lengths have their bounds as data; a gap within one
// needs a walk for each entry.

// CHECK:         memref.global "private" constant @{{.*}} : memref<3xindex> = dense<[0, 2, 3]>
// CHECK-LABEL: func.func @search_list
// CHECK-SAME:      %[[TABLE:[^:]*]]: memref<?x3xi32>)
// CHECK:         scf.parallel
// CHECK:         scf.parallel
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             scf.for
// CHECK:               scf.for
// CHECK:                 scf.if
// CHECK:                   scf.while
// CHECK:                 memref.store %{{.*}}, %[[TABLE]]
func.func @search_list(%in: memref<?xi64>, %out: memref<?xi64>,
                       %table: memref<?x3xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%table : memref<?x3xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 5, 0, 1, 0>, packing = #pack, search = #sparseconv.search<zdelta>}
  return
}

// -----

// CHECK-LABEL: func.func @invert_table
// CHECK-SAME:      (%[[TABLE:.*]]: memref<?x27xi32>, %[[INVERSE:.*]]: memref<?x27xi32>)
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:         scf.parallel
// CHECK:           memref.store %[[NONE]], %[[INVERSE]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[TABLE]][%{{.*}}, %[[K:.*]]]
// CHECK:           scf.if
// CHECK:             memref.store %{{.*}}, %[[INVERSE]][%{{.*}}, %[[K]]]
func.func @invert_table(%table: memref<?x27xi32>,
                        %inverse: memref<?x27xi32>) {
  sparseconv.kernel.invert_table
      ins(%table : memref<?x27xi32>) outs(%inverse : memref<?x27xi32>)
  return
}

// -----

// The pairs of one offset of three.

// CHECK-LABEL: func.func @keep_offsets
// CHECK-SAME:      (%[[TABLE:.*]]: memref<?x3xi32>, %[[KEPT:.*]]: memref<?x3xi32>)
// CHECK-DAG:     %[[NONE:.*]] = arith.constant -1 : i32
// CHECK:         scf.parallel
// CHECK:           scf.for %[[ROW:.*]] =
// CHECK-NEXT:        memref.store %[[NONE]], %[[KEPT]][%[[ROW]], %c0]
// CHECK-NEXT:        %[[NEIGHBOUR:.*]] = memref.load %[[TABLE]][%[[ROW]], %c1]
// CHECK-NEXT:        memref.store %[[NEIGHBOUR]], %[[KEPT]][%[[ROW]], %c1]
// CHECK-NEXT:        memref.store %[[NONE]], %[[KEPT]][%[[ROW]], %c2]
func.func @keep_offsets(%table: memref<?x3xi32>, %kept: memref<?x3xi32>) {
  sparseconv.kernel.keep_offsets
      ins(%table : memref<?x3xi32>) outs(%kept : memref<?x3xi32>) {offsets = array<i64: 1>}
  return
}

// -----

// Count in parallel, add up, fill in parallel.

// CHECK-LABEL: func.func @pair_lists
// CHECK-SAME:      (%[[TABLE:.*]]: memref<?x27xi32>, %[[IN:.*]]: memref<?xi32>, %[[OUT:.*]]: memref<?xi32>, %[[SEGMENTS:.*]]: memref<?x28xi64>)
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}}, %[[SEGMENTS]]
// CHECK:           scf.reduce
// CHECK:         scf.for %[[BLOCK:[^ ]*]] =
// CHECK:           scf.for
// CHECK:             memref.store %{{.*}}, %[[SEGMENTS]][%[[BLOCK]],
// CHECK:           memref.store %{{.*}}, %[[SEGMENTS]][%[[BLOCK]],
// CHECK:         scf.parallel
// CHECK:           scf.while
// CHECK-DAG:         memref.store %{{.*}}, %[[IN]]
// CHECK-DAG:         memref.store %{{.*}}, %[[OUT]]
func.func @pair_lists(%table: memref<?x27xi32>, %in_rows: memref<?xi32>,
                      %out_rows: memref<?xi32>, %segments: memref<?x28xi64>) {
  sparseconv.kernel.pair_lists
      ins(%table : memref<?x27xi32>)
      outs(%in_rows, %out_rows, %segments
           : memref<?xi32>, memref<?xi32>, memref<?x28xi64>) {row_block = 512 : i64}
  return
}
