// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse --split-input-file | FileCheck %s

// A list of pairs for each offset, in three kernels. A thread block has 256 rows,
// of which each thread has one.

// CHECK-LABEL: func.func @box(
// CHECK-SAME:    %[[TABLE:[^:]*]]: memref<?x3xi32>, %[[IN:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?xi32>, %[[COUNTS:[^:]*]]: memref<3xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[TABLE]], %c0
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[N]], %c256
// CHECK:         %[[OF_BLOCKS:.*]] = memref.alloc(%[[BLOCKS]]) {{.*}} : memref<3x?xi32>

// The first kernel counts: a ballot says which rows of a warp have an offset, and a
// thread for each offset adds up the eight warps.
// CHECK:         gpu.launch {{.*}} threads({{.*}}) in (%{{.*}} = %c256
// CHECK-SAME:      workgroup(%[[WARPS:.*]] : memref<8x3xi32, #gpu.address_space<workgroup>>)
// CHECK:           memref.load %[[TABLE]]
// CHECK:           %[[LANES:.*]] = nvvm.vote.sync ballot
// CHECK:           %[[PAIRS:.*]] = math.ctpop %[[LANES]]
// CHECK:           memref.store %[[PAIRS]], %[[WARPS]]
// CHECK-COUNT-2:   nvvm.vote.sync ballot
// CHECK:           gpu.barrier
// CHECK-COUNT-8:   memref.load %[[WARPS]]
// CHECK:           memref.store %{{.*}}, %[[OF_BLOCKS]]

// The second one has a thread block for each offset. It makes of the numbers how
// many pairs come before a block, and tells the number of all.
// CHECK:         gpu.launch blocks({{.*}}) in (%{{.*}} = %c3
// CHECK:           scf.for %{{.*}} = %c0 to %[[BLOCKS]] step %c256
// CHECK:             memref.load %[[OF_BLOCKS]]
// CHECK:             gpu.shuffle up
// CHECK:             memref.store %{{.*}}, %[[OF_BLOCKS]]
// CHECK:           memref.store %{{.*}}, %[[COUNTS]]

// The third one counts again, gives each warp its first place, and writes the rows
// of each pair. The list of offset k begins at k * N.
// CHECK:         gpu.launch {{.*}} workgroup(%[[PLACES:.*]] : memref<8x3xi32, #gpu.address_space<workgroup>>)
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[OF_BLOCKS]]
// CHECK:           gpu.barrier
// CHECK:           %[[ENTRY:.*]] = memref.load %[[TABLE]]
// CHECK:           %[[HAS:.*]] = arith.cmpi sge, %[[ENTRY]], %c0_i32
// CHECK:           nvvm.vote.sync ballot
// CHECK:           scf.if
// CHECK:             memref.load %[[PLACES]]
// CHECK:             memref.store %[[ENTRY]], %[[IN]][%[[AT:.*]]]
// CHECK:             memref.store %{{.*}}, %[[OUT]][%[[AT]]]
// CHECK:         return
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @box(%table: memref<?x3xi32>, %in: memref<?xi32>, %out: memref<?xi32>, %counts: memref<3xi32>) {
  sparseconv.kernel.offset_lists ins(%table : memref<?x3xi32>)
      outs(%in, %out, %counts : memref<?xi32>, memref<?xi32>, memref<3xi32>)
  return
}
}

// -----

// Of many offsets, a thread block has 256 at most: shared memory has no room for
// more. Here there are two thread blocks for each 256 rows.

// CHECK-LABEL: func.func @many(
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi
// CHECK:         %[[ALL:.*]] = arith.muli %[[BLOCKS]], %c2
// CHECK:         gpu.launch blocks({{.*}}) in (%{{.*}} = %[[ALL]]
// CHECK-SAME:      memref<8x256xi32, #gpu.address_space<workgroup>>
// CHECK:         gpu.launch blocks({{.*}}) in (%{{.*}} = %c343
// CHECK:         gpu.launch blocks({{.*}}) in (%{{.*}} = %[[ALL]]
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @many(%table: memref<?x343xi32>, %in: memref<?xi32>, %out: memref<?xi32>, %counts: memref<343xi32>) {
  sparseconv.kernel.offset_lists ins(%table : memref<?x343xi32>)
      outs(%in, %out, %counts : memref<?xi32>, memref<?xi32>, memref<343xi32>)
  return
}
}
