// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// From a set to itself, the keys that the rows of a thread block meet lie in a few
// short windows of the sorted keys, one for each group of columns that differ on
// the last two axes only.

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Three columns of three in two groups: (-1, 0, *), and (0, 0, *) with (0, 1, *).
// Shared memory has the ranges of the four fields of the block's rows, where each
// window starts and ends, and the pool of words.

// CHECK-LABEL: func.func @hits(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[MASKS:[^:]*]]: memref<1x?xi32>
// CHECK:         %[[SIZE:.*]] = memref.dim %[[KEYS]]
// CHECK:         %[[COUNT:.*]] = arith.index_cast %[[SIZE]] : index to i32
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c128,
// CHECK-SAME:      workgroup(%[[RANGES:[^ ]*]] : memref<8xi32{{[^%]*}}%[[BOUNDS:[^ ]*]] : memref<4xi32{{[^%]*}}%[[POOL:[^ ]*]] : memref<3072xi32

// A thread without a row takes the last one, so that warps are whole.
// CHECK:           %[[LAST:.*]] = arith.subi %[[SIZE]], %c1
// CHECK:           %[[ROW:.*]] = arith.minsi %{{.*}}, %[[LAST]]
// CHECK-NEXT:      memref.load %[[KEYS]][%[[ROW]]]

// Each field has a greatest value and a greatest complement in the block.
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   nvvm.redux.sync umax
// CHECK:           memref.atomic_rmw maxu %{{.*}}, %[[RANGES]]

// A warp looks for one of the four bounds among all keys: each step leaves one of
// 32 parts.
// CHECK:           scf.while (%{{.*}} = %[[COUNT]], %{{.*}} = %c0_i32)
// CHECK:             %[[PART:.*]] = arith.shrui %{{.*}}, %c5_i32
// CHECK:             memref.load %[[KEYS]]
// CHECK:             nvvm.vote.sync ballot
// CHECK:             math.ctpop
// CHECK:             scf.yield %[[PART]]
// CHECK:           memref.store %{{.*}}, %[[BOUNDS]]
// CHECK:           gpu.barrier

// Where there are at most 2^28 dense numbers, which leaves three bits of a word
// and one more, and the windows fit the pool, it is filled. All keys of another
// batch below have the number 0, and all above the last. A word gets bits for the
// keys up to two above its own, from the next lane and the one after that.
// CHECK-COUNT-8:   memref.load %[[RANGES]]
// CHECK-COUNT-4:   memref.load %[[BOUNDS]]
// CHECK:           %[[ARE_FEW:.*]] = arith.cmpi sle, %{{.*}}, %c268435456_i64
// CHECK:           %[[HAVE_ROOM:.*]] = arith.cmpi sle, %[[USED:.*]], %c3072_i32
// CHECK:           %[[FITS:.*]] = arith.andi %[[ARE_FEW]], %[[HAVE_ROOM]]
// CHECK:           scf.if %[[FITS]]
// CHECK:             scf.for {{.*}} to %[[USED]] step %c240_i32
// CHECK-COUNT-2:       memref.load %[[KEYS]]
// CHECK:               %[[IS_BELOW:.*]] = arith.cmpi sle, %[[BATCH:.*]], %{{.*}} : i32
// CHECK-NEXT:          arith.select %[[IS_BELOW]], %c0_i32
// CHECK-NEXT:          %[[IS_ABOVE:.*]] = arith.cmpi sle, %{{.*}}, %[[BATCH]] : i32
// CHECK-NEXT:          arith.select %[[IS_ABOVE]], %{{.*}}
// CHECK:               %[[WORD:.*]] = arith.select %{{.*}}, %c-1_i32
// CHECK:               nvvm.shfl.sync down %c-1_i32, %[[WORD]], %c1_i32
// CHECK:               nvvm.shfl.sync down %{{.*}}, %c2_i32
// CHECK:               memref.store %{{.*}}, %[[POOL]]
// CHECK:           gpu.barrier

// A row halves the window until 128 places are left, and then without a loop: by
// eight loads for a column, the last of which tells its hits.
// CHECK:           scf.if %[[FITS]]
// CHECK:             scf.while
// CHECK:               memref.load %[[POOL]]
// CHECK-COUNT-8:     memref.load %[[POOL]]
// CHECK-NOT:         memref.load %[[POOL]]

// The second group has two columns side by side.
// CHECK:           nvvm.bar.warp.sync
// CHECK:           scf.if %[[FITS]]
// CHECK:             scf.while
// CHECK-COUNT-2:       memref.load %[[POOL]]
// CHECK-COUNT-16:    memref.load %[[POOL]]
// CHECK-NOT:         memref.load %[[POOL]]

