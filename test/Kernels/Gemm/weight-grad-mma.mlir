// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The main loop mma of a gradient by the weights: 27 offsets, 16 by 16 channels of
// f16. Two warps share the one piece of 16 by 16: of each step of 32 pairs, the
// first warp takes 16 and the second one 16. A ring of four stages holds 32 rows
// of x and 32 of dy, of 48 bytes each with their padding: 3072 bytes per stage.

// Five chunks of rows for each offset: 135 thread blocks. The two warps of each
// leave their sums in ten splits.
// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<10x6912xf32>
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c135, %c1, %c1) threads in (%c64, %c1, %c1)

// CHECK:      gpu.func @weight_grad(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[LIST:.*]] = llvm.getelementptr %[[SHARED]][12288]
// CHECK:        %[[TOTALS:.*]] = llvm.getelementptr %[[LIST]][13312]

// The thread block starts with the offset in the middle of the box, which has most
// pairs, and reads the offset's column of the table.
// CHECK:        %[[PLACE:.*]] = arith.divui %{{.*}}, %c5_i32
// CHECK:        %[[TURNED:.*]] = arith.addi %[[PLACE]], %c13_i32
// CHECK:        arith.remui %[[TURNED]], %c27_i32
// CHECK:        %[[COLUMN:.*]] = llvm.getelementptr %[[TABLE]]

// Eight sums for each thread go through all lists of the chunk.
// CHECK:        scf.while (%[[ROW:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %cst,

// First a list of pairs: each thread reads 16 entries, four at a time. A warp
// counts those that are rows of x by ballots, and leaves the count for the other
// warp.
// CHECK:          scf.while (%[[AT:[^ ]*]] = %[[ROW]], %[[LISTED:[^ ]*]] = %c0_i32)
// CHECK:            llvm.getelementptr %[[COLUMN]]
// CHECK-COUNT-4:    ld.global.nc.v4.b32
// CHECK-COUNT-16:   nvvm.vote.sync ballot
// CHECK:            scf.if
// CHECK:              llvm.store
// CHECK:            nvvm.barrier
// CHECK:            llvm.load %[[TOTALS]]

// Each pair goes to its place: the row of x, and behind all of those the row of dy.
// The list is full with 512 pairs, or at the end of the chunk.
// CHECK:            scf.if
// CHECK:              %[[TO:.*]] = llvm.getelementptr %[[LIST]]
// CHECK:              llvm.store %{{.*}}, %[[TO]]
// CHECK:              %[[OTHER:.*]] = llvm.getelementptr %[[TO]][6656]
// CHECK:              llvm.store %{{.*}}, %[[OTHER]]
// CHECK:            nvvm.barrier
// CHECK:            arith.addi %[[AT]], %c1024_i32
// CHECK:            arith.cmpi ult, %{{.*}}, %c512_i32
// CHECK:            scf.condition

// Prologue: three stages are filled, each by a group of copies: a row of x and one
// of dy take two copies of 16 bytes each. Behind the last pair, copies write zeros.
// A group without copies is committed, too.
// CHECK:          scf.if
// CHECK-COUNT-2:    nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[SHARED]][3072]
// CHECK-COUNT-2:    nvvm.cp.async.shared.global
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[SHARED]][6144]
// CHECK-COUNT-2:    nvvm.cp.async.shared.global
// CHECK:          nvvm.cp.async.commit.group

// A step waits until all but the last two groups are done, which are those of the
// two steps after it, and then for all threads, ..
// CHECK:          scf.for %[[STEP:.*]] = %c0_i32 to
// CHECK:            nvvm.cp.async.wait.group 2
// CHECK-NEXT:       nvvm.barrier

// .. fills the stage of the step before, three steps ahead, ..
// CHECK:            %[[AHEAD:.*]] = arith.addi %[[STEP]], %c3_i32
// CHECK:            scf.if
// CHECK:              %[[FREE:.*]] = arith.andi %[[AHEAD]], %c3_i32
// CHECK:              arith.muli %[[FREE]], %c3072_i32
// CHECK-COUNT-2:      nvvm.cp.async.shared.global
// CHECK:            nvvm.cp.async.commit.group

// .. and multiplies: the fragments come transposed, since the pairs are the inner
// dimension of the product. One instruction has 16 by 8 channels.
// CHECK:            %[[STAGE:.*]] = arith.andi %[[STEP]], %c3_i32
// CHECK:            arith.muli %[[STAGE]], %c3072_i32
// CHECK-COUNT-2:    nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
// CHECK-COUNT-2:    nvvm.mma.sync
// CHECK-NOT:        nvvm.mma.sync
// CHECK:            scf.yield

// Before the next list is written, all are done with this one.
// CHECK:          nvvm.barrier
// CHECK:          scf.condition

// Epilogue: each warp stores to the split that is its own.
// CHECK:        %[[SPLIT:.*]] = llvm.getelementptr %[[SUMS]]
// CHECK:        llvm.getelementptr %[[SPLIT]]
// CHECK:        llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-COUNT-3: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT:    llvm.store
// CHECK:        gpu.return
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @weight_grad(%x: memref<?x16xf16>, %dy: memref<?x16xf16>, %table: memref<?x27xi32>, %dw: memref<27x16x16xf16>) {
  sparseconv.kernel.implicit_weight_grad
      ins(%x, %dy, %table : memref<?x16xf16>, memref<?x16xf16>, memref<?x27xi32>)
      outs(%dw : memref<27x16x16xf16>)
      {split_k = 5 : i64, tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 16, tile_out = 16, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4, blocks = 4>}
  return
}
}
