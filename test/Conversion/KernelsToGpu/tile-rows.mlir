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
// masks. Each thread block adds up the sample, an offset by some threads. The rank of
// an offset is how many others have a smaller number, which is its count before its
// own number. Tables then say for each byte of a mask where its bits are in the order
// of ranks. A key is what they have for the mask's bytes, as a Gray code.
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c512,
// CHECK:           gpu.barrier
// CHECK-COUNT-4:   memref.load %[[COUNTS]]
// CHECK:           memref.atomic_rmw addi
// CHECK:           gpu.barrier
// CHECK:           nvvm.redux.sync add
// CHECK:           arith.shli %{{.*}}, %c5_i32
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   arith.cmpi slt
// CHECK-COUNT-2:   nvvm.shfl.sync bfly
// CHECK:           gpu.barrier
// CHECK:           scf.for {{.*}} to %c1024
// CHECK:             memref.store %{{.*}} : memref<1x4x256xi32, #gpu.address_space<workgroup>>
// CHECK:           gpu.barrier
// CHECK-COUNT-4:   memref.load %[[MASKS]]
// CHECK:           gpu.barrier
// CHECK:           %[[RANKED:.*]] = memref.load %{{.*}} : memref<1x4x256xi32, #gpu.address_space<workgroup>>
// CHECK:           %[[NEXT:.*]] = arith.shrui %[[RANKED]], %c1_i32
// CHECK:           arith.xori %[[RANKED]], %[[NEXT]]
// CHECK:           %[[KEY:.*]] = arith.shrui %{{.*}}, %c28_i32
// CHECK:           memref.store %[[KEY]]

// One kernel sorts by the one digit that four offsets have. The last one fills the
// slots, 128 at a time: their rows in that order, -1 behind the last;
// CHECK:         gpu.launch
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<8x1xi32, #gpu.address_space<workgroup>>)
// CHECK-DAG:       memref.store %[[N_IN]], %[[SIZES]][%c0]
// CHECK-DAG:       memref.store %[[N]], %[[SIZES]][%c1]
// CHECK:           memref.store %{{.*}}, %[[ORDER]]
// the masks of eight times 16 rows, in shared memory, each joined by its lanes;
// CHECK-COUNT-4:   memref.load %[[TABLE]]
// CHECK-COUNT-2:   nvvm.redux.sync or
// CHECK:           memref.store %{{.*}}, %[[SHARED]]
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
// digits and one sorts by them. In the last one the lanes of a warp load the
// records of its rows together, and a thread gets its own, one piece here, through
// shared memory. Its mask is a part of that: the lanes of each of two tiles join
// theirs. Entries are made only of offsets that a row of the thread block has: an
// entry is the column's place plus the hits before it.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[MASKS:[^:]*]]: memref<1x?xi32>, %[[RECORDS:[^:]*]]: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>,
// CHECK-SAME:    %[[TOTALS:[^:]*]]: memref<2x512xi32>)
// CHECK-NOT:     scf.parallel
// CHECK:         gpu.launch
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           memref.load %[[MASKS]]
// CHECK:           memref.atomic_rmw addi %{{.*}}, %[[TOTALS]]
// CHECK-COUNT-2: gpu.launch
// CHECK:           %[[RECORD:.*]]:3 = scf.if
// CHECK:             %[[ROW:.*]] = nvvm.shfl.sync idx %c-1_i32, %{{.*}}, %[[LANE:.*]], %c31_i32
// CHECK-NEXT:        %[[AT:.*]] = arith.index_cast %[[ROW]]
// CHECK:             %[[LOADED:.*]] = vector.load %[[RECORDS]][%[[AT]], %c0] {alignment = 16
// CHECK:             memref.store %[[LOADED]], %[[STAGE:.*]][%{{.*}}] : memref<128xvector<4xi32>
// CHECK:             nvvm.bar.warp.sync
// CHECK:             %[[READ:.*]] = memref.load %[[STAGE]]
// CHECK-DAG:         vector.extract %[[READ]][0]
// CHECK-DAG:         vector.extract %[[READ]][2]
// CHECK:           %[[MASK:.*]] = arith.select %{{.*}}, %[[RECORD]]#2, %c0_i32
// CHECK:           %[[OF_FIRST:.*]] = arith.select %{{.*}}, %[[MASK]], %c0_i32
// CHECK:           nvvm.redux.sync or %[[OF_FIRST]]
// CHECK:           nvvm.redux.sync or
// CHECK:           memref.store %{{.*}} : memref<8x1xi32, #gpu.address_space<workgroup>>
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
// CHECK:             %[[BEFORE:.*]] = arith.andi %[[MASK]], %c1_i32
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

