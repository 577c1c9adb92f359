// RUN: sparseconv-opt %s --allow-unregistered-dialect --pass-pipeline='builtin.module(func.func(sparseconv-fuse-search-and-tiling))' | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>
#wide_packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [8, 8, 8]>

// Where all that reads the table of a search is the tiling of its rows, there is
// no table. A record has the first place of the two columns and the mask, filled
// up to 16 bytes. The search also leaves how often offsets occur in a sample of
// the rows, and zeros for the sort of the masks.

// CHECK-LABEL: func.func @tiled(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[N:[^:]*]]: index,
// CHECK-NOT:     memref<?x4xi32>
// CHECK:         %[[ROWS:.*]] = memref.dim %[[OUT]], %c0
// CHECK-NEXT:    %[[MASKS:.*]] = memref.alloc(%[[ROWS]]) {alignment = 64 : i64} : memref<1x?xi32>
// CHECK-NEXT:    %[[RECORDS:.*]] = memref.alloc(%[[ROWS]]) {alignment = 64 : i64} : memref<?x4xi32>
// CHECK-NEXT:    %[[COUNTS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<64x32xi32>
// CHECK-NEXT:    %[[TOTALS:.*]] = memref.alloc() {alignment = 64 : i64} : memref<2x512xi32>
// CHECK-NEXT:    sparseconv.kernel.search_hits ins(%[[IN]], %[[OUT]] : {{.*}}) outs(%[[MASKS]], %[[RECORDS]], %[[COUNTS]], %[[TOTALS]] : {{.*}})
// CHECK-SAME:      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #{{.*}}, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
// CHECK-NEXT:    sparseconv.kernel.tile_hits ins(%[[MASKS]], %[[RECORDS]], %[[COUNTS]], %[[N]] : {{.*}}) outs({{.*}}, %[[TOTALS]] : {{.*}})
// CHECK-SAME:      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #{{.*}}, sample_rows = 256 : i64}

// What asked for the size of the table gets the one that it was allocated with;
// the buffers live as long as it did.
// CHECK:         "test.use"(%[[N]])
// CHECK-NEXT:    memref.dealloc %[[MASKS]]
// CHECK-NEXT:    memref.dealloc %[[RECORDS]]
// CHECK-NEXT:    memref.dealloc %[[COUNTS]]
// CHECK-NEXT:    memref.dealloc %[[TOTALS]]
// CHECK-NEXT:    return
func.func @tiled(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                 %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %c0 = arith.constant 0 : index
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  %size = memref.dim %table, %c0 : memref<?x4xi32>
  "test.use"(%size) : (index) -> ()
  memref.dealloc %table : memref<?x4xi32>
  return
}

// Where something else reads the table, the search writes both.

