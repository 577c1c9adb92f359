// RUN: sparseconv-opt %s --convert-sparseconv-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = "cuda"} {

// A thread for each output row. First the threads of a block look among all keys
// for the 9 columns of every 16th row, eight parts of what is left at a time; then
// each row searches between those, all columns side by side, and walks them.

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x27xi32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[OUT]], %c0
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[ROWS]], %c256
// CHECK:         gpu.launch {{.*}} in ({{.*}} = %[[BLOCKS]],
// CHECK-SAME:      workgroup(%[[BOUNDS:[^ ]*]] : memref<17x9xi32{{[^%]*}}%[[STAGE:[^ ]*]] : memref<6912xi32
// CHECK:           scf.for {{.*}} to %c153 step %c256
// CHECK:             scf.while
// CHECK-COUNT-7:       memref.load %[[IN]]
// CHECK-NOT:           memref.load %[[IN]]
// CHECK:             memref.store %{{.*}}, %[[BOUNDS]]
// CHECK:           gpu.barrier
// CHECK:           scf.while
// CHECK-COUNT-9:     memref.load %[[IN]]
// CHECK-COUNT-27:  memref.store %{{.*}}, %[[STAGE]]

// A warp writes its rows of the table word after word.
// CHECK:           %[[WORDS:.*]] = memref.collapse_shape %[[TABLE]]
// CHECK:           nvvm.bar.warp.sync
// CHECK-COUNT-27:  memref.store %{{.*}}, %[[WORDS]]
func.func @search(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x27xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x27xi32>)
      {displacements = array<i64: -1, -1, -1, -1, -1, 0, -1, -1, 1, -1, 0, -1, -1, 0, 0, -1, 0, 1, -1, 1, -1, -1, 1, 0, -1, 1, 1,
                                  0, -1, -1, 0, -1, 0, 0, -1, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 1,
                                  1, -1, -1, 1, -1, 0, 1, -1, 1, 1, 0, -1, 1, 0, 0, 1, 0, 1, 1, 1, -1, 1, 1, 0, 1, 1, 1>,
       packing = #packing}
  return
}

// Where all that takes the table is the tiling of its rows, there is none: a mask
// and the first place of each column say as much.

// CHECK-LABEL: func.func @hits(
// CHECK:         %[[MASKS:.*]] = memref.alloc({{.*}} : memref<?xi32>
// CHECK:         %[[PLACES:.*]] = memref.alloc({{.*}} : memref<?x2xi32>
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}}, %[[MASKS]]
// CHECK-NOT:     memref<?x4xi32>
// CHECK:         memref.load %[[MASKS]]

// In the last kernel an entry is the column's place and the hits before it.
// CHECK-COUNT-3: gpu.launch
// CHECK:           %[[MASK:.*]] = memref.load %[[MASKS]]
// CHECK-COUNT-2:   memref.load %[[PLACES]]
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[MASK]], %c1_i32
// CHECK:           math.ctpop %[[BEFORE]]
// CHECK:         return
func.func @hits(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
  memref.dealloc %table : memref<?x4xi32>
  return
}

// Displacements with gaps walk along their column, and leave a table.

// CHECK-LABEL: func.func @gaps(
// CHECK:         %[[TABLE:.*]] = memref.alloc({{.*}} : memref<?x2xi32>
// CHECK:         gpu.launch
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           memref.collapse_shape %[[TABLE]]
func.func @gaps(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<2x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 2>, packing = #packing}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
  memref.dealloc %table : memref<?x2xi32>
  return
}

}