// Each thread block that counts digits ranks the offsets, and keeps for each rank the
// share of the rows that lack the offset. With at most 2^20 pairs, keys have two digits
// of the three that there is room for. The first thread block tells those that sort.
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c512,
// CHECK-COUNT-16:  memref.load %[[COUNTS]]
// CHECK:           %[[PAIRS:.*]] = nvvm.redux.sync add
// CHECK:           scf.for {{.*}} to %c512
// CHECK:             %[[SHARE:.*]] = arith.divf
// CHECK:             %[[LACK:.*]] = arith.select %{{.*}}, %[[SHARE]], %cst
// CHECK:             memref.store %[[LACK]], %[[LACKS:.*]][%{{.*}}] : memref<128xf32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %{{.*}} : memref<4x32x16xi32, #gpu.address_space<workgroup>>

// What four bits of a ranked mask leave of an interval: an offset's part is cut off,
// and a row that has the offset gets it. Where the part before was the lower one, the
// part with the offset is the upper one.
// CHECK:           scf.for {{.*}} to %c1024
// CHECK:             %[[WAS_UPPER:.*]] = arith.cmpi ne
// CHECK:             %[[IS_UPPER:.*]] = arith.cmpi ne
// CHECK:             %[[WITHOUT:.*]] = memref.load %[[LACKS]]
// CHECK:             %[[WITH:.*]] = arith.subf %{{.*}}, %[[WITHOUT]]
// CHECK:             %[[HAS:.*]] = arith.xori %[[IS_UPPER]], %[[WAS_UPPER]]
// CHECK:             arith.select %[[HAS]], %[[WITH]], %[[WITHOUT]]
// CHECK:             %[[OTHER:.*]] = arith.select %[[HAS]], %[[WITHOUT]], %[[WITH]]
// CHECK:             %[[MOVED:.*]] = arith.addf %[[OTHER]],
// CHECK:             arith.select %[[IS_UPPER]], %[[MOVED]],
// CHECK-COUNT-3:     memref.load %[[LACKS]]
// CHECK:             memref.store %{{.*}}, %[[PIECES:.*]][%{{.*}}, %{{.*}}, %c0] : memref<32x32x2xf32, #gpu.address_space<workgroup>>
// CHECK:             memref.store %{{.*}}, %[[PIECES]][%{{.*}}, %{{.*}}, %c1]
// CHECK:           %[[IS_SHORT:.*]] = arith.cmpi sle, %{{.*}} : i64
// CHECK:           %[[PASSES:.*]] = arith.select %[[IS_SHORT]], %c2_i32, %c3_i32
// CHECK:           memref.store %[[PASSES]], %[[SUMS]][%c3, %c511]

