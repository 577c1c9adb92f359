// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// A binary search among all keys for every entry of the table.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// One thread searches for each output row. Displacements are data: each step of
// the loop searches for four of them side by side, and the last ones may come
// again. The entries go through shared memory to the table.

// CHECK:         memref.global "private" constant @[[$DATA:.*]] : memref<5xi64> = dense<[0, 1, 65536, 68719476736, -68719476734]>
// CHECK-LABEL: func.func @table(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x5xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[IN]]
// CHECK:         %[[ADDED:.*]] = memref.get_global @[[$DATA]]
// CHECK:         gpu.launch {{.*}} workgroup(%[[STAGE:[^ ]*]] : memref<1280xi32
// CHECK:           %[[KEY:.*]] = memref.load %[[OUT]]
// CHECK:           scf.for %[[FIRST:.*]] = %c0 to %c5 step %c4
// CHECK-COUNT-4:     memref.load %[[ADDED]]
// CHECK:             scf.while
// CHECK-COUNT-4:       memref.load %[[IN]]
// CHECK-NOT:           memref.load %[[IN]]
// CHECK:               scf.yield
// CHECK-COUNT-4:     memref.store %{{.*}}, %[[STAGE]]
// CHECK-NOT:         memref.store
// CHECK:           memref.collapse_shape %[[TABLE]]
func.func @table(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x5xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x5xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, -1, 0, 2>, packing = #packing, search = #sparseconv.search<binary>}
  return
}

// Where hits are asked for, the entries of a column become its first hit and one
// bit for each displacement.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[MASKS:[^:]*]]: memref<1x?xi32>
// CHECK:         gpu.launch
// CHECK:           scf.while
// CHECK-COUNT-2:     memref.load %[[IN]]
// CHECK-NOT:         memref.load %[[IN]]
// CHECK:             scf.yield
// CHECK:           %[[LAST:.*]] = arith.cmpi sge, %[[ENTRY1:.*]], %c0_i32
// CHECK:           %[[PLACE1:.*]] = arith.select %[[LAST]], %[[ENTRY1]], %c0_i32
// CHECK:           %[[HITS1:.*]] = arith.select %[[LAST]], %c2_i32, %c0_i32
// CHECK:           %[[FIRST:.*]] = arith.cmpi sge, %[[ENTRY0:.*]], %c0_i32
// CHECK:           %[[PLACE:.*]] = arith.select %[[FIRST]], %[[ENTRY0]], %[[PLACE1]]
// CHECK:           %[[HIT0:.*]] = arith.extui %[[FIRST]] : i1 to i32
// CHECK:           %[[HITS:.*]] = arith.ori %[[HITS1]], %[[HIT0]]
// CHECK:           memref.store %[[HITS]], %[[MASKS]]
// CHECK:           vector.from_elements %[[PLACE]], %[[HITS]], %c0_i32, %c0_i32
func.func @hits(%in: memref<?xi64>, %out: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x4xi32>,
                %counts: memref<64x32xi32>, %totals: memref<2x512xi32>) {
  sparseconv.kernel.search_hits ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, sample_rows = 256 : i64, search = #sparseconv.search<binary>}
  return
}

}