// CHECK-LABEL: func.func @pooled(
// CHECK:         %[[TABLE:.*]] = memref.alloc({{.*}}) : memref<?x4xi32>
// CHECK:         sparseconv.kernel.search_hits {{.*}} outs(%[[MASKS:[^,]*]], %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[TABLE]] :
// CHECK:         sparseconv.kernel.tile_hits ins(%[[MASKS]],
// CHECK:         sparseconv.kernel.pool ins(%{{.*}}, %[[TABLE]] :
// CHECK:         memref.dealloc %[[MASKS]]
// CHECK:         memref.dealloc %[[TABLE]]
func.func @pooled(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                  %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  sparseconv.kernel.pool ins(%x, %table : memref<?x8xf32>, memref<?x4xi32>) outs(%y : memref<?x8xf32>)
      {count_kind = #sparseconv<count_kind present>, kind = #sparseconv<pool_kind max>}
  memref.dealloc %table : memref<?x4xi32>
  return
}

// The zeros serve one sort: of two tilings of one table, the second clears its
// own.

// CHECK-LABEL: func.func @tiled_twice(
// CHECK:         sparseconv.kernel.search_hits {{.*}} outs(%[[MASKS:[^,]*]], %{{[^,]*}}, %{{[^,]*}}, %[[TOTALS:[^,]*]] : memref<1x?xi32>,
// CHECK-NEXT:    sparseconv.kernel.tile_hits {{.*}}, %[[TOTALS]] :
// CHECK-NEXT:    sparseconv.kernel.tile_hits {{.*}}, %{{[^,]*}} : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>) {
func.func @tiled_twice(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                       %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x4xi32>
  return
}

// With the table, 25 columns of one offset leave so much in shared memory that a
// thread block takes 128 rows.

// CHECK-LABEL: func.func @many_columns(
// CHECK:         sparseconv.kernel.search_hits {{.*}} memref<?x28xi32>, memref<64x32xi32>, memref<4x512xi32>, memref<?x25xi32>) {{.*}} sample_rows = 128 : i64
func.func @many_columns(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<25x?xi32>, %order: memref<?xi32>,
                        %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %inverse: memref<?x25xi32>) {
  %table = memref.alloc(%n) : memref<?x25xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x25xi32>)
      {displacements = array<i64: -2, -2, 0, -2, -1, 0, -2, 0, 0, -2, 1, 0, -2, 2, 0, -1, -2, 0, -1, -1, 0, -1, 0, 0, -1, 1, 0, -1, 2, 0,
                                  0, -2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 1, -2, 0, 1, -1, 0, 1, 0, 0, 1, 1, 0, 1, 2, 0,
                                  2, -2, 0, 2, -1, 0, 2, 0, 0, 2, 1, 0, 2, 2, 0>,
       packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x25xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<25x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  sparseconv.kernel.invert_table ins(%table : memref<?x25xi32>) outs(%inverse : memref<?x25xi32>)
  memref.dealloc %table : memref<?x25xi32>
  return
}

// A column of hits that lies in two words of the mask: a record has five places
// and both words. The zeros are as many as the sort of 27 bits takes; the order
// stays that of the tiling.

// CHECK-LABEL: func.func @two_words(
// CHECK:         sparseconv.kernel.search_hits {{.*}} memref<2x?xi32>, memref<?x8xi32>, memref<64x64xi32>, memref<4x512xi32>)
// CHECK:         sparseconv.kernel.tile_hits {{.*}}, memref<4x512xi32>) {{.*}} row_order = #sparseconv<row_order mask>
func.func @two_words(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<35x?xi32>, %order: memref<?xi32>,
                     %masks: memref<?x2xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x35xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x35xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 1, 0, 0, 1, 0, 1, 1, 0, 2, 1, 0, 3, 1, 0, 4, 1, 0, 5, 1, 0, 6, 2, 0, 0, 2, 0, 1, 2, 0, 2, 2, 0, 3, 2, 0, 4, 2, 0, 5, 2, 0, 6, 3, 0, 0, 3, 0, 1, 3, 0, 2, 3, 0, 3, 3, 0, 4, 3, 0, 5, 3, 0, 6, 4, 0, 0, 4, 0, 1, 4, 0, 2, 4, 0, 3, 4, 0, 4, 4, 0, 5, 4, 0, 6>, packing = #wide_packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x35xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<35x?xi32>, memref<?xi32>, memref<?x2xi32>, memref<3xindex>)
      {row_order = #sparseconv<row_order mask>}
  memref.dealloc %table : memref<?x35xi32>
  return
}

// A record of 136 offsets has the places of eight columns and five words of a mask.

// CHECK-LABEL: func.func @five_words(
// CHECK:         sparseconv.kernel.search_hits {{.*}} : memref<5x?xi32>, memref<?x16xi32>, memref<64x160xi32>, memref<4x512xi32>)
// CHECK:         sparseconv.kernel.tile_hits {{.*}}, memref<4x512xi32>)
func.func @five_words(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<136x?xi32>, %order: memref<?xi32>,
                      %masks: memref<?x5xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x136xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x136xi32>)
      {displacements = array<i64: 0, 0, -8, 0, 0, -7, 0, 0, -6, 0, 0, -5, 0, 0, -4, 0, 0, -3, 0, 0, -2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8, 0, 1, -8, 0, 1, -7, 0, 1, -6, 0, 1, -5, 0, 1, -4, 0, 1, -3, 0, 1, -2, 0, 1, -1, 0, 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5, 0, 1, 6, 0, 1, 7, 0, 1, 8, 0, 2, -8, 0, 2, -7, 0, 2, -6, 0, 2, -5, 0, 2, -4, 0, 2, -3, 0, 2, -2, 0, 2, -1, 0, 2, 0, 0, 2, 1, 0, 2, 2, 0, 2, 3, 0, 2, 4, 0, 2, 5, 0, 2, 6, 0, 2, 7, 0, 2, 8, 0, 3, -8, 0, 3, -7, 0, 3, -6, 0, 3, -5, 0, 3, -4, 0, 3, -3, 0, 3, -2, 0, 3, -1, 0, 3, 0, 0, 3, 1, 0, 3, 2, 0, 3, 3, 0, 3, 4, 0, 3, 5, 0, 3, 6, 0, 3, 7, 0, 3, 8, 0, 4, -8, 0, 4, -7, 0, 4, -6, 0, 4, -5, 0, 4, -4, 0, 4, -3, 0, 4, -2, 0, 4, -1, 0, 4, 0, 0, 4, 1, 0, 4, 2, 0, 4, 3, 0, 4, 4, 0, 4, 5, 0, 4, 6, 0, 4, 7, 0, 4, 8, 0, 5, -8, 0, 5, -7, 0, 5, -6, 0, 5, -5, 0, 5, -4, 0, 5, -3, 0, 5, -2, 0, 5, -1, 0, 5, 0, 0, 5, 1, 0, 5, 2, 0, 5, 3, 0, 5, 4, 0, 5, 5, 0, 5, 6, 0, 5, 7, 0, 5, 8, 0, 6, -8, 0, 6, -7, 0, 6, -6, 0, 6, -5, 0, 6, -4, 0, 6, -3, 0, 6, -2, 0, 6, -1, 0, 6, 0, 0, 6, 1, 0, 6, 2, 0, 6, 3, 0, 6, 4, 0, 6, 5, 0, 6, 6, 0, 6, 7, 0, 6, 8, 0, 7, -8, 0, 7, -7, 0, 7, -6, 0, 7, -5, 0, 7, -4, 0, 7, -3, 0, 7, -2, 0, 7, -1, 0, 7, 0, 0, 7, 1, 0, 7, 2, 0, 7, 3, 0, 7, 4, 0, 7, 5, 0, 7, 6, 0, 7, 7, 0, 7, 8>,
       packing = #wide_packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x136xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<136x?xi32>, memref<?xi32>, memref<?x5xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x136xi32>
  return
}

// The sort in the order of space takes more digits than the search clears for
// four offsets: the zeros go to the second tiling.

// CHECK-LABEL: func.func @spaced(
// CHECK:         sparseconv.kernel.search_hits {{.*}} outs(%{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[TOTALS:[^ ]*]] : {{.*}}, memref<2x512xi32>)
// CHECK-NEXT:    sparseconv.kernel.tile_hits {{.*}} memref<3xindex>) {{.*}} row_order = #sparseconv<row_order space>
// CHECK-NEXT:    sparseconv.kernel.tile_hits {{.*}}, %[[TOTALS]] :
func.func @spaced(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                  %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
      {row_order = #sparseconv<row_order space>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x4xi32>
  return
}

// These stay searches: one by columns with gaps, whose hits do not lie next to
// each other; one whose table is the caller's; one whose table something else
// writes; and one whose rows nothing tiles.

// CHECK-LABEL: func.func @not_fused(
// CHECK:         sparseconv.kernel.search ins
// CHECK-NEXT:    sparseconv.kernel.tile_rows
// CHECK-NEXT:    sparseconv.kernel.search ins
// CHECK-NEXT:    sparseconv.kernel.tile_rows
// CHECK:         sparseconv.kernel.search ins
// CHECK-NEXT:    memref.store
// CHECK-NEXT:    sparseconv.kernel.tile_rows
// CHECK:         sparseconv.kernel.search ins
// CHECK-NEXT:    sparseconv.kernel.invert_table
// CHECK-NOT:     sparseconv.kernel
func.func @not_fused(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<2x?xi32>, %order: memref<?xi32>,
                     %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %own: memref<?x2xi32>) {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : i32
  %gaps = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%gaps : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 2>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%gaps, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%own : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%own, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  %changed = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%changed : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  memref.store %c7, %changed[%c0, %c0] : memref<?x2xi32>
  sparseconv.kernel.tile_rows ins(%changed, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  %untiled = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%untiled : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.invert_table ins(%untiled : memref<?x2xi32>) outs(%own : memref<?x2xi32>)
  memref.dealloc %gaps : memref<?x2xi32>
  memref.dealloc %changed : memref<?x2xi32>
  memref.dealloc %untiled : memref<?x2xi32>
  return
}

// A search for half of the offsets does not find all hits of a row by that row.

// CHECK-LABEL: func.func @half(
// CHECK-NOT:     sparseconv.kernel.search_hits
// CHECK:         sparseconv.kernel.search ins({{.*}}) outs({{.*}}) {{.*}}search = #sparseconv.search<zdelta, half>}
// CHECK:         sparseconv.kernel.tile_rows
func.func @half(%keys: memref<?xi64>, %n: index, %tiled: memref<2x?xi32>, %order: memref<?xi32>,
                %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, -1, 0, 0, 1>, packing = #packing, search = #sparseconv.search<zdelta, half>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x2xi32>
  return
}

// The strides of both sets go along. Where all last coordinates are multiples of
// 2, no key lies between displacements that differ by 2.

// CHECK-LABEL: func.func @coarse(
// CHECK:         sparseconv.kernel.search_hits {{.*}} {displacements = array<i64: 0, 0, 0, 0, 0, 2>, in_stride = array<i64: 2, 2, 2>, out_stride = array<i64: 4, 4, 4>,
func.func @coarse(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<2x?xi32>, %order: memref<?xi32>,
                  %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 2>, in_stride = array<i64: 2, 2, 2>, out_stride = array<i64: 4, 4, 4>, packing = #packing, search = #sparseconv.search<grid>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x2xi32>
  return
}

// The rows are of any coordinates here.

// CHECK-LABEL: func.func @coarse_in(
// CHECK-NOT:     sparseconv.kernel.search_hits
// CHECK:         sparseconv.kernel.search ins(
// CHECK:         sparseconv.kernel.tile_rows
func.func @coarse_in(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<2x?xi32>, %order: memref<?xi32>,
                     %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %table = memref.alloc(%n) : memref<?x2xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 2>, in_stride = array<i64: 2, 2, 2>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x2xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<2x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  memref.dealloc %table : memref<?x2xi32>
  return
}

// A table that is freed in two branches stays, and so does one of which a
// dimension is asked that it has not.

// CHECK-LABEL: func.func @two_ends(
// CHECK-NOT:     search_hits
// CHECK-COUNT-2: memref.dealloc
func.func @two_ends(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                    %masks: memref<?x1xi32>, %sizes: memref<3xindex>, %flag: i1) {
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  scf.if %flag {
    memref.dealloc %table : memref<?x4xi32>
  } else {
    memref.dealloc %table : memref<?x4xi32>
  }
  return
}

// CHECK-LABEL: func.func @no_dimension(
// CHECK-NOT:     search_hits
func.func @no_dimension(%in: memref<?xi64>, %out: memref<?xi64>, %n: index, %tiled: memref<4x?xi32>, %order: memref<?xi32>,
                        %masks: memref<?x1xi32>, %sizes: memref<3xindex>) {
  %c2 = arith.constant 2 : index
  %table = memref.alloc(%n) : memref<?x4xi32>
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, search = #sparseconv.search<zdelta>}
  sparseconv.kernel.tile_rows ins(%table, %n : memref<?x4xi32>, index)
      outs(%tiled, %order, %masks, %sizes : memref<4x?xi32>, memref<?xi32>, memref<?x1xi32>, memref<3xindex>)
  %size = memref.dim %table, %c2 : memref<?x4xi32>
  "test.use"(%size) : (index) -> ()
  return
}