// A code has 18 or 27 bits. Word after word, as long as the interval is longer than a
// code, a mask is ranked four bits at a time, and becomes a Gray code, whose bits say
// which part is left. Four of them and the one before pick what is left of the interval.
// CHECK-COUNT-4:   memref.load %[[MASKS]]
// CHECK:           gpu.barrier
// CHECK:           %[[BITS:.*]] = arith.select %[[IS_SHORT]], %c18_i32, %c27_i32
// CHECK:           %[[NUM_CODES_INT:.*]] = arith.shli %c1_i32, %[[BITS]]
// CHECK:           %[[NUM_CODES:.*]] = arith.sitofp %[[NUM_CODES_INT]]
// CHECK:           %[[LEAST:.*]] = arith.divf %{{.*}}, %[[NUM_CODES]]
// CHECK-COUNT-32:    memref.load %{{.*}} : memref<4x32x16xi32
// CHECK:             arith.shrui %{{.*}}, %c16_i32
// CHECK:             %[[UPPER:.*]] = arith.xori
// CHECK:             %[[BITS_0:.*]] = arith.shrui %[[UPPER]], %c28_i32
// CHECK:             %[[ENTRY_0:.*]] = arith.index_cast %[[BITS_0]]
// CHECK:             memref.load %[[PIECES]][%c0, %[[ENTRY_0]], %c0]
// CHECK:             memref.load %[[PIECES]][%c0, %[[ENTRY_0]], %c1]
// CHECK:             %[[BITS_1:.*]] = arith.shrui %[[UPPER]], %c24_i32
// CHECK:             arith.andi %[[BITS_1]], %c31_i32
// CHECK-COUNT-2:     memref.load %[[PIECES]][%c1,
// CHECK-COUNT-12:    memref.load %[[PIECES]]
// CHECK-NOT:         memref.load %[[PIECES]]

// The first bits of the next word lie behind the last one of this word.
// CHECK-COUNT-32:    memref.load %{{.*}} : memref<4x32x16xi32
// CHECK:             %[[FIRST:.*]] = arith.shrui %{{.*}}, %c28_i32
// CHECK:             %[[LAST:.*]] = arith.shli %{{.*}}, %c4_i32
// CHECK:             %[[BOTH:.*]] = arith.ori %[[FIRST]], %[[LAST]]
// CHECK:             %[[ENTRY:.*]] = arith.index_cast %[[BOTH]]
// CHECK:             memref.load %[[PIECES]][%c8, %[[ENTRY]], %c0]
// CHECK:           arith.cmpf oge, %{{.*}}, %[[LEAST]]
// CHECK:           %[[SCALED:.*]] = arith.mulf %{{.*}}, %[[NUM_CODES]]
// CHECK:           arith.fptosi %[[SCALED]]
// CHECK:         gpu.launch
// CHECK:           memref.load %[[SUMS]][%c3, %c511]
// CHECK-COUNT-2: gpu.launch

// More than 125 offsets are put in their slots in a loop, one word of the masks
// after the other.
// CHECK:         gpu.launch {{.*}} workgroup(%[[SHARED:[^ ]*]] : memref<8x1xi32, #gpu.address_space<workgroup>>)
// CHECK:           scf.for %{{.*}} = %c0 to %c3
// CHECK-COUNT-32:    memref.load %[[TABLE]]
// CHECK-NOT:         memref.load %[[TABLE]]
// CHECK:             memref.store %{{.*}}, %[[SHARED]]
// CHECK:             gpu.barrier
// CHECK:             memref.load %[[SHARED]]
// CHECK:             gpu.barrier
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

// More than 128 offsets are ranked by a thread block of its own, which keeps for each
// rank the offset, and what pieces leave of an interval. The bits of a mask are looked
// up one by one.

// CHECK-LABEL: func.func @many(
// CHECK:         %[[MASKS:.*]] = memref.alloc({{.*}} : memref<5x?xi32>
// CHECK:         gpu.launch
// CHECK:         %[[OFFSETS:.*]] = memref.alloc() {{.*}} : memref<160xi32>
// CHECK:         %[[LACKS:.*]] = memref.alloc() {{.*}} : memref<160xf32>
// CHECK:         %[[PAIRS:.*]] = memref.alloc() {{.*}} : memref<1xi32>
// CHECK:         %[[PIECES:.*]] = memref.alloc() {{.*}} : memref<40x32x2xf32>
// CHECK:         gpu.launch blocks({{.*}} = %c1, {{.*}} threads({{.*}} = %c512,
// CHECK:           memref.store %{{.*}}, %[[OFFSETS]]
// CHECK:           memref.store %{{.*}}, %[[LACKS]]
// CHECK:           memref.store %{{.*}}, %[[PAIRS]]
// CHECK:           scf.for
// CHECK-COUNT-4:     memref.load %[[LACKS]]
// CHECK-COUNT-2:     memref.store %{{.*}}, %[[PIECES]]
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c512,
// CHECK:           memref.load %[[PAIRS]]
// CHECK:           scf.for %{{.*}} = %c0 to %c5
// CHECK:             scf.for %{{.*}} = %c0 to %c32
// CHECK:               %[[OFFSET:.*]] = memref.load %[[OFFSETS]]
// CHECK:               arith.divui %[[OFFSET]], %c32_i32
// CHECK:               memref.load %[[MASKS]]
// CHECK-COUNT-16:      memref.load %[[PIECES]]
// CHECK-COUNT-4: gpu.launch
// CHECK-NOT:     gpu.launch
func.func @many(%table: memref<?x130xi32>, %n: index, %tiled: memref<130x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x5xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x130xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<130x?xi32>, memref<?xi32>, memref<?x5xi32>, memref<3xindex>)
  return
}

