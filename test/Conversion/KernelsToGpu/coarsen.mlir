// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!half = !sparseconv.coords<3, stride = [2, 2, 2], #packing>
!flat = !sparseconv.coords<3, stride = [1, 1, 4], #packing>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Three kernels: one looks for the rows that are the first of their cells, and
// numbers them within 256 rows; one adds those numbers up; one writes the cells.

// CHECK-LABEL: func.func @coarsen(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[COARSE:[^:]*]]: memref<?xi64>, %[[COUNT:[^:]*]]: memref<1xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         %[[PLACES:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?x3xi32>
// CHECK:         %[[ENDS:.*]] = arith.addi %[[N]], %c1
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[ENDS]], %c256
// CHECK:         %[[IN_BLOCK:.*]] = memref.alloc(%[[ENDS]]) {{.*}} : memref<?xi32>
// CHECK:         %[[BEFORE:.*]] = memref.alloc(%[[BLOCKS]]) {{.*}} : memref<?xi32>

// A cell has four columns along the last axis: its own and those at 1 on axis 1 (key
// 2^16), on axis 0 (2^36) and on both. A row is compared with the other three. From
// its own column on it takes the next one.
// CHECK:         gpu.launch blocks({{.*}} in ({{.*}} = %[[BLOCKS]],
// CHECK:           %[[KEY:.*]] = memref.load %[[KEYS]]
// CHECK:           %[[CELL:.*]] = arith.andi %[[KEY]], %c-68719542274_i64
// CHECK:           %[[SECOND:.*]] = arith.addi %[[CELL]], %c65536_i64
// CHECK:           %[[IS_FIRST:.*]] = arith.cmpi ult, %[[KEY]], %[[SECOND]]
// CHECK:           %[[A:.*]] = arith.select %[[IS_FIRST]], %[[SECOND]], %[[CELL]]
// CHECK:           %[[THIRD:.*]] = arith.addi %[[CELL]], %c68719476736_i64
// CHECK:           %[[B:.*]] = arith.select %{{.*}}, %[[THIRD]], %[[SECOND]]
// CHECK:           %[[FOURTH:.*]] = arith.addi %[[CELL]], %c68719542272_i64
// CHECK:           %[[C:.*]] = arith.select %{{.*}}, %[[FOURTH]], %[[THIRD]]

// It is the first of its cell if the row before it is below the cell in its own
// column, and none of the columns before has a row of the cell, which would be less
// than 2 above the column's lowest.
// CHECK:           %[[PREVIOUS:.*]] = memref.load %[[KEYS]]
// CHECK:           arith.cmpi ult, %[[PREVIOUS]],
// CHECK:           scf.while
// CHECK:             arith.cmpi ult, %{{.*}}, %[[A]]
// CHECK:             arith.cmpi ult, %{{.*}}, %[[B]]
// CHECK:             arith.cmpi ult, %{{.*}}, %[[C]]
// CHECK-COUNT-3:   memref.store %{{.*}}, %[[PLACES]]
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           memref.store %{{.*}}, %[[IN_BLOCK]]
// CHECK:           memref.store %{{.*}}, %[[BEFORE]]

// One thread block makes prefix sums of the 256-row blocks' numbers.
// CHECK:         gpu.launch blocks({{.*}} in ({{.*}} = %c1,
// CHECK:           %[[TOTAL:.*]] = scf.for {{.*}} to %[[BLOCKS]] step %c512
// CHECK:             memref.load %[[BEFORE]]
// CHECK:             memref.store %{{.*}}, %[[BEFORE]]
// CHECK:           %[[CELLS:.*]] = arith.index_cast %[[TOTAL]]
// CHECK:           memref.store %[[CELLS]], %[[COUNT]][%c0]

// A row that is the first of its cell looks for the starts of three columns: of axis
// 0 without the axes behind it, of axis 1 without the last one. The cells before its
// own are the first rows below it in the columns, without those below the starts.
// CHECK:         scf.parallel
// CHECK:           scf.if
// CHECK:             arith.shrui %{{.*}}, %c16_i64
// CHECK:             arith.shrui %{{.*}}, %c36_i64
// CHECK:             arith.shrui %{{.*}}, %c16_i64
// CHECK:             scf.while
// CHECK-COUNT-3:     memref.load %[[PLACES]]
// CHECK:             memref.store %{{.*}}, %[[COARSE]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @coarsen(%keys: memref<?xi64>, %coarse: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.coarsen ins(%keys : memref<?xi64>)
      outs(%coarse, %count : memref<?xi64>, memref<1xindex>)
      {by = array<i64: 2, 2, 2>, set = !half}
  return
}

// Cells of one column need no look-ups.
// CHECK-LABEL: func.func @one_column(
// CHECK-NOT:     scf.while
// CHECK:         return
func.func @one_column(%keys: memref<?xi64>, %coarse: memref<?xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.coarsen ins(%keys : memref<?xi64>)
      outs(%coarse, %count : memref<?xi64>, memref<1xindex>)
      {by = array<i64: 1, 1, 4>, set = !flat}
  return
}

}
