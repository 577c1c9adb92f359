// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// One thread searches for each output row. First the threads of a thread block
// look among all keys for the 9 columns of every 32nd row; each step leaves an
// eighth of the keys. Then each row searches between those bounds, three
// columns side by side. A key up to two above the first displacement of its
// column is a hit.

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
       packing = #packing, search = #sparseconv.search<zdelta>}
  return
}

// A search that leaves hits makes no table: a mask and the first place of each
// column say as much. They are in one record of 16 bytes, which is written and
// read by one access. The first thread block clears what a sort of the masks
// adds to.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[MASKS:[^:]*]]: memref<1x?xi32>, %[[RECORDS:[^:]*]]: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>, %[[TOTALS:[^:]*]]: memref<2x512xi32>)
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c256,
// CHECK-SAME:      workgroup(%{{[^ ]*}} : memref<9x2xi32{{[^%]*}}%[[STAGE:[^ ]*]] : memref<256xvector<4xi32>{{[^%]*}}%{{[^ ]*}} : memref<8x32xi32
// CHECK:           memref.store %c0_i32, %[[TOTALS]]
// CHECK:           gpu.barrier
// CHECK:           memref.store %[[MASK:.*]], %[[MASKS]]
// CHECK:           %[[RECORD:.*]] = vector.from_elements %[[PLACE:.*]]#0, %[[PLACE]]#1, %[[MASK]], %c0_i32
// CHECK:           memref.store %[[RECORD]], %[[STAGE]]
// CHECK:           %[[WORDS:.*]] = memref.collapse_shape %[[RECORDS]]
// CHECK:           vector.store %{{.*}}, %[[WORDS]]{{.*}} {alignment = 16

// Some thread blocks count how many of their rows have each offset. The lanes of a
// warp exchange bits in five steps: lane k gets those of offset k of all lanes. 32
// threads add up the warps.
// CHECK:           %[[SHIFT:.*]] = arith.subi %c32_i32
// CHECK-COUNT-5:   nvvm.shfl.sync bfly
// CHECK:           math.ctpop
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   memref.load %{{.*}} : memref<8x32xi32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @hits(%in: memref<?xi64>, %out: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x4xi32>,
                %counts: memref<64x32xi32>, %totals: memref<2x512xi32>) {
  sparseconv.kernel.search_hits ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
  return
}

// Records of a multiple of eight pieces of 16 bytes have their pieces in an order
// that depends on the row: what lanes write and read at once is in all banks.

// CHECK-LABEL: func.func @records(
// CHECK:         gpu.launch {{.*}} %[[STAGE:[^ ]*]] : memref<1024xvector<4xi32>
// CHECK-COUNT-8:   %[[PLACE:.*]] = arith.xori
// CHECK:           memref.store %{{.*}}, %[[STAGE]][%{{.*}}]
// CHECK:           memref.collapse_shape
// CHECK:           %[[PIECE:.*]] = arith.divui %[[FLAT:.*]], %c8
// CHECK:           %[[TURN:.*]] = arith.andi %[[PIECE]], %c7
// CHECK:           %[[AT:.*]] = arith.xori %[[FLAT]], %[[TURN]]
// CHECK:           memref.load %[[STAGE]][%[[AT]]]
// CHECK:         return
func.func @records(%in: memref<?xi64>, %out: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x32xi32>,
                   %counts: memref<64x32xi32>, %totals: memref<5x512xi32>) {
  sparseconv.kernel.search_hits ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals : memref<1x?xi32>, memref<?x32xi32>, memref<64x32xi32>, memref<5x512xi32>)
      {displacements = array<i64: -1, -4, 0, -1, -3, 0, -1, -2, 0, -1, -1, 0, -1, 0, 0, -1, 1, 0, -1, 2, 0, -1, 3, 0, -1, 4, 0,
                                  0, -4, 0, 0, -3, 0, 0, -2, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0,
                                  1, -4, 0, 1, -3, 0, 1, -2, 0, 1, -1, 0, 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5, 0, 1, 6, 0>,
       packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [8, 8, 8]>, sample_rows = 128 : i64, search = #sparseconv.search<zdelta>}
  return
}

// With a table, both are gathered in shared memory and written.

