// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// From a table, a kernel makes the mask of each row: a warp reads its rows word
// after word into shared memory, and a thread looks through its own. Every entry
// below the number of input rows is a bit.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x4xi32>, %[[N_IN:[^:]*]]: index, %[[TILED:[^:]*]]: memref<4x?xi32>, %[[ORDER:[^:]*]]: memref<?xi32>, %[[TILE_MASKS:[^:]*]]: memref<?x1xi32>, %[[SIZES:[^:]*]]: memref<3xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[TABLE]], %c0
// CHECK:         %[[MASKS:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi32>
// CHECK:         %[[COUNTS:.*]] = memref.alloc() {{.*}} : memref<64x32xi32>
// CHECK:         %[[TOTALS:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c128,
// CHECK:           memref.store %c0_i32, %[[TOTALS]]
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:           nvvm.bar.warp.sync
// CHECK-COUNT-4:   arith.cmpi ult, %{{.*}}, %[[N_IN]]
// CHECK:           memref.store %{{.*}}, %[[MASKS]]
// CHECK-COUNT-4:   nvvm.vote.sync ballot
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]

// The kernel that counts the digits of the sort makes the keys as it reads the
// masks. It first ranks the offsets by how many rows of the sample have them.
// Then it fills a table for each byte of a mask, with the byte's bits at their
// ranks as a Gray code. A key is the exclusive or of what the tables have for
// its bytes.
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c512,
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           memref.atomic_rmw addi
// CHECK:           gpu.barrier
// CHECK-COUNT-4:   arith.cmpi slt
// CHECK:           gpu.barrier
// CHECK:           scf.for {{.*}} to %c1024
// CHECK:             arith.xori
// CHECK:           memref.load %[[MASKS]]

// One kernel sorts by the one digit that four offsets have. The last one fills the
// slots, 128 at a time: their rows in that order, -1 behind the last;
// CHECK:         gpu.launch
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<2x1xi32, #gpu.address_space<workgroup>>)
// CHECK-DAG:       memref.store %[[N_IN]], %[[SIZES]][%c0]
// CHECK-DAG:       memref.store %[[N]], %[[SIZES]][%c1]
// CHECK:           memref.store %{{.*}}, %[[ORDER]]
// the masks of two tiles of 64 rows, in shared memory;
// CHECK-COUNT-4:   memref.load %[[TABLE]]
// CHECK:           memref.atomic_rmw ori %{{.*}}, %[[SHARED]]
// CHECK:           gpu.barrier
// and the entries of the offsets that one of the block's rows has.
// CHECK-COUNT-2:   memref.load %[[SHARED]]
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[TILED]]
// CHECK:           memref.store %{{.*}}, %[[TILE_MASKS]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @rows(%table: memref<?x4xi32>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {rows = 64 : i64}
  return
}

// With the hits of a search the masks are there already. One kernel counts
// digits and one sorts by them. In the last one a thread reads its record by
// one access; an entry is the column's place plus the hits before it.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[MASKS:[^:]*]]: memref<?xi32>, %[[RECORDS:[^:]*]]: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>,
// CHECK-SAME:    %[[TOTALS:[^:]*]]: memref<2x512xi32>)
// CHECK-NOT:     scf.parallel
// CHECK:         gpu.launch
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           memref.load %[[MASKS]]
// CHECK:           memref.atomic_rmw addi %{{.*}}, %[[TOTALS]]
// CHECK-COUNT-2: gpu.launch
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
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @hits(%hits: memref<?xi32>, %records: memref<?x4xi32>, %counts: memref<64x32xi32>, %n: index,
                %tiled: memref<4x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                %totals: memref<2x512xi32>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<?xi32>, memref<?x4xi32>, memref<64x32xi32>, index)
      outs(%tiled, %order, %masks, %sizes, %totals
           : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, rows = 64 : i64, sample_rows = 256 : i64}
  return
}

// Without cleared totals the sort clears its own.

// CHECK-LABEL: func.func @no_totals(
// CHECK:         %[[OWN:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c0_i32, %[[OWN]]
// CHECK-COUNT-3: gpu.launch
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @no_totals(%hits: memref<?xi32>, %records: memref<?x4xi32>, %counts: memref<64x32xi32>, %n: index,
                     %tiled: memref<4x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<?xi32>, memref<?x4xi32>, memref<64x32xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, rows = 16 : i64, sample_rows = 256 : i64}
  return
}

// Rows of more than 32 offsets stay in their order. More than 125 offsets are
// looked at in a loop, one word of the masks after the other.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x126xi32>,
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<2x1xi32, #gpu.address_space<workgroup>>)
// CHECK:           scf.for %[[WORD:.*]] = %c0 to %c3
// CHECK:             memref.store %c0_i32, %[[SHARED]]
// CHECK:             gpu.barrier
// CHECK-COUNT-32:    memref.load %[[TABLE]]
// CHECK-NOT:         memref.load %[[TABLE]]
// CHECK:             memref.atomic_rmw ori %{{.*}}, %[[SHARED]]
// CHECK:             gpu.barrier
// CHECK:             memref.load %[[SHARED]]
// The rest of 30 offsets.
// CHECK-COUNT-30:  memref.load %[[TABLE]]
// CHECK-NOT:       memref.load %[[TABLE]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @loops(%table: memref<?x126xi32>, %n: index, %tiled: memref<126x?xi32>, %order: memref<?xi32>,
                 %masks: memref<?x4xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x126xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<126x?xi32>, memref<?xi32>, memref<?x4xi32>, memref<3xindex>) {rows = 64 : i64}
  return
}

}
