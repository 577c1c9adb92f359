// RUN: gpu-gemm-kernels --chip=sm_80 --main-loop=warp16 --in=16 --out=8 --tile-k=16 --tile-n=8 --warps=4 --blocks=1 --resident=1 --split-k=1 --stages=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s
// RUN: gpu-gemm-kernels --chip=sm_80 --main-loop=warp16 --in=16 --out=8 --tile-k=16 --tile-n=8 --warps=4 --blocks=1 --resident=1 --split-k=1 --stages=2 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s --check-prefix=STAGES

// The main loop warp16: 27 offsets from 16 to 8 channels of f16, with resident
// weights on a chip without bulk copies. One step is one mma.sync.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK-SAME:   known_block_size = array<i32: 128, 1, 1>, nvvm.minctasm = 1
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:        %[[LANE:.*]] = arith.remui %[[THREAD]], %c32_i32
// CHECK:        %[[LANE_GROUP:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK:        %[[IN_GROUP:.*]] = arith.remui %[[LANE]], %c4_i32

// Before any tile: one thread sets the counter of tasks, and all threads copy the
// weights of 27 offsets, 256 bytes each, to shared memory and wait for them.
// CHECK:        %[[COUNTER:.*]] = llvm.getelementptr %[[SHARED]][7168]
// CHECK:        scf.if
// CHECK:          nvvm.read.ptx.sreg.ctaid.x
// CHECK:          llvm.store {{.*}}, %[[COUNTER]]
// CHECK:        scf.for
// CHECK-SAME:     to %c6912_i32
// CHECK:          nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK:        nvvm.cp.async.commit.group
// CHECK:        nvvm.cp.async.wait.group 0
// CHECK:        nvvm.barrier

// Each warp takes tiles by itself: its first lane asks the counter.
// CHECK:        scf.while
// CHECK:          llvm.atomicrmw add %[[COUNTER]]
// CHECK:          nvvm.shfl.sync idx
// CHECK:          scf.condition
// CHECK:        ^bb0(%[[TILE:.*]]: i32):

// Prologue: the mask of the tile, its first two offsets, ..
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          %[[MASK:.*]] = nvvm.shfl.sync idx
// CHECK:          %[[FIRST_ROW:.*]] = arith.muli %[[TILE]], %c16_i32
// CHECK:          %[[SLOT:.*]] = arith.addi %[[FIRST_ROW]], %[[LANE_GROUP]]
// CHECK:          math.cttz %[[MASK]]
// CHECK:          %[[OFFSET:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[MASK1:.*]] = arith.andi %[[MASK]],
// CHECK:          math.cttz %[[MASK1]]
// CHECK:          %[[NEXT:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[MASK2:.*]] = arith.andi %[[MASK1]],

// .. the neighbours of this lane's two rows for both offsets, ..
// CHECK:          llvm.getelementptr %[[TABLE]]
// CHECK:          %[[ROW0:.*]] = llvm.inline_asm {{.*}}ld.global.nc.b32
// CHECK:          %[[ROW1:.*]] = llvm.inline_asm {{.*}}ld.global.nc.b32
// CHECK:          llvm.getelementptr %[[TABLE]]
// CHECK:          %[[NEXT0:.*]] = llvm.inline_asm {{.*}}ld.global.nc.b32
// CHECK:          %[[NEXT1:.*]] = llvm.inline_asm {{.*}}ld.global.nc.b32

// .. and the rows of the first one: of each, the four lanes of a group load 8
// bytes each. An absent row (-1, or any number that is not a row) is not read.
// CHECK:          %[[HAS0:.*]] = arith.cmpi ult, %[[ROW0]],
// CHECK:          %[[HAS1:.*]] = arith.cmpi ult, %[[ROW1]],
// CHECK:          llvm.inline_asm {{.*}}ld.global.nc.v2.b32 {{.*}}, %[[HAS0]]
// CHECK:          llvm.inline_asm {{.*}}ld.global.nc.v2.b32 {{.*}}, %[[HAS1]]

// Steps. The loop carries the offset and the next one, the next one's
// neighbours, the rest of the mask, four registers with rows, which rows are
// there, and four sums.
// CHECK:          scf.if
// CHECK:            scf.while (%[[AT:[^ ]*]] = %[[OFFSET]], %[[AFTER:[^ ]*]] = %[[NEXT]], %[[NEIGHBOUR0:[^ ]*]] = %[[NEXT0]], %[[NEIGHBOUR1:[^ ]*]] = %[[NEXT1]], %[[LEFT:[^ ]*]] = %[[MASK2]],

// A step finds the offset after the next and its neighbours, ..
// CHECK:              math.cttz %[[LEFT]]
// CHECK:              llvm.getelementptr %[[TABLE]]
// CHECK-COUNT-2:      ld.global.nc.b32

// .. reads the weights of its own offset, clears absent rows, multiplies, ..
// CHECK:              %[[SLICE:.*]] = arith.muli %[[AT]], %c256_i32
// CHECK:              llvm.getelementptr %[[SHARED]][%[[SLICE]]]
// CHECK-COUNT-4:      arith.select {{.*}}, %c0_i32
// CHECK:              llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:              nvvm.mma.sync

// .. and loads the rows of the next offset, which are not needed before the next
// step. It ends after the last offset.
// CHECK-COUNT-2:      ld.global.nc.v2.b32
// CHECK:              %[[MORE:.*]] = arith.cmpi sge, %[[AFTER]], %c0_i32
// CHECK:              scf.condition(%[[MORE]]) %[[AFTER]],

// Epilogue: each lane stores two channels of its two rows, where the order says
// that there is a row.
// CHECK:          llvm.getelementptr %[[ORDER]]
// CHECK-COUNT-2:  llvm.load {{.*}} invariant
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[Y]]
// CHECK:            llvm.store
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[Y]]
// CHECK:            llvm.store
// CHECK:          scf.yield
// CHECK:        gpu.return

// With two stages the rows of the first two offsets are on their way before the
// loop. A step multiplies the one, loads rows in its place, and does the same with
// the other; the second takes the weights of the first where no offset is left.
// STAGES-COUNT-4:    math.cttz
// STAGES-COUNT-8:    ld.global.nc.b32
// STAGES-COUNT-4:    ld.global.nc.v2.b32
// STAGES:            scf.while (%[[AT0:[^ ]*]] = {{.*}}) : {{.*}} {
// STAGES:              nvvm.mma.sync
// STAGES-COUNT-2:      ld.global.nc.v2.b32
// STAGES:              %[[HAS1:.*]] = arith.cmpi sge, %[[AT1:.*]], %c0_i32
// STAGES:              arith.select %[[HAS1]], %[[AT1]], %[[AT0]]
// STAGES:              nvvm.mma.sync
// STAGES-COUNT-2:      ld.global.nc.v2.b32
// STAGES:              scf.condition
