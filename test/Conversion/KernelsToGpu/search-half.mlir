// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// From a set to itself, by displacements that are symmetric about 0, half of them
// are searched for.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// All entries are -1 at first, but for those of displacement 0: a row meets
// itself. A box has its displacements and their negatives in opposite orders.

// CHECK-LABEL: func.func @box(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x3xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[TABLE]]
// CHECK:         %[[ALL:.*]] = arith.muli %[[N]], %c3
// CHECK:         scf.parallel (%[[I:.*]]) = {{.*}} to (%[[ALL]])
// CHECK:           %[[OWN:.*]] = arith.divui %[[I]], %c3
// CHECK:           %[[IS_SELF:.*]] = arith.cmpi eq, %[[K:.*]], %c1
// CHECK:           %[[SELF:.*]] = arith.index_cast %[[OWN]]
// CHECK:           %[[FIRST:.*]] = arith.select %[[IS_SELF]], %[[SELF]], %c-1_i32
// CHECK:           memref.store %[[FIRST]], %[[TABLE]][%[[OWN]], %[[K]]]

// Only the higher of the other two is searched for. A hit is written to the
// table at once: the entry of its row, and that of the row found.
// CHECK:         gpu.launch
// CHECK-NOT:       memref.collapse_shape
// CHECK:           %[[IS_HIT:.*]] = arith.cmpi sge, %[[ENTRY:.*]], %c0_i32
// CHECK:           scf.if %[[IS_HIT]]
// CHECK:             memref.store %[[ENTRY]], %[[TABLE]][%[[ROW:.*]], %c2]
// CHECK:             %[[FROM:.*]] = arith.index_cast %[[ROW]] : index to i32
// CHECK:             %[[FOUND:.*]] = arith.index_cast %[[ENTRY]] : i32 to index
// CHECK:             memref.store %[[FROM]], %[[TABLE]][%[[FOUND]], %c0]
// CHECK-NOT:       arith.cmpi sge
// CHECK:         return
func.func @box(%keys: memref<?xi64>, %table: memref<?x3xi32>) {
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x3xi32>)
      {displacements = array<i64: 0, 0, -1, 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<zdelta, half>}
  return
}

// The displacements of a list have their numbers, and those of their negatives, as
// data.

// CHECK-LABEL: func.func @list(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x4xi32>)
// CHECK-DAG:     %[[MIRRORS:.*]] = memref.get_global @{{.*}} : memref<4xindex>
// CHECK-DAG:     %[[NUMBERS:.*]] = memref.get_global @{{.*}} : memref<2xindex>
// CHECK:         gpu.launch
// CHECK-COUNT-2:   %[[NUMBER:.*]] = memref.load %[[NUMBERS]]
// CHECK:           memref.store %{{.*}}, %[[TABLE]]
// CHECK:           memref.load %[[MIRRORS]]
// CHECK:           memref.store %{{.*}}, %[[TABLE]]
func.func @list(%keys: memref<?xi64>, %table: memref<?x4xi32>) {
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, -1, 0, 0, 1, 0, 1, 0, 0, -1, 0>, packing = #packing, search = #sparseconv.search<binary, half>}
  return
}

// Where 0 is the only displacement, nothing is searched for.

// CHECK-LABEL: func.func @self(
// CHECK:         scf.parallel
// CHECK:           memref.store
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @self(%keys: memref<?xi64>, %table: memref<?x1xi32>) {
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x1xi32>)
      {displacements = array<i64: 0, 0, 0>, packing = #packing, search = #sparseconv.search<hash, half>}
  return
}

}
