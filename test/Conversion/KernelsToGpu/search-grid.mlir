// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// A table with the row of each cell, in which a key is a place.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// At stride 1 a key is the number of its cell.

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?xi32>, %[[TABLE:[^:]*]]: memref<?x2xi32>)
// CHECK:         %[[ROWS:.*]] = memref.alloc() {{.*}} : memref<16777216xi32>
// CHECK:         scf.parallel {{.*}} to (%c16777216)
// CHECK:           memref.store %c-1_i32, %[[ROWS]]
// CHECK:         scf.parallel (%[[ROW:.*]]) =
// CHECK:           %[[KEY:.*]] = memref.load %[[IN]][%[[ROW]]]
// CHECK:           %[[BITS:.*]] = arith.andi %[[KEY]], %c16777215_i32
// CHECK:           %[[CELL:.*]] = arith.index_cast %[[BITS]]
// CHECK:           %[[ENTRY:.*]] = arith.index_cast %[[ROW]] : index to i32
// CHECK:           memref.store %[[ENTRY]], %[[ROWS]][%[[CELL]]]
// CHECK:         gpu.launch
// CHECK-COUNT-2:     memref.load %[[ROWS]]
// CHECK-NOT:         arith.select
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:         memref.dealloc %[[ROWS]]
func.func @search(%in: memref<?xi32>, %out: memref<?xi32>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi32>, memref<?xi32>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>,
       packing = #sparseconv.packing<i32, batch = 2, bits = [7, 7, 8], guard = [2, 2, 2]>, search = #sparseconv.search<grid>}
  return
}

// The coordinates of a coarser set have bits that are always 0, which no cell is
// for: one of the first axis, two of the last. A query that has one of them set
// finds nothing.

// CHECK-LABEL: func.func @coarse(
// CHECK:         memref.alloc() {{.*}} : memref<2097152xi32>
// CHECK:         scf.parallel
// CHECK:         scf.parallel
// CHECK:           %[[KEY:.*]] = memref.load
// CHECK:           %[[LOW:.*]] = arith.andi %[[KEY]], %c32764_i32
// CHECK:           %[[LOW_BITS:.*]] = arith.shrui %[[LOW]], %c2_i32
// CHECK:           %[[HIGH:.*]] = arith.andi %[[KEY]], %c16711680_i32
// CHECK:           %[[HIGH_BITS:.*]] = arith.shrui %[[HIGH]], %c3_i32
// CHECK:           arith.ori %[[LOW_BITS]], %[[HIGH_BITS]]
// CHECK:         gpu.launch
// CHECK:           %[[REST:.*]] = arith.andi %{{.*}}, %c32771_i32
// CHECK:           %[[IS_CELL:.*]] = arith.cmpi eq, %[[REST]], %c0_i32
// CHECK:           arith.select %[[IS_CELL]], %{{.*}}, %c-1_i32
func.func @coarse(%in: memref<?xi32>, %out: memref<?xi32>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi32>, memref<?xi32>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, in_stride = array<i64: 2, 1, 12>,
       packing = #sparseconv.packing<i32, batch = 2, bits = [7, 7, 8], guard = [2, 2, 2]>, search = #sparseconv.search<grid>}
  return
}

}
