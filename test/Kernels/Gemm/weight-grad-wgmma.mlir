// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The main loop wgmma of a gradient by the weights: 27 offsets, 128 by 64 channels
// of f16, of which a thread block of one warpgroup has all. A ring of four stages
// has 16 rows of x, of 256 bytes, and 16 of dy, of 128 bytes: 6144 bytes per stage.
// How pairs are found and their rows numbered is that of weight-grad-mma.mlir.

// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<264x8192xf32>
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c264, %c1, %c1) threads in (%c128, %c1, %c1)

// CHECK:      gpu.func @weight_grad(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %[[IN:[^:]*]]: !llvm.ptr<1>, %[[OUT:[^:]*]]: !llvm.ptr<1>, %[[COUNTS:[^:]*]]: !llvm.ptr<1>, %[[SHARES:[^:]*]]: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:        %[[ROWS:.*]] = llvm.getelementptr %[[SHARED]][24576]

// Neighbouring threads copy neighbouring pieces of 16 bytes: of x 16 threads a row,
// in two halves of 64 channels, of dy 8. The pieces of a half are permuted by the
// last three bits of the row's place.
// CHECK:        %[[PIECE:.*]] = arith.remui %[[THREAD]], %c16_i32
// CHECK:        %[[ROW:.*]] = arith.divui %[[THREAD]], %c16_i32
// CHECK:        %[[LOW:.*]] = arith.remui %[[PIECE]], %c8_i32
// CHECK:        %[[BITS:.*]] = arith.remui %[[ROW]], %c8_i32
// CHECK:        %[[PERMUTED:.*]] = arith.xori %[[LOW]], %[[BITS]]
// CHECK:        %[[HALF:.*]] = arith.divui %[[PIECE]], %c8_i32
// CHECK:        arith.muli %[[HALF]], %c2048_i32
// CHECK:        arith.muli %[[ROW]], %c128_i32
// CHECK:        arith.muli %[[PERMUTED]], %c16_i32
// CHECK:        %[[XTO:.*]] = llvm.getelementptr %[[SHARED]]
// CHECK:        %[[PIECE:.*]] = arith.remui %[[THREAD]], %c8_i32
// CHECK:        %[[DYTO:.*]] = llvm.getelementptr %{{.*}}[4096]

// Prologue: three stages are filled, each by a group of copies, of two rows of x and
// one of dy by each thread.
// CHECK:          nvvm.cp.async.wait.group 0
// CHECK-NEXT:     nvvm.barrier
// CHECK:          scf.if
// CHECK:            nvvm.cp.async.shared.global %[[XTO]], %{{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:            %[[NEXT:.*]] = llvm.getelementptr %[[XTO]][1024]
// CHECK:            nvvm.cp.async.shared.global %[[NEXT]]
// CHECK:            nvvm.cp.async.shared.global %[[DYTO]]
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK-COUNT-3:    nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK-COUNT-3:    nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:          nvvm.cp.async.commit.group

// A step waits until all but the last two groups are done, shows wgmma what was
// copied, and then waits for all threads, ..
// CHECK:          scf.for %[[STEP:.*]] = %c0_i32 to
// CHECK:            nvvm.cp.async.wait.group 2
// CHECK-NEXT:       nvvm.fence.proxy {kind = #nvvm.proxy_kind<async.shared>, space = #nvvm.shared_space<cta>}
// CHECK-NEXT:       nvvm.barrier

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
// CHECK-COUNT-3:      nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:            nvvm.cp.async.commit.group
// CHECK-NEXT:       nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:            scf.yield

// Epilogue: a lane has two neighbouring columns of eight, and two rows, of each of
// eight columns and 64 rows.
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
func.func @weight_grad(%x: memref<?x128xf16>, %dy: memref<?x64xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x128x64xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x128xf16>, memref<?x64xf16>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x128x64xf16>)
      {split_k = 264 : i64, tiling = #sparseconv.weight_grad_tiling<wgmma, tile_in = 128, tile_out = 64, piece_in = 128, piece_out = 64, pairs = 16, stages = 4>}
  return
}
}
