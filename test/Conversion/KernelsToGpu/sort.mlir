// RUN: sparseconv-opt %s --convert-sparseconv-to-gpu --canonicalize --cse | FileCheck %s

module attributes {sparseconv.target = "cuda"} {

// Three digits of 8 bits hold keys of 17. Each pass counts, then moves; the last one writes the results, the one before it to a side and the first one
// to the results, too.

// CHECK-LABEL: func.func @sort(
// CHECK-SAME:    %[[KEYS:[^:]*]]: memref<?xi64>, %[[SORTED:[^:]*]]: memref<?xi64>, %[[ORDER:[^:]*]]: memref<?xi32>)
// CHECK:         %[[N:.*]] = memref.dim %[[KEYS]], %c0
// CHECK:         %[[SIDE_KEYS:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi64>
// CHECK:         %[[SIDE_ORDER:.*]] = memref.alloc(%[[N]]) {{.*}} : memref<?xi32>
// CHECK:         %[[TILES:.*]] = arith.ceildivsi %[[N]], %c2048

// How many keys of each tile have each digit.
// CHECK:         %[[COUNTS:.*]] = memref.alloc(%[[TILES]]) {{.*}} : memref<?x256xi32>
// CHECK:         gpu.launch blocks(%[[TILE:[^,]*]], {{.*}} = %[[TILES]], {{.*}} threads(%[[T:[^,]*]], {{.*}} = %c512,
// CHECK-SAME:      workgroup(%[[HISTOGRAM:[^ ]*]] : memref<256xi32, #gpu.address_space<workgroup>>)
// CHECK:           memref.store %c0_i32, %[[HISTOGRAM]][%[[T]]]
// CHECK:           gpu.barrier
// CHECK-COUNT-4:   memref.atomic_rmw addi %c1_i32, %[[HISTOGRAM]]
// CHECK:           gpu.barrier
// CHECK:           %[[COUNT:.*]] = memref.load %[[HISTOGRAM]][%[[T]]]
// CHECK:           memref.store %[[COUNT]], %[[COUNTS]][%[[TILE]], %[[T]]]

// A tile's first place for a digit: the keys with lower digits, and those with
// this one in the tiles before. A thread sums the counts of its digit, warps and
// then the block the sums of the digits.
// CHECK:         gpu.launch {{.*}} workgroup(%[[SEEN:[^ ]*]] : memref<16x256xi32{{[^%]*}}%[[FIRSTS:[^ ]*]] : memref<256xi32
// CHECK:           scf.for %{{.*}} = %c0 to %[[TILES]] step %c8
// CHECK-COUNT-8:     memref.load %[[COUNTS]]
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}}, %[[FIRSTS]]

// A warp ranks 32 keys at a time by the lanes with the same digit.
// CHECK:           %[[LOWER:.*]] = nvvm.read.ptx.sreg.lanemask.lt
// CHECK:           %[[PEERS:.*]] = nvvm.match.sync any
// CHECK:           %[[BEFORE:.*]] = arith.andi %[[PEERS]], %[[LOWER]]
// CHECK:           math.ctpop %[[BEFORE]]
// CHECK:           nvvm.bar.warp.sync
// CHECK:           gpu.barrier
// CHECK:           memref.load %[[FIRSTS]]
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}}, %[[SORTED]]
// CHECK:           memref.store %{{.*}}, %[[ORDER]]
// CHECK:         memref.dealloc %[[COUNTS]]

// The second digit, from the results to the side.
// CHECK:         gpu.launch
// CHECK:           memref.load %[[SORTED]]
// CHECK:           arith.shrui %{{.*}}, %c8_i64
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}}, %[[SIDE_KEYS]]
// CHECK:           memref.store %{{.*}}, %[[SIDE_ORDER]]

// The third, back.
// CHECK:         gpu.launch
// CHECK:           memref.load %[[SIDE_KEYS]]
// CHECK:           arith.shrui %{{.*}}, %c16_i64
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}}, %[[SORTED]]
// CHECK:           memref.store %{{.*}}, %[[ORDER]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @sort(%keys: memref<?xi64>, %sorted: memref<?xi64>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi64>)
      outs(%sorted, %permutation : memref<?xi64>, memref<?xi32>) {bits = 17 : i64}
  return
}

// One digit needs no side.
// CHECK-LABEL: func.func @one_digit(
// CHECK-COUNT-1: memref.alloc
// CHECK-NOT:     memref.alloc
// CHECK:         return
func.func @one_digit(%keys: memref<?xi32>, %sorted: memref<?xi32>, %permutation: memref<?xi32>) {
  sparseconv.kernel.sort ins(%keys : memref<?xi32>)
      outs(%sorted, %permutation : memref<?xi32>, memref<?xi32>) {bits = 8 : i64}
  return
}

}
