// RUN: sparseconv-opt %s --convert-sparseconv-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = "cuda"} {

// A thread for each output row. First the threads of a block look among all keys
// for the 9 columns of every 32nd row, eight parts of what is left at a time; then
// each row searches between those, three columns side by side. A key up to two
// above the first displacement of its column is a hit.

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x27xi32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[OUT]], %c0
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[ROWS]], %c256
// CHECK:         gpu.launch {{.*}} in ({{.*}} = %[[BLOCKS]],
// CHECK-SAME:      workgroup(%[[BOUNDS:[^ ]*]] : memref<9x9xi32{{[^%]*}}%[[STAGE:[^ ]*]] : memref<6912xi32
// CHECK:           scf.for {{.*}} to %c81 step %c256
// CHECK:             scf.while
// CHECK-COUNT-7:       memref.load %[[IN]]
// CHECK-NOT:           memref.load %[[IN]]
// CHECK:             memref.store %{{.*}}, %[[BOUNDS]]
// CHECK:           gpu.barrier
// CHECK:           scf.while
// CHECK-COUNT-3:     memref.load %[[IN]]
// CHECK-NOT:         memref.load %[[IN]]
// CHECK:           scf.if
// CHECK-COUNT-3:     memref.load %[[IN]]
// CHECK-COUNT-3:     arith.cmpi ult, %{{.*}}, %c3_i64
// CHECK-COUNT-9:   memref.store %{{.*}}, %[[STAGE]]
// CHECK:           scf.while
// CHECK-COUNT-9:   memref.store %{{.*}}, %[[STAGE]]
// CHECK:           scf.while
// CHECK-COUNT-9:   memref.store %{{.*}}, %[[STAGE]]
// CHECK-NOT:       scf.while

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
// and the first place of each column say as much. They are in one record of 16
// bytes, which is written and read at once.

// CHECK-LABEL: func.func @hits(
// CHECK-NOT:     memref<?x4xi32>
// CHECK:         %[[MASKS:.*]] = memref.alloc({{.*}} : memref<?xi32>
// CHECK:         %[[RECORDS:.*]] = memref.alloc({{.*}} : memref<?x4xi32>
// CHECK-NOT:     memref.alloc({{.*}} : memref<?x4xi32>
// CHECK:         %[[COUNTS:.*]] = memref.alloc() {{.*}} : memref<64x32xi32>
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         gpu.launch
// CHECK:           memref.store %c0_i32, %[[SUMS]]
// CHECK:           memref.store %[[MASK:.*]], %[[MASKS]]
// CHECK:           %[[RECORD:.*]] = vector.from_elements %[[PLACE:.*]]#0, %[[PLACE]]#1, %[[MASK]], %c0_i32
// CHECK:           memref.store %[[RECORD]], %{{.*}} : memref<256xvector<4xi32>,
// CHECK:           %[[WORDS:.*]] = memref.collapse_shape %[[RECORDS]]
// CHECK:           vector.store %{{.*}}, %[[WORDS]]{{.*}} {alignment = 16

// Some blocks count how many of their rows have each offset.
// CHECK-COUNT-4:   nvvm.vote.sync ballot
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]

// A kernel counts digits and one sorts by them. In the last one an entry is the
// column's place and the hits before it; it is stored where a row of the block
// has its offset.
// CHECK-NOT:     scf.parallel
// CHECK-COUNT-3: gpu.launch
// CHECK:           %[[READ:.*]] = vector.load %[[RECORDS]]{{.*}} {alignment = 16
// CHECK-DAG:       %[[FIRST:.*]] = vector.extract %[[READ]][0]
// CHECK-DAG:       %[[BITS:.*]] = vector.extract %[[READ]][2]
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[BITS]], %c1_i32
// CHECK:           %[[COUNT:.*]] = math.ctpop %[[BEFORE]]
// CHECK:           arith.addi %[[FIRST]], %[[COUNT]]
// CHECK:           gpu.barrier
// CHECK-COUNT-2:   memref.load %{{.*}} : memref<2x1xi32, #gpu.address_space<workgroup>>
// CHECK:           %[[BLOCK:.*]] = arith.ori
// CHECK:           %[[BIT:.*]] = arith.andi %[[BLOCK]], %c1_i32
// CHECK:           %[[IS:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK:           scf.if %[[IS]]
// CHECK-NEXT:        memref.store
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

// Where something else takes the table too, the search leaves both: a table, and
// records for the tiling.

// CHECK-LABEL: func.func @both(
// CHECK:         %[[TABLE:.*]] = memref.alloc({{.*}} : memref<?x4xi32>
// CHECK:         %[[RECORDS:.*]] = memref.alloc({{.*}} : memref<?x4xi32>
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}} : memref<1024xi32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %{{.*}} : memref<256xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:           memref.collapse_shape %[[RECORDS]]
// CHECK-NOT:     memref.load %[[TABLE]]
// CHECK-COUNT-3: gpu.launch
// CHECK:           vector.load %[[RECORDS]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[TABLE]]
// CHECK:         return
func.func @both(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
  sparseconv.kernel.pool ins(%x, %table : memref<?x8xf32>, memref<?x4xi32>) outs(%y : memref<?x8xf32>) {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>}
  memref.dealloc %table : memref<?x4xi32>
  return
}

// What the search clears serves one sort; a second tiling clears its own.

// CHECK-LABEL: func.func @twice(
// CHECK:         memref.alloc() {{.*}} : memref<64x32xi32>
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         gpu.launch
// CHECK:           memref.store %c0_i32, %[[SUMS]]
// CHECK-NOT:     scf.parallel
// CHECK-COUNT-3: gpu.launch
// CHECK:         %[[OWN:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c0_i32, %[[OWN]]
// CHECK-COUNT-3: gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @twice(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                 %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %tiled2: memref<4x?xi32>, %order2: memref<?xi32>,
                 %masks2: memref<?x1xi32>, %sizes2: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled2, %order2, %masks2, %sizes2 : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 16 : i64}
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
