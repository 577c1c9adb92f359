// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The main loop wgmma of a gradient by the weights: 27 offsets, 128 by 64 channels
// of f16. A thread block has two offsets, each of which belongs to a team of one
// warpgroup. Each team has a ring of four stages with 16 rows of x, of 256 bytes,
// and 16 of dy, of 128 bytes: 6144 bytes per stage, 24576 per team.

// Five chunks of rows for each of 14 pairs of offsets: 70 thread blocks.
// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<5x221184xf32>
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c70, %c1, %c1) threads in (%c256, %c1, %c1)

// The rings of both teams, their lists, and a total for each warp.
// CHECK:      gpu.func @weight_grad(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:        %[[OWN:.*]] = arith.divui %[[THREAD]], %c128_i32
// CHECK:        %[[TEAM:.*]] = nvvm.shfl.sync idx %{{.*}}, %[[OWN]], %c0_i32
// CHECK:        %[[LISTS:.*]] = llvm.getelementptr %[[SHARED]][49152]
// CHECK:        %[[TOTALS:.*]] = llvm.getelementptr %[[LISTS]][17408]
// CHECK:        %[[PLACE:.*]] = arith.muli %[[TEAM]], %c24576_i32
// CHECK:        %[[RING:.*]] = llvm.getelementptr %[[SHARED]][%[[PLACE]]]
// CHECK:        %[[PLACE:.*]] = arith.muli %[[TEAM]], %c8704_i32
// CHECK:        %[[LIST:.*]] = llvm.getelementptr %[[LISTS]][%[[PLACE]]]

// The thread block starts with the offsets in the middle of the box. The last one
// has no second offset: its second team finds no pair, and stores nothing.
// CHECK:        %[[PLACE:.*]] = arith.divui %{{.*}}, %c5_i32
// CHECK:        %[[TURNED:.*]] = arith.addi %[[PLACE]], %c7_i32
// CHECK:        %[[PAIR:.*]] = arith.remui %[[TURNED]], %c14_i32
// CHECK:        %[[FIRST:.*]] = arith.muli %[[PAIR]], %c2_i32
// CHECK:        %[[OFFSET:.*]] = arith.addi %[[FIRST]], %[[TEAM]]
// CHECK:        %[[HAS:.*]] = arith.cmpi ult, %[[OFFSET]], %c27_i32
// CHECK:        arith.minui %[[OFFSET]], %c26_i32
// CHECK:        %[[ROWS:.*]] = arith.select %[[HAS]], %{{.*}}, %c0_i32

// Neighbouring threads copy neighbouring pieces of 16 bytes: of x 16 threads a row,
// in two halves of 64 channels, of dy 8. The pieces of a half are permuted by the
// last three bits of the row's place.
// CHECK:        %[[PIECE:.*]] = arith.remui %[[LANE:.*]], %c16_i32
// CHECK:        %[[ROW:.*]] = arith.divui %[[LANE]], %c16_i32
// CHECK:        %[[LOW:.*]] = arith.remui %[[PIECE]], %c8_i32
// CHECK:        %[[BITS:.*]] = arith.remui %[[ROW]], %c8_i32
// CHECK:        %[[PERMUTED:.*]] = arith.xori %[[LOW]], %[[BITS]]
// CHECK:        %[[HALF:.*]] = arith.divui %[[PIECE]], %c8_i32
// CHECK:        arith.muli %[[HALF]], %c2048_i32
// CHECK:        arith.muli %[[ROW]], %c128_i32
// CHECK:        arith.muli %[[PERMUTED]], %c16_i32
// CHECK:        %[[XTO:.*]] = llvm.getelementptr %[[RING]]
// CHECK:        %[[PIECE:.*]] = arith.remui %[[LANE]], %c8_i32
// CHECK:        %[[DYTO:.*]] = llvm.getelementptr %{{.*}}[4096]

// 64 sums for each thread go through all lists of the chunk.
// CHECK:        scf.while (%[[ROW:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %cst,

// First the lists of pairs: each thread reads four entries of its offset's column.
// All threads of the block meet, so every team knows the pairs of both.
// CHECK:          %[[LISTED:.*]]:3 = scf.while (%[[AT:[^ ]*]] = %[[ROW]], %{{[^ ]*}} = %c0_i32, %{{[^ ]*}} = %c0_i32)
// CHECK:            ld.global.nc.v4.b32
// CHECK:            arith.cmpi ult, %{{.*}}, %[[ROWS]]
// CHECK-COUNT-4:    nvvm.vote.sync ballot
// CHECK:            nvvm.barrier{{$}}
// CHECK:            llvm.load %[[TOTALS]]
// CHECK-COUNT-4:    scf.if
// CHECK:            nvvm.barrier{{$}}
// CHECK:            arith.addi %[[AT]], %c512_i32
// CHECK:            scf.condition

