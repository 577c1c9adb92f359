// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The main loop mma of a gradient by the weights: 27 offsets, 16 by 16 channels of
// f16. Two warps share the one piece of 16 by 16: of each step of 32 pairs, the
// first warp takes 16 and the second one 16. A ring of four stages holds 32 rows
// of x and 32 of dy, of 48 bytes each with their padding: 3072 bytes per stage.

// Forty thread blocks share the pairs. The two warps of each leave their sums in
// two of 80 splits.
// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<80x256xf32>
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c40, %c1, %c1) threads in (%c64, %c1, %c1)

// CHECK:      gpu.func @weight_grad(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %[[IN:[^:]*]]: !llvm.ptr<1>, %[[OUT:[^:]*]]: !llvm.ptr<1>, %[[COUNTS:[^:]*]]: !llvm.ptr<1>, %[[SHARES:[^:]*]]: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:        %[[ROWS:.*]] = llvm.getelementptr %[[SHARED]][12288]

// Each lane looks at an offset. Those whose thread blocks end before this one come
// before its own.
// CHECK:        %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:        %[[END:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:        %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c1_i32
// CHECK:        arith.cmpi ult, %[[END]], %[[NEXT]]
// CHECK:        %[[LANES:.*]] = nvvm.vote.sync ballot
// CHECK:        %[[NUMBER:.*]] = math.ctpop %[[LANES]]
// CHECK:        nvvm.shfl.sync idx %{{.*}}, %[[NUMBER]], %c0_i32

// The thread blocks of an offset take its steps in turn. This one is number TURN of
// TURNS; it has nothing to do if there is no step, or no such offset.
// CHECK:        %[[BEGIN:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:        %[[STOP:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:        %[[PAIRS:.*]] = llvm.load %{{.*}} : !llvm.ptr<1> -> i32
// CHECK:        %[[OWN:.*]] = arith.subi %[[STOP]], %[[BEGIN]]
// CHECK:        %[[TURNS:.*]] = arith.maxui %[[OWN]], %c1_i32
// CHECK:        %[[TURN:.*]] = arith.subi %[[BLOCK]], %[[BEGIN]]
// CHECK:        arith.divui %{{.*}}, %[[TURNS]]
// CHECK:        %[[STEPS:.*]] = arith.select
// CHECK:        %[[HAS:.*]] = arith.cmpi ne, %[[STEPS]], %c0_i32
// CHECK:        scf.if %[[HAS]]

// Prologue: the numbers of the rows of the first three steps, 32 of x and 32 of dy,
// for which all threads wait.
// CHECK:          %[[FIRST:.*]] = arith.muli %[[TURN]], %c32_i32
// CHECK:          arith.select %{{.*}}, %[[OUT]], %[[IN]]
// CHECK-COUNT-3:  nvvm.cp.async.shared.global {{.*}}, 4, cache = ca, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:          nvvm.cp.async.commit.group
// CHECK-NEXT:     nvvm.cp.async.wait.group 0
// CHECK-NEXT:     nvvm.barrier

// Three stages are filled, each by a group of copies: a row of x and one of dy take
// two copies of 16 bytes each. What is no row of x, or behind the last pair, becomes
// zeros. The numbers of the rows three steps on come with them.
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[ROWS]]
// CHECK-COUNT-2:    nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:          }
// CHECK:          nvvm.cp.async.shared.global {{.*}}, 4, cache = ca
// CHECK-NEXT:     nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[SHARED]][3072]
// CHECK-COUNT-2:    nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[SHARED]][6144]
// CHECK-COUNT-2:    nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:          nvvm.cp.async.commit.group

// A step waits until all but the last two groups are done, which are those of the
// two steps after it, and then for all threads, ..
// CHECK:          scf.for %[[STEP:.*]] = %c0_i32 to %[[STEPS]]
// CHECK:            nvvm.cp.async.wait.group 2
// CHECK-NEXT:       nvvm.barrier

// .. fills the stage of the step before, three steps ahead, ..
// CHECK:            %[[AHEAD:.*]] = arith.addi %[[STEP]], %c3_i32
// CHECK:            scf.if
// CHECK:              %[[FREE:.*]] = arith.andi %[[AHEAD]], %c3_i32
// CHECK:              arith.muli %[[FREE]], %c3072_i32
// CHECK-COUNT-2:      nvvm.cp.async.shared.global {{.*}}, 16
// CHECK:            nvvm.cp.async.shared.global {{.*}}, 4
// CHECK-NEXT:       nvvm.cp.async.commit.group

// .. and multiplies: the fragments come transposed, since the pairs are the inner
// dimension of the product. One instruction has 16 by 8 channels.
// CHECK:            %[[STAGE:.*]] = arith.andi %[[STEP]], %c3_i32
// CHECK:            arith.muli %[[STAGE]], %c3072_i32
// CHECK-COUNT-2:    nvvm.ldmatrix {{.*}}layout = #nvvm.mma_layout<col>
// CHECK-COUNT-2:    nvvm.mma.sync
// CHECK-NOT:        nvvm.mma.sync
// CHECK:            scf.yield

// Epilogue: each warp stores to the split that is its own.
// CHECK:          %[[SPLIT:.*]] = llvm.getelementptr %[[SUMS]]
// CHECK:          llvm.getelementptr %[[SPLIT]]
// CHECK:          llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-COUNT-3:  llvm.store {{.*}} {alignment = 8 : i64} : vector<2xf32>, !llvm.ptr<1>
// CHECK-NOT:      llvm.store
// CHECK:        gpu.return
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @weight_grad(%x: memref<?x16xf16>, %dy: memref<?x16xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x16x16xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x16xf16>, memref<?x16xf16>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x16x16xf16>)
      {split_k = 40 : i64, tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 16, tile_out = 16, piece_in = 16, piece_out = 16, slices = 2, pairs = 32, stages = 4, blocks = 4>}
  return
}
}
