// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// One kernel counts the distinct keys, 512 positions in each thread block, and a
// second one gives them their rows.

// CHECK-LABEL: func.func @unique(
// CHECK-SAME:    %[[SORTED:[^:]*]]: memref<?xi64>, %[[PERMUTATION:[^:]*]]: memref<?xi32>, %[[STATUS:[^:]*]]: memref<8xi64>, %[[KEYS:[^:]*]]: memref<?xi64>, %[[ORDER:[^:]*]]: memref<?xi32>, %[[ROW_OF:[^:]*]]: memref<?xi32>, %[[COUNT:[^:]*]]: memref<1xindex>)
// CHECK:         %[[N:.*]] = memref.dim %[[SORTED]], %c0
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %[[N]], %c512
// CHECK:         %[[FOUND:.*]] = memref.alloc(%[[BLOCKS]]) {{.*}} : memref<?xi32>

// A key is the first of its kind where it differs from the one before it, or has
// none before it.
// CHECK:         gpu.launch blocks(%[[BLOCK:[^,]*]],{{.*}} in ({{.*}} = %[[BLOCKS]],
// CHECK-SAME:      workgroup(%[[SUMS:[^ ]*]] : memref<16xi32, #gpu.address_space<workgroup>>)
// CHECK:           %[[BEFORE:.*]] = memref.load %[[SORTED]]
// CHECK:           %[[KEY:.*]] = memref.load %[[SORTED]]
// CHECK:           %[[DIFFERS:.*]] = arith.cmpi ne, %[[KEY]], %[[BEFORE]]
// CHECK:           %[[HAS_NONE:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK:           arith.ori %[[DIFFERS]], %[[HAS_NONE]]

// A warp adds up its lanes in five steps. Its last lane leaves the sum for the
// others, and the first thread of the block adds up the sixteen warps.
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           memref.store %{{.*}}, %[[SUMS]]
// CHECK:           gpu.barrier
// CHECK-COUNT-16:  memref.load %[[SUMS]]
// CHECK:           gpu.barrier
// CHECK:           memref.store %{{.*}}, %[[FOUND]][%[[BLOCK]]]
// CHECK-NOT:       memref.atomic_rmw

// Each block of the second kernel adds up what the blocks before it have found, and
// what all have: each thread takes every 512th of them, and the sums go through
// shared memory. Without keys there is one block.
// CHECK:         %[[MOST:.*]] = arith.maxsi %[[BLOCKS]], %c1
// CHECK:         gpu.launch blocks(%[[BLOCK:[^,]*]],{{.*}} in ({{.*}} = %[[MOST]],
// CHECK-SAME:      workgroup(%[[SUMS:[^ ]*]] : memref<16xi32
// CHECK:           scf.for {{.*}} to %[[BLOCKS]] step %c512
// CHECK:             memref.load %[[FOUND]]
// CHECK:             arith.cmpi slt, %{{.*}}, %[[BLOCK]]
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           gpu.barrier
// CHECK-COUNT-16:  memref.load %[[SUMS]]
// CHECK:           gpu.barrier
// CHECK-COUNT-5:   gpu.shuffle up
// CHECK:           gpu.barrier
// CHECK-COUNT-16:  memref.load %[[SUMS]]
// CHECK:           gpu.barrier

// The count is the total, or 0 where there is no room for that many. Then the
// error is reported, unless an operation before this one has reported another. One
// thread does that.
// CHECK:           %[[DISTINCT:.*]] = arith.index_cast
// CHECK:           %[[FITS:.*]] = arith.cmpi sle, %[[DISTINCT]], %c1000
// CHECK:           scf.if
// CHECK:             %[[ROWS:.*]] = arith.select %[[FITS]], %[[DISTINCT]], %c0
// CHECK:             memref.store %[[ROWS]], %[[COUNT]][%c0]
// CHECK:             scf.if
// CHECK:               memref.load %[[STATUS]][%c1]
// CHECK:               scf.if
// CHECK-COUNT-8:         memref.store %{{.*}}, %[[STATUS]]

// Within the block the first keys are ranked in the same way.
// CHECK:           arith.andi %[[FITS]]
// CHECK:           scf.if
// CHECK-COUNT-5:     gpu.shuffle up
// CHECK:             gpu.barrier
// CHECK-COUNT-16:    memref.load %[[SUMS]]
// CHECK:             gpu.barrier

// A first key is written to its row, with the point that it came from. Every point
// learns the row of its key.
// CHECK:             %[[ROW:.*]] = arith.subi %{{.*}}, %c1_i32
// CHECK:             %[[AT:.*]] = arith.index_cast %[[ROW]]
// CHECK:             %[[POINT:.*]] = memref.load %[[PERMUTATION]]
// CHECK:             scf.if
// CHECK:               memref.store %{{.*}}, %[[KEYS]][%[[AT]]]
// CHECK:               memref.store %[[POINT]], %[[ORDER]][%[[AT]]]
// CHECK:             %[[POINT_AT:.*]] = arith.index_cast %[[POINT]]
// CHECK:             memref.store %[[ROW]], %[[ROW_OF]][%[[POINT_AT]]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @unique(%sorted: memref<?xi64>, %permutation: memref<?xi32>, %status: memref<8xi64>, %keys: memref<?xi64>,
                  %order: memref<?xi32>, %row_of: memref<?xi32>, %count: memref<1xindex>) {
  sparseconv.kernel.unique ins(%sorted, %permutation, %status : memref<?xi64>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %order, %row_of, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {capacity = 1000 : i64, op_id = 4 : i64}
  return
}

}