// Prologue: three stages are filled, each by a group of copies, of two rows of x and
// one of dy by each thread. The L1 cache keeps the rows for the other team.
// CHECK:          %[[PAIRS:.*]] = nvvm.shfl.sync
// CHECK:          scf.if
// CHECK:            nvvm.cp.async.shared.global %[[XTO]], %{{.*}}, 16, cache = ca, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:            %[[NEXT:.*]] = llvm.getelementptr %[[XTO]][1024]
// CHECK:            nvvm.cp.async.shared.global %[[NEXT]]
// CHECK:            nvvm.cp.async.shared.global %[[DYTO]]
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK-COUNT-3:    nvvm.cp.async.shared.global
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK-COUNT-3:    nvvm.cp.async.shared.global
// CHECK:          nvvm.cp.async.commit.group

// A step waits until all but the last two groups are done, shows wgmma what was
// copied, and then waits for its team, ..
// CHECK:          scf.for %[[STEP:.*]] = %c0_i32 to
// CHECK:            nvvm.cp.async.wait.group 2
// CHECK-NEXT:       nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK:            %[[BARRIER:.*]] = arith.addi %[[TEAM]], %c1_i32
// CHECK-NEXT:       nvvm.barrier id = %[[BARRIER]] number_of_threads = %c128_i32

// .. starts to multiply 16 pairs: two instructions of 64 by 64 channels with both
// sides transposed. Descriptors have 128 from 64 channels to the next (2048 bytes),
// 64 from eight pairs to the next (1024 bytes), and a swizzle of 128 bytes: bits 16,
// 32 and 62 on. The second 64 channels of x begin 2048 bytes on.
// CHECK:            %[[STAGE:.*]] = arith.andi %[[STEP]], %c3_i32
// CHECK:            arith.muli %[[STAGE]], %c6144_i32
// CHECK:            %[[LEFT:.*]] = arith.ori %{{.*}}, %c4611686293313683456_i64
// CHECK:            %[[DYAT:.*]] = arith.addi %{{.*}}, %c4096_i32
// CHECK:            %[[RIGHT:.*]] = arith.ori %{{.*}}, %c4611686293313683456_i64
// CHECK:            nvvm.wgmma.fence.aligned
// CHECK:            llvm.inline_asm {{.*}}"wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {{.*}}, $32, $33, 1, 1, 1, 1, 1;", {{.*}} %[[LEFT]], %[[RIGHT]],
// CHECK:            %[[LOWER:.*]] = arith.addi %[[LEFT]], %c128_i64
// CHECK:            llvm.inline_asm {{.*}}m64n64k16{{.*}} %[[LOWER]], %[[RIGHT]],
// CHECK:            nvvm.wgmma.commit.group

// .. fills the stage of the step before, three steps ahead, while the tensor cores
// work, and waits for them.
// CHECK:            %[[AHEAD:.*]] = arith.addi %[[STEP]], %c3_i32
// CHECK:            scf.if
// CHECK-COUNT-3:      nvvm.cp.async.shared.global
// CHECK:            nvvm.cp.async.commit.group
// CHECK-NEXT:       nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:            scf.yield

// Before the next lists are written, all are done with these.
// CHECK:          nvvm.barrier{{$}}
// CHECK:          scf.condition

// Epilogue: a lane has two neighbouring columns of eight, and two rows, of each of
// eight columns and 64 rows.
// CHECK:        scf.if %[[HAS]]
// CHECK:          %[[SPLIT:.*]] = llvm.getelementptr %[[SUMS]]
// CHECK:          %[[TO:.*]] = llvm.getelementptr %[[SPLIT]]
// CHECK:          llvm.store {{.*}}, %[[TO]] {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK:          %[[BELOW:.*]] = llvm.getelementptr %[[TO]][2048]
// CHECK:          llvm.store {{.*}}, %[[BELOW]] {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK:          %[[RIGHT:.*]] = llvm.getelementptr %[[TO]][32]
// CHECK:          llvm.store {{.*}}, %[[RIGHT]] {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-COUNT-29: llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT:      llvm.store
// CHECK:        gpu.return
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @weight_grad(%x: memref<?x128xf16>, %dy: memref<?x64xf16>, %table: memref<?x27xi32>, %dw: memref<27x128x64xf16>) {
  sparseconv.kernel.implicit_weight_grad
      ins(%x, %dy, %table : memref<?x128xf16>, memref<?x64xf16>, memref<?x27xi32>)
      outs(%dw : memref<27x128x64xf16>)
      {split_k = 5 : i64, tiling = #sparseconv.weight_grad_tiling<wgmma, tile_offsets = 2, tile_in = 128, tile_out = 64, piece_in = 128, piece_out = 64, pairs = 16, stages = 4>}
  return
}
}