// In the order `mask` the keys are no Gray codes.

// CHECK-LABEL: func.func @by_masks(
// CHECK:           %[[RANKED:.*]] = memref.load %{{.*}} : memref<1x4x256xi32, #gpu.address_space<workgroup>>
// CHECK-NEXT:      %[[KEY:.*]] = arith.shrui %[[RANKED]], %c28_i32
// CHECK-NEXT:      memref.store %[[KEY]]
func.func @by_masks(%table: memref<?x4xi32>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                    %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {row_order = #sparseconv<row_order mask>}
  return
}

// In the order of space a key has the block of the row above a code, however few
// offsets there are: 9 of 27 bits, or 3 of 18. The totals of the search have too few
// digits for that, and the sort clears others.

// CHECK-LABEL: func.func @by_space(
// CHECK-SAME:    %[[HITS:[^:]*]]: memref<1x?xi32>, %{{[^:]*}}: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>,
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<4x512xi32>
// CHECK:         scf.parallel
// CHECK:           memref.store %c0_i32, %[[SUMS]]
// CHECK:         gpu.launch
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           %[[IS_SHORT:.*]] = arith.cmpi sle, %{{.*}} : i64
// CHECK:           memref.load %[[HITS]][
// CHECK-DAG:       %[[ALL:.*]] = arith.select %[[IS_SHORT]], %c18_i32, %c27_i32
// CHECK-DAG:       %[[SPACE_BITS:.*]] = arith.select %[[IS_SHORT]], %c3_i32, %c9_i32
// CHECK:           %[[LEADING:.*]] = math.ctlz
// CHECK:           %[[ROW_BITS:.*]] = arith.subi %c32_i32, %[[LEADING]]
// CHECK:           %[[BITS:.*]] = arith.subi %[[ROW_BITS]], %[[SPACE_BITS]]
// CHECK:           %[[PLACE_BITS:.*]] = arith.maxsi %[[BITS]], %c14_i32
// CHECK:           %[[BLOCK:.*]] = arith.shrui %{{.*}}, %[[PLACE_BITS]]
// CHECK:           %[[REST:.*]] = arith.subi %[[ALL]], %[[SPACE_BITS]]
// CHECK:           %[[HIGH:.*]] = arith.shli %[[BLOCK]], %[[REST]]
// CHECK:           %[[LOW:.*]] = arith.fptosi
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
// CHECK:           %[[PAIRS:.*]] = nvvm.redux.sync add
// CHECK:           %[[ROWS:.*]] = arith.muli %{{.*}}, %c1024_i32
// CHECK:           %[[PARTS:.*]] = arith.muli %[[PAIRS]], %c5_i32
// CHECK:           %[[IS_DENSE:.*]] = arith.cmpi slt, %[[ROWS]], %[[PARTS]]
// CHECK:           %[[RANK:.*]] = arith.shrui %{{.*}}, %c28_i32
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
// CHECK:         gpu.launch {{.*}} workgroup(%{{[^ ]*}} : memref<8x2xi32, #gpu.address_space<workgroup>>, %{{[^ ]*}} : memref<256xvector<4xi32>
// CHECK:           %[[RECORD:.*]]:7 = scf.if
// CHECK-COUNT-2:     vector.load %[[RECORDS]]
// CHECK:           %[[MASK0:.*]] = arith.select %{{.*}}, %[[RECORD]]#5, %c0_i32
// CHECK:           %[[MASK1:.*]] = arith.select %{{.*}}, %[[RECORD]]#6, %c0_i32
// CHECK-COUNT-32:  memref.store %{{.*}} : memref<35x?xi32>
// CHECK:           memref.store %{{.*}} : memref<35x?xi32>
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[MASK0]], %c-268435456_i32
// CHECK:           %[[COUNT:.*]] = math.ctpop %[[BEFORE]]
// CHECK:           %[[FIRST:.*]] = arith.addi %[[RECORD]]#4, %[[COUNT]]
// CHECK:           %[[BEFORE1:.*]] = arith.andi %[[MASK1]], %c1_i32
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