// Where windows do not fit, a row searches them in place, side by side, and then looks
// at three keys for the hits of each column.
// CHECK:           } else {
// CHECK:             memref.load %[[BOUNDS]][%c1]
// CHECK:             scf.while
// CHECK:             } do {
// CHECK-COUNT-2:       memref.load %[[KEYS]]
// CHECK-NOT:           memref.load %[[KEYS]]
// CHECK:               scf.yield
// The last step of the halving, for both columns.
// CHECK-COUNT-2:     memref.load %[[KEYS]]
// Three keys for each.
// CHECK-COUNT-6:     memref.load %[[KEYS]]
// CHECK-NOT:         memref.load %[[KEYS]]
// CHECK-COUNT-2:   arith.andi %{{.*}}, %c7_i32
// CHECK:           memref.store %{{.*}}, %[[MASKS]]
// CHECK-NOT:       memref.load %[[KEYS]]
// CHECK:         return
func.func @hits(%keys: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x4xi32>,
                %counts: memref<64x32xi32>, %totals: memref<2x512xi32>) {
  sparseconv.kernel.search_hits ins(%keys, %keys : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
      {displacements = array<i64: -1, 0, -1, -1, 0, 0, -1, 0, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 1>,
       packing = #packing, sample_rows = 128 : i64, search = #sparseconv.search<zdelta>}
  return
}

// Of a coarse set, numbers count in units of what coordinates and displacements
// are multiples of: 4, 3 and 2 here, where the stride is 4, 3 and 8. Where windows
// do not fit, a hit is at most two times 4 above the query of its column.

// CHECK-LABEL: func.func @coarse(
// CHECK:         gpu.launch
// CHECK:           arith.andi %{{.*}}, %c65535_i32
// CHECK-NEXT:      arith.divui %{{.*}}, %c4_i32
// CHECK:           arith.andi %{{.*}}, %c1048575_i32
// CHECK-NEXT:      arith.divui %{{.*}}, %c3_i32
// CHECK:           arith.andi %{{.*}}, %c1048575_i32
// CHECK-NEXT:      arith.divui %{{.*}}, %c2_i32
// CHECK-NOT:       arith.divui
// CHECK:           scf.while (%{{.*}}, %{{.*}}) : (i32, i32)
// CHECK:             memref.load %{{.*}} : memref<?xi64>
// CHECK:           } else {
// CHECK:             %[[ABOVE:.*]] = arith.subi %{{.*}}, %{{.*}} : i64
// CHECK-NEXT:        %[[IS_HIT:.*]] = arith.cmpi ult, %[[ABOVE]], %c9_i64
// CHECK-NEXT:        %[[LOW:.*]] = arith.trunci %[[ABOVE]]
// CHECK-NEXT:        %[[STEPS:.*]] = arith.divui %[[LOW]], %c4_i32
// CHECK-NEXT:        arith.shli %c1_i32, %[[STEPS]]
// CHECK:         return
func.func @coarse(%keys: memref<?xi64>, %masks: memref<1x?xi32>, %records: memref<?x4xi32>,
                  %counts: memref<64x32xi32>, %totals: memref<2x512xi32>) {
  sparseconv.kernel.search_hits ins(%keys, %keys : memref<?xi64>, memref<?xi64>)
      outs(%masks, %records, %counts, %totals : memref<1x?xi32>, memref<?x4xi32>, memref<64x32xi32>, memref<2x512xi32>)
      {displacements = array<i64: 0, 0, -4, 0, 0, 0, 0, 0, 4, 2, 0, 0>, in_stride = array<i64: 8, 3, 4>, out_stride = array<i64: 8, 3, 4>,
       packing = #packing, sample_rows = 128 : i64, search = #sparseconv.search<zdelta>}
  return
}

// Columns that are far apart would need long windows: rows search among all keys,
// between the bounds of the first of every 32 rows.

// CHECK-LABEL: func.func @far(
// CHECK:         gpu.launch {{.*}} threads({{.*}} = %c128, {{.*}} workgroup(%{{[^ ]*}} : memref<5x2xi32
// CHECK-NOT:       nvvm.redux.sync
// CHECK:         return
func.func @far(%keys: memref<?xi64>, %table: memref<?x2xi32>) {
  sparseconv.kernel.search ins(%keys, %keys : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x2xi32>)
      {displacements = array<i64: 0, -4, 0, 0, 5, 0>, packing = #packing, search = #sparseconv.search<zdelta>}
  return
}

}
