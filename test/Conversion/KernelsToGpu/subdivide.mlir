// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [24, 24], guard = [32, 32]>
!fine = !sparseconv.coords<2, stride = [1, 1], #packing>
#few = #sparseconv.packing<i64, batch = 0, bits = [4], guard = [3]>
!small = !sparseconv.coords<1, stride = [1], #few>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// A thread for each coordinate finds where those with its x begin and end, by two
// searches that take their steps together. It notes where the cells begin and how
// far they are apart, and writes them.

// CHECK-LABEL: func.func @subdivide(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[POINTS:[^:]*]]: memref<?xi32>, %[[ROW:[^:]*]]: memref<?xi32>, %[[STATUS:[^:]*]]: memref<8xi64>,
// CHECK-SAME:    %[[FINE:[^:]*]]: memref<?xi64>, %[[ROWS:[^:]*]]: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi32>, %[[ROW_OF:[^:]*]]: memref<?xi32>, %[[COUNT:[^:]*]]: memref<1xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         memref.store %{{.*}}, %[[COUNT]][%c0]
// CHECK:         %[[PLACES:.*]] = memref.alloc(%[[N]]) {{.*}}: memref<?x3xi32>
// CHECK:         scf.parallel
// CHECK:           scf.while
// CHECK-COUNT-2:     memref.load %[[KEYS]]
// CHECK-NOT:         memref.load
// CHECK:             scf.yield
// CHECK-COUNT-3:   memref.store %{{.*}}, %[[PLACES]]
// CHECK:           %[[POINT:.*]] = memref.load %[[POINTS]]
// CHECK:           arith.muli %[[POINT]], %c4_i32
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[FINE]]

// Another for each cell of a point finds its row by what was noted.
// CHECK:         scf.parallel
// CHECK-NOT:       scf.while
// CHECK:           memref.load %[[ROW]]
// CHECK:           scf.if
// CHECK-COUNT-3:     memref.load %[[PLACES]]
// CHECK:             memref.store %{{.*}}, %[[ROW_OF]]
// CHECK:           } else {
// CHECK:             memref.store %c-1_i32, %[[ROW_OF]]
// CHECK-NOT:     scf.parallel
// CHECK:         return
func.func @subdivide(%keys: memref<?xi64>, %points: memref<?xi32>, %row: memref<?xi32>, %status: memref<8xi64>,
                     %fine: memref<?xi64>, %rows: memref<?xi32>, %order: memref<?xi32>, %row_of: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.subdivide ins(%keys, %points, %row, %status : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
      outs(%fine, %rows, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {by = array<i64: 2, 2>, capacity = 2147483646 : i64, op_id = 1 : i64, set = !fine}
  return
}

// Cells may leave a small packing. There may then be more than it has coordinates,
// and room for these: nothing is written but the error.

// CHECK-LABEL: func.func @small(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, {{.*}}, %[[FINE:[^:]*]]: memref<?xi64>, %[[ROWS:[^:]*]]: memref<?xi32>, %[[ORDER:[^:]*]]: memref<?xi32>, %[[ROW_OF:[^:]*]]: memref<?xi32>, %[[COUNT:[^:]*]]: memref<1xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         scf.parallel
// CHECK:           memref.atomic_rmw minu
// CHECK:         %[[LOWEST:.*]] = memref.load %{{.*}}[%c0] : memref<1xi64>
// CHECK:         %[[OUTSIDE:.*]] = arith.index_cast %[[LOWEST]]
// CHECK:         %[[IS_INSIDE:.*]] = arith.cmpi eq, %[[OUTSIDE]], %[[N]]
// CHECK:         %[[POINTS_HOLD:.*]] = arith.andi %{{.*}}, %[[IS_INSIDE]]
// CHECK:         %[[HOLDS:.*]] = arith.andi %{{.*}}, %[[POINTS_HOLD]]
// CHECK:         scf.if %[[HOLDS]]
// CHECK:         %[[IS_WRITTEN:.*]] = arith.andi %[[HOLDS]], %{{.*}}
// CHECK:         scf.if %[[IS_WRITTEN]]
// CHECK:           memref.store %{{.*}}, %[[FINE]]
// CHECK:         scf.parallel
// CHECK:           %[[HAS_ROW:.*]] = arith.andi %[[IS_WRITTEN]], %{{.*}}
// CHECK:           scf.if %[[HAS_ROW]]
func.func @small(%keys: memref<?xi64>, %points: memref<?xi32>, %row: memref<?xi32>, %status: memref<8xi64>,
                 %fine: memref<?xi64>, %rows: memref<?xi32>, %order: memref<?xi32>, %row_of: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.subdivide ins(%keys, %points, %row, %status : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
      outs(%fine, %rows, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {by = array<i64: 4>, capacity = 2147483646 : i64, cells = 10 : i64, op_id = 1 : i64, set = !small}
  return
}

}
