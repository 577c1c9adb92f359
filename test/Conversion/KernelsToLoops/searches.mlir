// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --canonicalize --cse --split-input-file | FileCheck %s

// The searches that look for each neighbour by itself: rows on all threads, then
// displacements, which are data in the order of the table.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

// CHECK:         memref.global "private" constant @[[$DATA:.*]] : memref<3xi64> = dense<[0, -1, 65536]>
// CHECK-LABEL: func.func @binary(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x3xi32>)
// CHECK:         %[[ADDED:.*]] = memref.get_global @[[$DATA]]
// CHECK:         scf.parallel
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             %[[KEY:.*]] = memref.load %[[OUT]][%[[ROW]]]
// CHECK:             scf.for %[[K:[^ ]*]] = %c0 to %c3
// CHECK:               %[[MORE:.*]] = memref.load %[[ADDED]][%[[K]]]
// CHECK:               arith.addi %[[KEY]], %[[MORE]]
// CHECK:               scf.while
// CHECK:                 memref.load %[[IN]]
// CHECK:               memref.store %{{.*}}, %[[TABLE]][%[[ROW]], %[[K]]]
func.func @binary(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x3xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x3xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, -1, 0, 1, 0>, packing = #packing, search = #sparseconv.search<binary>}
  return
}

// -----

// All threads insert keys at once.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

// CHECK-LABEL: func.func @hash(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x2xi32>)
// CHECK:         %[[KEYS:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?xi64>
// CHECK:         %[[PLACES:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c-1_i64, %[[KEYS]]
// CHECK:         scf.parallel
// CHECK:           memref.generic_atomic_rmw %[[KEYS]]
// CHECK:           memref.store %{{.*}}, %[[PLACES]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[KEYS]]
// CHECK:           scf.while
// CHECK:             memref.load %[[KEYS]]
// CHECK:           memref.load %[[PLACES]]
// CHECK:           memref.store %{{.*}}, %[[TABLE]]
// CHECK:         memref.dealloc %[[KEYS]]
// CHECK:         memref.dealloc %[[PLACES]]
func.func @hash(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<hash>}
  return
}

// -----

#packing = #sparseconv.packing<i32, batch = 2, bits = [7, 7, 8], guard = [2, 2, 2]>

// CHECK-LABEL: func.func @grid(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x2xi32>)
// CHECK:         %[[ROWS:.*]] = memref.alloc() {{.*}} : memref<16777216xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c-1_i32, %[[ROWS]]
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}}, %[[ROWS]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[ROWS]]
// CHECK:           memref.store %{{.*}}, %[[TABLE]]
// CHECK:         memref.dealloc %[[ROWS]]
func.func @grid(%in: memref<?xi32>, %out: memref<?xi32>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi32>, memref<?xi32>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<grid>}
  return
}

// -----

// Half of the displacements: a first entry for all, then two for each hit.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

// CHECK-LABEL: func.func @half(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x3xi32>)
// CHECK:         scf.parallel
// CHECK:           scf.for %[[ROW:[^ ]*]] =
// CHECK:             scf.for %[[K:[^ ]*]] = %c0 to %c3
// CHECK:               %[[IS_SELF:.*]] = arith.cmpi eq, %[[K]], %c1
// CHECK:               memref.store %{{.*}}, %[[TABLE]][%[[ROW]], %[[K]]]
// CHECK:         scf.parallel
// CHECK:           scf.for
// CHECK:             scf.if
// CHECK:               memref.store %{{.*}}, %[[TABLE]]
// CHECK:               memref.store %{{.*}}, %[[TABLE]]
// CHECK-NOT:           memref.store %{{.*}}, %[[TABLE]]
func.func @half(%keys: memref<?xi64>, %table: memref<?x3xi32>) {
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x3xi32>)
      {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<binary, half>}
  return
}