// CHECK-LABEL: func.func @hits_and_table(
// CHECK-SAME:    %[[RECORDS:[^:]*]]: memref<?x4xi32>, %[[COUNTS:[^:]*]]: memref<64x32xi32>, %[[TOTALS:[^:]*]]: memref<2x512xi32>, %[[TABLE:[^:]*]]: memref<?x4xi32>)
// CHECK:         gpu.launch
// CHECK-COUNT-4:   memref.store %{{.*}} : memref<1024xi32, #gpu.address_space<workgroup>>
// CHECK:           memref.store %{{.*}} : memref<256xvector<4xi32>, #gpu.address_space<workgroup>>
// CHECK:           memref.collapse_shape %[[TABLE]]
// CHECK:           memref.collapse_shape %[[RECORDS]]
// CHECK:         return
func.func @hits_and_table(%in: memref<?xi64>, %out: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x4xi32>,
                          %counts: memref<64x32xi32>, %totals: memref<2x512xi32>, %table: memref<?x4xi32>) {
  sparseconv.kernel.search_hits ins(%in, %out : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals, %table
           : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>, memref<?x4xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1>, packing = #packing, sample_rows = 256 : i64, search = #sparseconv.search<zdelta>}
  return
}

// Displacements with gaps walk along their column.

// CHECK-LABEL: func.func @gaps(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x2xi32>)
// CHECK:         gpu.launch
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           scf.while
// CHECK:           memref.collapse_shape %[[TABLE]]
func.func @gaps(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 2>, packing = #packing, search = #sparseconv.search<zdelta>}
  return
}

// More than 125 displacements are data: there is a loop over columns, and one
// along each. The bounds of the columns come from shared memory, and entries go
// to the table one by one.

// CHECK-LABEL: func.func @loops(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x126xi32>)
// CHECK-DAG:     %[[FIRSTS:.*]] = memref.get_global @{{.*}} : memref<2xi64>
// CHECK-DAG:     %[[PACKED:.*]] = memref.get_global @{{.*}} : memref<126xi64>
// CHECK-DAG:     %[[NUMBERS:.*]] = memref.get_global @{{.*}} : memref<126xi32>
// CHECK-DAG:     %[[STARTS:.*]] = memref.get_global @{{.*}} : memref<3xi32>
// CHECK:         gpu.launch {{.*}} workgroup(%[[BOUNDS:[^ ]*]] : memref<3x2xi32, #gpu.address_space<workgroup>>)
// CHECK:           gpu.barrier
// CHECK:           %[[KEY:.*]] = memref.load %[[OUT]]
// CHECK:           scf.for %[[COLUMN:.*]] = %c0 to %c2
// CHECK:             %[[FIRST:.*]] = memref.load %[[FIRSTS]][%[[COLUMN]]]
// CHECK:             arith.addi %[[KEY]], %[[FIRST]]
// CHECK:             memref.load %[[BOUNDS]]
// CHECK:             memref.load %[[STARTS]][%[[COLUMN]]]
// CHECK:             scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %c1 iter_args
// CHECK:               %[[ADDED:.*]] = memref.load %[[PACKED]][%[[I]]]
// CHECK:               arith.addi %[[KEY]], %[[ADDED]]
// CHECK:               memref.load %[[NUMBERS]][%[[I]]]
// CHECK:               memref.store %{{.*}}, %[[TABLE]]
// CHECK:               scf.yield
// CHECK-NOT:       memref.store
// CHECK:         return
func.func @loops(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x126xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x126xi32>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1, 0, 0, 2, 0, 0, 3, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 7, 0, 0, 8,
                                  0, 0, 9, 0, 0, 10, 0, 0, 11, 0, 0, 12, 0, 0, 13, 0, 0, 14, 0, 0, 15, 0, 0, 16, 0, 0, 17,
                                  0, 0, 18, 0, 0, 19, 0, 0, 20, 0, 0, 21, 0, 0, 22, 0, 0, 23, 0, 0, 24, 0, 0, 25, 0, 0, 26,
                                  0, 0, 27, 0, 0, 28, 0, 0, 29, 0, 0, 30, 0, 0, 31, 0, 0, 32, 0, 0, 33, 0, 0, 34, 0, 0, 35,
                                  0, 0, 36, 0, 0, 37, 0, 0, 38, 0, 0, 39, 0, 0, 40, 0, 0, 41, 0, 0, 42, 0, 0, 43, 0, 0, 44,
                                  0, 0, 45, 0, 0, 46, 0, 0, 47, 0, 0, 48, 0, 0, 49, 0, 0, 50, 0, 0, 51, 0, 0, 52, 0, 0, 53,
                                  0, 0, 54, 0, 0, 55, 0, 0, 56, 0, 0, 57, 0, 0, 58, 0, 0, 59, 0, 0, 60, 0, 0, 61, 0, 0, 62,
                                  0, 1, 0, 0, 1, 1, 0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5, 0, 1, 6, 0, 1, 7, 0, 1, 8,
                                  0, 1, 9, 0, 1, 10, 0, 1, 11, 0, 1, 12, 0, 1, 13, 0, 1, 14, 0, 1, 15, 0, 1, 16, 0, 1, 17,
                                  0, 1, 18, 0, 1, 19, 0, 1, 20, 0, 1, 21, 0, 1, 22, 0, 1, 23, 0, 1, 24, 0, 1, 25, 0, 1, 26,
                                  0, 1, 27, 0, 1, 28, 0, 1, 29, 0, 1, 30, 0, 1, 31, 0, 1, 32, 0, 1, 33, 0, 1, 34, 0, 1, 35,
                                  0, 1, 36, 0, 1, 37, 0, 1, 38, 0, 1, 39, 0, 1, 40, 0, 1, 41, 0, 1, 42, 0, 1, 43, 0, 1, 44,
                                  0, 1, 45, 0, 1, 46, 0, 1, 47, 0, 1, 48, 0, 1, 49, 0, 1, 50, 0, 1, 51, 0, 1, 52, 0, 1, 53,
                                  0, 1, 54, 0, 1, 55, 0, 1, 56, 0, 1, 57, 0, 1, 58, 0, 1, 59, 0, 1, 60, 0, 1, 61, 0, 1, 62>,
       packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 99]>, search = #sparseconv.search<zdelta>}
  return
}

}
