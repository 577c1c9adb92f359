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
// CHECK:        llvm.getelementptr %[[SHARED]][7168]
// CHECK:        %[[COUNTER:.*]] = llvm.inttoptr
// CHECK:        scf.if
// CHECK:          llvm.store %c0_i32, %[[COUNTER]]
// CHECK:        scf.for
// CHECK-SAME:     to %c6912_i32
// CHECK:          nvvm.cp.async.shared.global {{.*}}, 16, cache = cg
// CHECK:        nvvm.cp.async.commit.group
// CHECK:        nvvm.cp.async.wait.group 0
// CHECK:        nvvm.barrier

// Each warp takes tiles by itself: its first lane asks the counter. Where there is no
// row there is no tile either, and nothing is read.
// CHECK:        llvm.atomicrmw uinc_wrap %[[COUNTER]]
// CHECK:        %[[FIRST:.*]] = nvvm.shfl.sync idx
// CHECK:        %[[HAS_TILE:.*]] = arith.cmpi sge, %[[FIRST]], %c0_i32
// CHECK:        scf.if %[[HAS_TILE]]

// Of the first tile: the mask, its first two offsets, ..
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          %[[MASK:.*]] = nvvm.shfl.sync idx
// CHECK:          %[[TWICE:.*]] = arith.muli %[[LANE_GROUP]], %c2_i32
// CHECK:          %[[SLOT:.*]] = arith.addi %{{.*}}, %[[TWICE]]
// CHECK:          %[[ENTRY:.*]] = llvm.getelementptr %[[TABLE]]
// CHECK:          math.cttz %[[MASK]]
// CHECK:          %[[OFFSET:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[MASK1:.*]] = arith.andi %[[MASK]],
// CHECK:          math.cttz %[[MASK1]]
// CHECK:          %[[NEXT:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[MASK2:.*]] = arith.andi %[[MASK1]],

// .. and the neighbours of this lane's two rows for both offsets, which lie side by side.
// CHECK:          llvm.getelementptr %[[ENTRY]]
// CHECK:          %[[ROWS:.*]] = llvm.inline_asm {{.*}}ld.global.nc.v2.b32
// CHECK:          llvm.getelementptr %[[ENTRY]]
// CHECK:          %[[NEXT_ROWS:.*]] = llvm.inline_asm {{.*}}ld.global.nc.v2.b32
// CHECK:          %[[NEXT0:.*]] = llvm.extractvalue %[[NEXT_ROWS]][0]
// CHECK:          %[[NEXT1:.*]] = llvm.extractvalue %[[NEXT_ROWS]][1]

// Prologue: the rows of the first offset. Of each, the four lanes of a group load 8 bytes
// each. An absent row (-1, or any number that is not a row) is not read. The order says
// where results go.
// CHECK:          scf.while (%[[TILE:[^ ]*]] = %[[FIRST]], %[[AT:[^ ]*]] = %[[OFFSET]], %[[AFTER:[^ ]*]] = %[[NEXT]], %{{[^ ]*}} = %[[NEXT0]], %{{[^ ]*}} = %[[NEXT1]], %{{[^ ]*}} = %[[MASK2]], %[[ROW0:[^ ]*]] = %{{[^ ]*}}, %[[ROW1:[^ ]*]] = %{{[^ ]*}})
// CHECK:            %[[HAS0:.*]] = arith.cmpi ult, %[[ROW0]],
// CHECK:            %[[HAS1:.*]] = arith.cmpi ult, %[[ROW1]],
// CHECK:            llvm.inline_asm {{.*}}ld.global.nc.v2.b32 {{.*}}, %[[HAS0]]
// CHECK:            llvm.inline_asm {{.*}}ld.global.nc.v2.b32 {{.*}}, %[[HAS1]]
// CHECK:            llvm.getelementptr %[[ORDER]]
// CHECK:            %[[OUT:.*]] = llvm.load {{.*}} invariant {alignment = 8 : i64} {{.*}} -> vector<2xi32>
// CHECK:            %[[OUT0:.*]] = llvm.extractelement %[[OUT]][%c0_i32
// CHECK:            %[[OUT1:.*]] = llvm.extractelement %[[OUT]][%c1_i32

