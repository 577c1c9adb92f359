// RUN: sparseconv-opt %s -convert-sparseconv-kernels-to-loops -canonicalize -split-input-file | FileCheck %s

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!fine = !sparseconv.coords<3, stride = [1, 1, 1], #pack>

// The limit on rows, a parallel pass that writes keys and finds the first
// failing row of each block, their minimum, and the report of that row.

// CHECK-LABEL: func.func @encode
// CHECK-SAME:      (%[[POINTS:.*]]: memref<?x4xi32>, %[[STATUS:.*]]: memref<8xi64>, %[[KEYS:.*]]: memref<?xi64>, %[[COUNT:.*]]: memref<1xindex>)
// CHECK-DAG:     %[[LIMIT:.*]] = arith.constant 2147483646 : index
// CHECK-DAG:     %[[N:.*]] = memref.dim %[[POINTS]]
// CHECK:         %[[MANY:.*]] = arith.cmpi sgt, %[[N]], %[[LIMIT]]
// CHECK:         scf.if %[[MANY]]
// CHECK:         } else {
// CHECK:           %[[FIRSTS:.*]] = memref.alloc
// CHECK:           scf.parallel (%[[BLOCK:.*]]) =
// CHECK:             %[[FIRST:.*]] = scf.for %[[ROW:[^ ]*]] = {{.*}} iter_args
// CHECK-COUNT-4:       memref.load %[[POINTS]][%[[ROW]],
// CHECK:               memref.store %{{.*}}, %[[KEYS]][%[[ROW]]]
// CHECK:               arith.minsi
// CHECK:             memref.store %[[FIRST]], %[[FIRSTS]][%[[BLOCK]]]
// CHECK:           %[[FAILING:.*]] = scf.for
// CHECK:             arith.minsi
// CHECK:           memref.dealloc %[[FIRSTS]]
// CHECK:           %[[HOLDS:.*]] = arith.cmpi eq, %[[FAILING]], %[[N]]
// CHECK:           %[[ROWS:.*]] = arith.select %[[HOLDS]], %[[N]], %{{.*}}
// CHECK:           memref.store %[[ROWS]], %[[COUNT]]
// CHECK:           memref.load %[[POINTS]][%[[FAILING]],
func.func @encode(%points: memref<?x4xi32>, %status: memref<8xi64>,
                  %keys: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.encode
      ins(%points, %status : memref<?x4xi32>, memref<8xi64>)
      outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {set = !fine, op_id = 2 : i64}
  return
}

// CHECK-LABEL: func.func @decode
// CHECK-SAME:      (%[[KEYS:.*]]: memref<?xi64>, %[[POINTS:.*]]: memref<?x4xi32>)
// CHECK:         scf.parallel
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             memref.load %[[KEYS]][%[[ROW]]]
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[POINTS]][%[[ROW]],
func.func @decode(%keys: memref<?xi64>, %points: memref<?x4xi32>) {
  sparseconv.kernel.decode ins(%keys : memref<?xi64>)
      outs(%points : memref<?x4xi32>) {set = !fine}
  return
}

// -----

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!coarse = !sparseconv.coords<3, stride = [2, 4, 8], #pack>

// Powers of two that divide the lowest coordinate: one mask, nothing can fail.

// CHECK-LABEL: func.func @floor_by_mask
// CHECK:         %[[MASK:.*]] = arith.constant -68719673352 : i64
// CHECK-NOT:     arith.floordivsi
// CHECK:         %[[KEY:.*]] = memref.load
// CHECK-NEXT:    %[[MASKED:.*]] = arith.andi %[[KEY]], %[[MASK]]
// CHECK-NEXT:    memref.store %[[MASKED]]
func.func @floor_by_mask(%keys: memref<?xi64>, %status: memref<8xi64>,
                         %floored: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.floor ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%floored, %count : memref<?xi64>, memref<1xindex>)
      {set = !coarse, op_id = 2 : i64}
  return
}

// -----

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!third = !sparseconv.coords<3, stride = [1, 1, 3], #pack>

// CHECK-LABEL: func.func @floor_by_division
// CHECK:         scf.parallel
// CHECK:           arith.floordivsi %{{.*}}, %{{.*}} : i64
// CHECK-NOT:       arith.floordivsi
// CHECK:         memref.dealloc
func.func @floor_by_division(%keys: memref<?xi64>, %status: memref<8xi64>,
                             %floored: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.floor ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%floored, %count : memref<?xi64>, memref<1xindex>)
      {set = !third, op_id = 2 : i64}
  return
}

// -----

#pack = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!half = !sparseconv.coords<3, stride = [2, 1, 1], #pack>

// Displacements are data, not code. One pass counts by block, a prefix sum
// gives each block its place, one pass writes.

// CHECK-DAG:   memref.global "private" constant @[[$FLAT:.*]] : memref<6xi64> = dense<[0, 0, 1, -1, 0, 0]>
// CHECK-DAG:   memref.global "private" constant @[[$PACKED:.*]] : memref<2xi64> = dense<[1, -68719476736]>
// CHECK-LABEL: func.func @spread
// CHECK-SAME:      (%[[KEYS:.*]]: memref<?xi64>, %{{.*}}: memref<8xi64>, %[[CANDIDATES:.*]]: memref<?xi64>,
// CHECK-DAG:     memref.get_global @[[$FLAT]]
// CHECK-DAG:     memref.get_global @[[$PACKED]]
// CHECK:         %[[COUNTS:.*]] = memref.alloc
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]
// CHECK:         scf.for
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]
// CHECK:         scf.if
// CHECK:           scf.parallel
// CHECK:             memref.load %[[COUNTS]]
// CHECK:             memref.store %{{.*}}, %[[CANDIDATES]]
// CHECK:         memref.dealloc %[[COUNTS]]
func.func @spread(%keys: memref<?xi64>, %status: memref<8xi64>,
                  %candidates: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.spread ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%candidates, %count : memref<?xi64>, memref<1xindex>)
      {set = !half, op_id = 2 : i64,
       displacements = array<i64: 0, 0, 1, -1, 0, 0>}
  return
}
