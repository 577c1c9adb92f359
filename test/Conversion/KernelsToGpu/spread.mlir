// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [24], guard = [32]>
!half = !sparseconv.coords<1, stride = [2], #packing>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Two kernels with a thread for each of 512 rows in a thread block. The first counts
// a row's candidates, those of the three displaced coordinates that are even. One
// that is even and beyond the packing makes the lowest row of that kind known.

// CHECK-LABEL: func.func @spread(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[STATUS:[^:]*]]: memref<8xi64>, %[[CANDIDATES:[^:]*]]: memref<?xi64>, %[[COUNT:[^:]*]]: memref<1xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         memref.store %c0_i64, %[[SUM:.*]][%c0]
// CHECK:         memref.store %{{.*}}, %[[FAILING:.*]][%c0]
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[N]], %c512
// CHECK:         %[[FOUND:.*]] = memref.alloc(%[[BLOCKS]])
// CHECK:         gpu.launch blocks(%[[BLOCK:[^,]*]],{{.*}} in ({{.*}} = %[[BLOCKS]],
// CHECK:           %[[ROW:.*]]:2 = scf.for {{.*}} to %c3 step %c1
// CHECK:             arith.andi %{{.*}}, %c1_i64
// CHECK:             %[[IS_EVEN:.*]] = arith.cmpi eq
// CHECK:             %[[IS_OUTSIDE:.*]] = arith.cmpi ugt, %{{.*}}, %c16777151_i64
// CHECK:             arith.andi %[[IS_EVEN]], %[[IS_OUTSIDE]]
// CHECK:           scf.if %[[ROW]]#1
// CHECK:             memref.atomic_rmw minu %{{.*}}, %[[FAILING]][%c0]
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           memref.store %{{.*}}, %[[FOUND]][%[[BLOCK]]]
// CHECK:           memref.atomic_rmw addi %{{.*}}, %[[SUM]][%c0]

// The second kernel sums up what the blocks have. One thread stores the number of
// all, or 0 and reports; where there is nothing to report, each row writes its own.
// CHECK:         gpu.launch
// CHECK:           scf.for {{.*}} to %[[BLOCKS]] step %c512
// CHECK:             memref.load %[[FOUND]]
// CHECK:           memref.load %[[SUM]][%c0]
// CHECK:           memref.load %[[FAILING]][%c0]
// CHECK:           memref.store %{{.*}}, %[[COUNT]][%c0]
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           scf.for {{.*}} to %c3 step %c1
// CHECK:             scf.if
// CHECK:               memref.store %{{.*}}, %[[CANDIDATES]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @spread(%keys: memref<?xi64>, %status: memref<8xi64>, %candidates: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.spread ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%candidates, %count : memref<?xi64>, memref<1xindex>)
      {displacements = array<i64: -1, 0, 1>, op_id = 1 : i64, set = !half}
  return
}

}
