// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// A hash table of the input keys, and a look-up for every entry of the table.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// There are at least two slots for each key, a power of two in all. Memory is for
// four and two more, which are as many as that power may come to.

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x2xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[IN]]
// CHECK:         math.ctlz
// CHECK:         %[[POWER:.*]] = arith.shli %c1_i64
// CHECK:         %[[SLOTS:.*]] = arith.index_cast %[[POWER]]
// CHECK:         %[[MASK:.*]] = arith.subi %[[SLOTS]], %c1
// CHECK:         %[[FOUR:.*]] = arith.muli %[[N]], %c4
// CHECK:         %[[ROOM:.*]] = arith.addi %[[FOUR]], %c2
// CHECK:         %[[KEYS:.*]] = memref.alloc(%[[ROOM]]) {{.*}} : memref<?xi64>
// CHECK:         %[[PLACES:.*]] = memref.alloc(%[[ROOM]]) {{.*}} : memref<?xi32>

// Slots that are used hold the all-ones key at first.
// CHECK:         %[[CLEARED:.*]] = arith.minsi %[[SLOTS]], %[[ROOM]]
// CHECK:         scf.parallel {{.*}} to (%[[CLEARED]])
// CHECK:           memref.store %c-1_i64, %[[KEYS]]

// A key takes the first slot, from that of its hash on, that no other has.
// CHECK:         scf.parallel (%[[ROW:.*]]) = {{.*}} to (%[[N]])
// CHECK:           %[[KEY:.*]] = memref.load %[[IN]][%[[ROW]]]
// CHECK:           arith.muli %{{.*}}, %c-49064778989728563_i64
// CHECK:           arith.muli %{{.*}}, %c-4265267296055464877_i64
// CHECK:           %[[HASH:.*]] = arith.index_cast
// CHECK:           %[[START:.*]] = arith.andi %[[HASH]], %[[MASK]]
// CHECK:           %[[SLOT:.*]] = scf.while (%[[AT:.*]] = %[[START]])
// CHECK:             memref.load %[[KEYS]][%[[AT]]]
// CHECK:             memref.generic_atomic_rmw %[[KEYS]][%[[AT]]]
// CHECK:             ^bb0(%[[NOW:.*]]: i64):
// CHECK:               %[[IS_FREE:.*]] = arith.cmpi eq, %[[NOW]], %c-1_i64
// CHECK:               arith.select %[[IS_FREE]], %[[KEY]], %[[NOW]]
// CHECK:           arith.andi %{{.*}}, %[[MASK]]
// CHECK:           memref.store %{{.*}}, %[[PLACES]][%[[SLOT]]]

// Look-ups go on, side by side, until each is at its key or at a free slot.
// CHECK:         gpu.launch
// CHECK-COUNT-2:     memref.load %[[KEYS]]
// CHECK:             %[[FOUND:.*]]:4 = scf.while
// CHECK:               scf.condition
// CHECK-COUNT-2:       memref.load %[[KEYS]]
// CHECK:               scf.yield
// CHECK:             memref.load %[[PLACES]][%[[FOUND]]#0]
// CHECK:             memref.load %[[PLACES]][%[[FOUND]]#1]
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:         memref.dealloc %[[KEYS]]
// CHECK:         memref.dealloc %[[PLACES]]
func.func @search(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>,
       packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>, search = #sparseconv.search<hash>}
  return
}

// Keys of 32 bits have a hash of their own. Here a query may be the all-ones key,
// which free slots hold: whether the slot where a look-up ends is taken decides.

// CHECK-LABEL: func.func @short_keys(
// CHECK:         memref.alloc({{.*}}) {{.*}} : memref<?xi32>
// CHECK:         arith.muli %{{.*}}, %c-2048144789_i32
// CHECK:         arith.muli %{{.*}}, %c-1028477387_i32
// CHECK:         gpu.launch
// CHECK:           %[[FOUND:.*]]:2 = scf.while
// CHECK:           scf.yield
// CHECK:           %[[IS_HIT:.*]] = arith.cmpi ne, %[[FOUND]]#1, %c-1_i32
// CHECK:           scf.if %[[IS_HIT]]
func.func @short_keys(%in: memref<?xi32>, %out: memref<?xi32>, %table: memref<?x1xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi32>, memref<?xi32>) outs(%table : memref<?x1xi32>)
      {displacements = array<i64: 1, 1>,
       packing = #sparseconv.packing<i32, batch = 4, bits = [14, 14], guard = [1, 1]>, search = #sparseconv.search<hash>}
  return
}

}
