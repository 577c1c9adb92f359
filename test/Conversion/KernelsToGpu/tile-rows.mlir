// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>
#wide_packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [8, 8, 8]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// From a table, a kernel makes the mask of each row: a warp reads its rows word
// after word into shared memory, and a thread looks through its own. Every entry
// below the number of input rows is a bit.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x4xi32>, %[[N_IN:[^:]*]]: index, %[[TILED:[^:]*]]: memref<4x?xi32>, %[[ORDER:[^:]*]]: memref<?xi32>, %[[TILE_MASKS:[^:]*]]: memref<?x1xi32>, %[[SIZES:[^:]*]]: memref<3xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[TABLE]], %c0
// CHECK:         %[[MASKS:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<1x?xi32>
// CHECK:         %[[COUNTS:.*]] = memref.alloc() {{.*}} : memref<64x32xi32>
// CHECK:         %[[TOTALS:.*]] = memref.alloc() {{.*}} : memref<2x512xi32>
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c128,
// CHECK:           memref.store %c0_i32, %[[TOTALS]]
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:           nvvm.bar.warp.sync
// CHECK-COUNT-4:   arith.cmpi ult, %{{.*}}, %[[N_IN]]
// CHECK:           memref.store %{{.*}}, %[[MASKS]]
// CHECK-COUNT-5:   nvvm.shfl.sync bfly
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
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<8x1xi32, #gpu.address_space<workgroup>>)
// CHECK-DAG:       memref.store %[[N_IN]], %[[SIZES]][%c0]
// CHECK-DAG:       memref.store %[[N]], %[[SIZES]][%c1]
// CHECK:           memref.store %{{.*}}, %[[ORDER]]
// the masks of eight times 16 rows, in shared memory;
// CHECK-COUNT-4:   memref.load %[[TABLE]]
// CHECK:           memref.atomic_rmw ori %{{.*}}, %[[SHARED]]
// CHECK:           gpu.barrier
// and the entries of the offsets that one of the block's rows has.
// CHECK-COUNT-8:   memref.load %[[SHARED]]
// CHECK-COUNT-4:   memref.store %{{.*}}, %[[TILED]]
// CHECK:           memref.store %{{.*}}, %[[TILE_MASKS]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @rows(%table: memref<?x4xi32>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  return
}

// With the hits of a search the masks are there already. One kernel counts
// digits and one sorts by them. In the last one a thread reads its record by
// one access, and its mask is a part of that. Entries are made only of offsets
// that a row of the thread block has: an entry is the column's place plus the
// hits before it.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[MASKS:[^:]*]]: memref<1x?xi32>, %[[RECORDS:[^:]*]]: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>,
// CHECK-SAME:    %[[TOTALS:[^:]*]]: memref<2x512xi32>)
// CHECK-NOT:     scf.parallel
// CHECK:         gpu.launch
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           memref.load %[[MASKS]]
// CHECK:           memref.atomic_rmw addi %{{.*}}, %[[TOTALS]]
// CHECK-COUNT-2: gpu.launch
// CHECK:           %[[READ:.*]] = vector.load %[[RECORDS]]{{.*}} {alignment = 16
// CHECK-DAG:       vector.extract %[[READ]][0]
// CHECK-DAG:       vector.extract %[[READ]][2]
// CHECK:           memref.atomic_rmw ori %[[RECORD:.*]]#2, %{{.*}} : (i32, memref<8x1xi32, #gpu.address_space<workgroup>>)
// CHECK:           gpu.barrier
// CHECK:           nvvm.griddepcontrol launch_dependents
// CHECK-COUNT-8:   memref.load %{{.*}} : memref<8x1xi32, #gpu.address_space<workgroup>>
// CHECK:           %[[BLOCK:.*]] = arith.ori
// CHECK:           arith.andi %[[BLOCK]], %c1_i32
// CHECK:           scf.if
// CHECK:             memref.store
// CHECK:           %[[BIT:.*]] = arith.andi %{{.*}}, %c2_i32
// CHECK:           %[[IS:.*]] = arith.cmpi ne, %[[BIT]], %c0_i32
// CHECK:           scf.if %[[IS]]
// CHECK:             %[[BEFORE:.*]] = arith.andi %[[RECORD]]#2, %c1_i32
// CHECK:             %[[COUNT:.*]] = math.ctpop %[[BEFORE]]
// CHECK:             %[[ENTRY:.*]] = arith.addi %[[RECORD]]#0, %[[COUNT]]
// CHECK:             %[[OWN:.*]] = arith.select %{{.*}}, %[[ENTRY]], %c-1_i32
// CHECK-NEXT:        memref.store %[[OWN]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @hits(%hits: memref<1x?xi32>, %records: memref<?x4xi32>, %counts: memref<64x32xi32>, %n: index,
                %tiled: memref<4x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>,
                %totals: memref<2x512xi32>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, index)
      outs(%tiled, %order, %masks, %sizes, %totals
           : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>, memref<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, sample_rows = 256 : i64}
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
func.func @no_totals(%hits: memref<1x?xi32>, %records: memref<?x4xi32>, %counts: memref<64x32xi32>, %n: index,
                     %tiled: memref<4x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, sample_rows = 256 : i64}
  return
}