// Steps, while there is an offset behind. The loop carries the offset and the next one,
// the next one's neighbours, the rest of the mask, four registers with rows, which rows
// are there, and four sums.
// CHECK:            %[[STEPS:.*]] = arith.cmpi sge, %[[AFTER]], %c0_i32
// CHECK:            %[[LAST:.*]]:11 = scf.if %[[STEPS]]
// CHECK:              scf.while (%[[NOW:[^ ]*]] = %[[AT]], %[[THEN:[^ ]*]] = %[[AFTER]], %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[LEFT:[^ ]*]] =

// A step finds the offset after the next and its neighbours, ..
// CHECK:                math.cttz %[[LEFT]]
// CHECK:                %[[BEHIND:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:                %[[MORE:.*]] = arith.cmpi sge, %[[BEHIND]], %c0_i32
// CHECK:                ld.global.nc.v2.b32

// .. reads the weights of its own offset, clears absent rows, multiplies, ..
// CHECK:                %[[SLICE:.*]] = arith.muli %{{.*}}, %c256_i32
// CHECK:                llvm.getelementptr %[[SHARED]][%[[SLICE]]]
// CHECK-COUNT-4:        arith.select {{.*}}, %c0_i32
// CHECK:                llvm.load {{.*}} : !llvm.ptr<3> -> vector<2xi32>
// CHECK:                nvvm.mma.sync

// .. and loads the rows of the next offset, which are not needed before the next step.
// CHECK-COUNT-2:        ld.global.nc.v2.b32
// CHECK:                scf.condition(%[[MORE]]) %[[THEN]], %[[BEHIND]],

// Before the last step the warp takes its next tile and asks for the mask of that. The
// step loads no rows. A tile without offsets multiplies zeros by the weights of offset 0,
// which may be NaN: its sums are cleared.
// CHECK:            llvm.atomicrmw uinc_wrap %[[COUNTER]]
// CHECK:            %[[NEXT_TILE:.*]] = nvvm.shfl.sync idx
// CHECK:            llvm.getelementptr %[[MASKS]]
// CHECK:            %[[NEXT_MASK:.*]] = llvm.load
// CHECK:            %[[ANY:.*]] = arith.cmpi sge, %[[LAST]]#0, %c0_i32
// CHECK:            nvvm.mma.sync
// CHECK-COUNT-4:    arith.select %[[ANY]], %{{.*}}, %cst : f32

// The next tile's first neighbours come while this one is stored.
// CHECK:            nvvm.shfl.sync idx {{.*}}, %[[NEXT_MASK]],
// CHECK:            llvm.getelementptr %[[TABLE]]
// CHECK-COUNT-2:    ld.global.nc.v2.b32

// Epilogue: each lane stores two channels of its two rows, where the order says that there
// is a row.
// CHECK:            arith.cmpi sge, %[[OUT0]], %c0_i32
// CHECK:            scf.if
// CHECK:              llvm.getelementptr %[[Y]]
// CHECK:              llvm.store
// CHECK:            arith.cmpi sge, %[[OUT1]], %c0_i32
// CHECK:            scf.if
// CHECK:              llvm.getelementptr %[[Y]]
// CHECK:              llvm.store
// CHECK:            %[[GOES_ON:.*]] = arith.cmpi sge, %[[NEXT_TILE]], %c0_i32
// CHECK:            scf.condition(%[[GOES_ON]]) %[[NEXT_TILE]],
// CHECK:        gpu.return

// With two stages the rows of the first two offsets are on their way before the
// loop. A step multiplies the one, loads rows in its place, and does the same with
// the other; the second takes the weights of the first where no offset is left.
// STAGES-COUNT-4:    math.cttz
// STAGES-COUNT-4:    ld.global.nc.v2.b32
// STAGES:            scf.while
// STAGES-COUNT-4:      ld.global.nc.v2.b32
// STAGES:              scf.while (%[[AT0:[^ ]*]] = {{.*}}) : {{.*}} {
// STAGES:                %[[FIRST:.*]] = arith.maxsi %[[AT0]], %c0_i32
// STAGES:                nvvm.mma.sync
// STAGES-COUNT-2:        ld.global.nc.v2.b32
// STAGES:                arith.maxsi %{{.*}}, %[[FIRST]]
// STAGES:                nvvm.mma.sync
// STAGES-COUNT-2:        ld.global.nc.v2.b32
// STAGES:                scf.condition