// A record of 33 columns has nine pieces. Eight of each row pass through shared memory
// at a time, and then the last: each warp keeps to its own part, which starts at eight
// pieces for each row before.

// CHECK-LABEL: func.func @many_columns(
// CHECK-SAME:    %{{[^:]*}}: memref<2x?xi32>, %[[RECORDS:[^:]*]]: memref<?x36xi32>,
// CHECK:         gpu.launch {{.*}} memref<1024xvector<4xi32>, #gpu.address_space<workgroup>>)
// CHECK:           %[[LANE:.*]] = arith.andi %{{.*}}, %c31_i32
// CHECK-NEXT:      %[[FIRST:.*]] = arith.subi %{{.*}}, %[[LANE]] : i32
// CHECK-NEXT:      %[[START:.*]] = arith.muli %[[FIRST]], %c8_i32
// CHECK-COUNT-8:   vector.load %[[RECORDS]]
// CHECK-COUNT-8:   memref.store %{{.*}}, %[[STAGE:.*]][%{{.*}}] : memref<1024xvector<4xi32>
// CHECK:           nvvm.bar.warp.sync
// CHECK-COUNT-8:   memref.load %[[STAGE]]
// CHECK:           nvvm.bar.warp.sync
// CHECK:           %[[LAST:.*]] = vector.load %[[RECORDS]][%{{.*}}, %c32]
// CHECK-NEXT:      %[[PLACE:.*]] = arith.addi %[[START]], %[[LANE]]
// CHECK-NEXT:      %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK-NEXT:      memref.store %[[LAST]], %[[STAGE]][%[[AT]]]
// CHECK-NEXT:      nvvm.bar.warp.sync
// CHECK-NEXT:      memref.load %[[STAGE]][%[[AT]]]
func.func @many_columns(%hits: memref<2x?xi32>, %records: memref<?x36xi32>, %counts: memref<64x64xi32>, %n: index,
                        %tiled: memref<33x?xi32>, %order: memref<?xi32>, %masks: memref<?x2xi32>, %sizes: memref<3xindex>,
                        %totals: memref<4x512xi32>) {
  sparseconv.kernel.tile_hits ins(%hits, %records, %counts, %n : memref<2x?xi32>, memref<?x36xi32>, memref<64x64xi32>, index)
      outs(%tiled, %order, %masks, %sizes, %totals
           : memref<33x?xi32>, memref<?xi32>, memref<?x2xi32>, memref<3xindex>, memref<4x512xi32>)
      {displacements = array<i64: -5, -1, 0, -5, 0, 0, -5, 1, 0, -4, -1, 0, -4, 0, 0, -4, 1, 0, -3, -1, 0, -3, 0, 0, -3, 1, 0, -2, -1, 0, -2, 0, 0, -2, 1, 0, -1, -1, 0, -1, 0, 0, -1, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 1, 0, 2, -1, 0, 2, 0, 0, 2, 1, 0, 3, -1, 0, 3, 0, 0, 3, 1, 0, 4, -1, 0, 4, 0, 0, 4, 1, 0, 5, -1, 0, 5, 0, 0, 5, 1, 0>, packing = #wide_packing, sample_rows = 128 : i64}
  return
}

}