// Longer masks are made by the votes of a warp: each lane looks at one of 32
// offsets, at eight rows side by side.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x126xi32>,
// CHECK:         %[[MASKS:.*]] = memref.alloc({{.*}} : memref<4x?xi32>
// CHECK:         %[[COUNTS:.*]] = memref.alloc() {{.*}} : memref<64x128xi32>
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<4x512xi32>
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c128,
// CHECK:           memref.store %c0_i32, %[[SUMS]]
// CHECK:           scf.for %[[WORD:.*]] = %c0 to %c4
// CHECK:             scf.for {{.*}} to %c32 step %c8
// CHECK-COUNT-8:       memref.load %[[TABLE]]
// CHECK-COUNT-8:       nvvm.vote.sync ballot
// CHECK:               memref.store %{{.*}}, %[[MASKS]][%[[WORD]],
// CHECK:             memref.store %{{.*}}, %[[COUNTS]]
// CHECK:             gpu.barrier

// One thread block ranks the offsets by how many rows of the sample have them,
// and writes for each rank the offset and the share of rows that lack it. Two more
// steps fill up the last four; no row has their offsets.
// CHECK:         %[[STEPS:.*]] = memref.alloc() {{.*}} : memref<128xi32>
// CHECK:         %[[KEYS:.*]] = memref.alloc(
// CHECK:         gpu.launch blocks({{.*}} = %c1, {{.*}} threads({{.*}} = %c512,
// CHECK-COUNT-8:   memref.load %[[COUNTS]]
// CHECK:           gpu.barrier
// CHECK:           scf.for {{.*}} to %c128 step %c8
// CHECK:           arith.divui
// CHECK:           memref.store %{{.*}}, %[[STEPS]]
// CHECK:           memref.store %{{.*}}, %[[STEPS]][%c126]
// CHECK:           memref.store %{{.*}}, %[[STEPS]][%c127]

// A thread for each row makes its code from its mask, by four offsets at a time,
// and keeps 27 bits of it: once the interval is shorter than 2^5, it is done. Three
// passes sort by them.
// CHECK:         scf.parallel
// CHECK-COUNT-4:   memref.load %[[MASKS]]
// CHECK:           %[[CODE:.*]]:4 = scf.while (%[[I:.*]] = %c0, %{{.*}} = %c0_i32, %[[LENGTH:.*]] = %c-1_i32, %{{.*}} = %false)
// CHECK-DAG:         arith.cmpi slt, %[[I]], %c128
// CHECK-DAG:         arith.cmpi uge, %[[LENGTH]], %c32_i32
// CHECK:             vector.load %[[STEPS]]{{.*}} {alignment = 16
// CHECK:             arith.muli %{{.*}} : i64
// CHECK:             arith.xori %{{.*}} : i1
// CHECK:           %[[KEY:.*]] = arith.shrui %[[CODE]]#1, %c5_i32
// CHECK:           memref.store %[[KEY]], %[[KEYS]]
// CHECK-COUNT-4: gpu.launch

// More than 125 offsets are put in their slots in a loop, one word of the masks
// after the other.
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<8x1xi32, #gpu.address_space<workgroup>>)
// CHECK:           scf.for %{{.*}} = %c0 to %c3
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
      outs(%tiled, %order, %masks, %sizes : memref<126x?xi32>, memref<?xi32>, memref<?x4xi32>, memref<3xindex>)
  return
}

// In the order `mask` the keys are no Gray codes.

// CHECK-LABEL: func.func @by_masks(
// CHECK:           scf.for {{.*}} to %c1024
// CHECK-NOT:         arith.shrui
// CHECK:             memref.store
func.func @by_masks(%table: memref<?x4xi32>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                    %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {row_order = #sparseconv<row_order mask>}
  return
}

// In the order of space a key has the block of the row above 18 bits of the code,
// however few offsets there are. The totals of the search have too few digits for
// that, and the kernel that ranks the offsets clears others.

// CHECK-LABEL: func.func @by_space(
// CHECK-SAME:    %[[HITS:[^:]*]]: memref<1x?xi32>, %{{[^:]*}}: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>,
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<4x512xi32>
// CHECK:         gpu.launch blocks({{.*}} = %c1,
// CHECK:           memref.store %c0_i32, %[[SUMS]]
// CHECK:           memref.load %[[COUNTS]]
// CHECK:         scf.parallel
// CHECK:           memref.load %[[HITS]][
// CHECK:           %[[LOW:.*]] = arith.shrui %{{.*}}, %c14_i32
// CHECK:           %[[LEADING:.*]] = math.ctlz
// CHECK:           %[[BITS:.*]] = arith.subi %c23_i32, %[[LEADING]]
// CHECK:           %[[PLACE_BITS:.*]] = arith.maxsi %[[BITS]], %c14_i32
// CHECK:           %[[BLOCK:.*]] = arith.shrui %{{.*}}, %[[PLACE_BITS]]
// CHECK:           %[[HIGH:.*]] = arith.shli %[[BLOCK]], %c18_i32
// CHECK:           arith.ori %[[HIGH]], %[[LOW]]
func.func @by_space(%hits: memref<1x?xi32>, %records: memref<?x4xi32>, %counts: memref<64x32xi32>, %n: index,
                    %tiled: memref<4x?xi32>, %order: memref<?xi32>, %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing,
       row_order = #sparseconv<row_order space>, sample_rows = 256 : i64}
  return
}

// In the order of density a key is the rank of the mask, or where the rows of the
// sample have more than two fifths of the offsets, the block of the row above as
// much of that rank as there is room for: all four bits here.

// CHECK-LABEL: func.func @by_density(
// CHECK:           %[[ROWS:.*]] = arith.muli %[[BLOCKS:.*]], %c1024_i32
// CHECK:           %[[PAIRS:.*]] = arith.muli %{{.*}}, %c5_i32
// CHECK:           %[[IS_DENSE:.*]] = arith.cmpi slt, %[[ROWS]], %[[PAIRS]]
// CHECK:           gpu.barrier
// CHECK:           gpu.barrier
// CHECK:           %[[RANK:.*]] = memref.load %{{.*}} : memref<4x256xi32, #gpu.address_space<workgroup>>
// CHECK:           %[[LEADING:.*]] = math.ctlz
// CHECK:           %[[BITS:.*]] = arith.subi %c23_i32, %[[LEADING]]
// CHECK:           %[[PLACE_BITS:.*]] = arith.maxsi %[[BITS]], %c14_i32
// CHECK:           %[[BLOCK:.*]] = arith.shrui %{{.*}}, %[[PLACE_BITS]]
// CHECK:           %[[HIGH:.*]] = arith.shli %[[BLOCK]], %c4_i32
// CHECK:           %[[KEY:.*]] = arith.ori %[[HIGH]], %[[RANK]]
// CHECK:           arith.select %[[IS_DENSE]], %[[KEY]], %[[RANK]]
func.func @by_density(%table: memref<?x4xi32>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                      %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {row_order = #sparseconv<row_order density>}
  return
}

// A column of hits may lie in two words of a mask: offsets 0 to 34 here, the
// last seven of them a column, of which offset 28 is the first. The hits before
// offset 33 are counted in both words.

// CHECK-LABEL: func.func @two_words(
// CHECK-SAME:    %{{[^:]*}}: memref<2x?xi32>, %[[RECORDS:[^:]*]]: memref<?x8xi32>,
// CHECK-COUNT-3: gpu.launch
// CHECK:         gpu.launch {{.*}} workgroup(%{{[^ ]*}} : memref<8x2xi32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2:   vector.load %[[RECORDS]]
// CHECK-COUNT-2:   memref.atomic_rmw ori %[[RECORD:.*]]#{{[56]}}, %{{.*}} : (i32, memref<8x2xi32
// CHECK-COUNT-32:  memref.store %{{.*}} : memref<35x?xi32>
// CHECK:           memref.store %{{.*}} : memref<35x?xi32>
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[RECORD]]#5, %c-268435456_i32
// CHECK:           %[[COUNT:.*]] = math.ctpop %[[BEFORE]]
// CHECK:           %[[FIRST:.*]] = arith.addi %[[RECORD]]#4, %[[COUNT]]
// CHECK:           %[[BEFORE1:.*]] = arith.andi %[[RECORD]]#6, %c1_i32
// CHECK:           %[[COUNT1:.*]] = math.ctpop %[[BEFORE1]]
// CHECK:           arith.addi %[[FIRST]], %[[COUNT1]]
func.func @two_words(%hits: memref<2x?xi32>, %records: memref<?x8xi32>, %counts: memref<64x64xi32>, %n: index,
                     %tiled: memref<35x?xi32>, %order: memref<?xi32>, %masks: memref<?x2xi32>, %sizes: memref<3xindex>,
                     %totals: memref<4x512xi32>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<2x?xi32>, memref<?x8xi32>, memref<64x64xi32>, index)
      outs(%tiled, %order, %masks, %sizes, %totals
           : memref<35x?xi32>, memref<?xi32>, memref<?x2xi32>, memref<3xindex>, memref<4x512xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 1, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0, 3, 1, 0, 4, 1, 0, 5, 1, 0, 6, 2, 0, 0, 2, 0, 1, 2, 0, 2, 2, 0, 3, 2, 0, 4, 2, 0, 5, 2, 0, 6, 3, 0, 0, 3, 0, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 3, 0, 5, 3, 0, 6, 4, 0, 0, 4, 0, 1, 4, 0, 2, 4, 0, 3, 4, 0, 4, 4, 0, 5, 4, 0, 6>, packing = #wide_packing, sample_rows = 256 : i64}
  return
}

}
