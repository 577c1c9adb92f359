// RUN: gpu-gemm-kernels --main-loop=group64 --in=32 --out=8 --tile-k=32 --tile-n=8 --warps=4 --blocks=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s

// The main loop group64: 27 offsets from 32 to 8 channels of f16, one warpgroup.
// One step is two wgmmas of 16 input channels each.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared

// Before any tile: a barrier for each offset, whose weights one thread starts to
// copy, the offset in the middle first. Nobody waits for them yet.
// CHECK:        %[[BARRIERS:.*]] = llvm.getelementptr %[[SHARED]][27648]
// CHECK-COUNT-27: nvvm.mbarrier.init
// CHECK:          nvvm.fence.mbarrier.init
// CHECK:        nvvm.barrier
// CHECK:        scf.if
// CHECK:          scf.for
// CHECK:            nvvm.mbarrier.arrive.expect_tx
// CHECK:            nvvm.cp.async.bulk.shared.cluster.global

// The first thread of a warpgroup takes a task for its four warps, which meet at
// the warpgroup's own barrier.
// CHECK:        llvm.atomicrmw uinc_wrap
// CHECK:        nvvm.barrier id = {{.*}} number_of_threads = %c128_i32
// CHECK:        %[[FIRST:.*]] = nvvm.shfl.sync idx
// CHECK:        arith.cmpi sge, %[[FIRST]], %c0_i32
// CHECK:        scf.if

// Of the first tile: the offsets that any of its four masks of 16 rows has, two of
// them, and their neighbours, of two rows that lie side by side. Nothing of it is written
// by kernels of this kind, of which the one before may still be running. Neighbours are no
// constants, as ptxas would move their loads behind a barrier.
// CHECK-NOT:      nvvm.griddepcontrol
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          llvm.load {{.*}} -> vector<4xi32>
// CHECK-COUNT-3:  arith.ori
// CHECK-NEXT:     nvvm.shfl.sync {{.*}}idx
// CHECK:          llvm.getelementptr %[[TABLE]]
// CHECK:          %[[OFFSET:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[NEXT:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK-COUNT-2:  ld.global.v2.b32

// Prologue: the rows of the first offset, once the kernel before this one is over: they
// are no constants. Of each row, the four lanes of a group load 16 bytes each. Absent rows
// are zeros, and nothing is left to be selected. The order says where results go.
// CHECK:          scf.while (%[[WAITED:[^ ]*]] = %c0_i32, %{{[^ ]*}} = %{{[^ ]*}}, %{{[^ ]*}} = %[[FIRST]], %[[AT:[^ ]*]] = %[[OFFSET]], %[[AFTER:[^ ]*]] = %[[NEXT]],
// CHECK:            nvvm.griddepcontrol wait
// CHECK-NEXT:       nvvm.griddepcontrol launch_dependents
// CHECK-COUNT-2:    ld.global.v4.b32 {{.*}}, %c0_i32, %c0_i32, %c0_i32, %c0_i32
// CHECK-NOT:        arith.select
// CHECK:            llvm.getelementptr %[[ORDER]]
// CHECK:            %[[OUT:.*]] = llvm.load {{.*}} invariant {alignment = 8 : i64} {{.*}} -> vector<2xi32>
// CHECK:            %[[OUT0:.*]] = llvm.extractelement %[[OUT]][%c0_i32
// CHECK:            %[[OUT1:.*]] = llvm.extractelement %[[OUT]][%c1_i32

// Steps, while there is an offset behind. The loop carries the offsets whose weights have
// been waited for, this offset and the next one, the next one's neighbours, the rest of
// the mask, eight registers with rows as wgmma wants them, and four sums.
// CHECK:            %[[STEPS:.*]] = arith.cmpi sge, %[[AFTER]], %c0_i32
// CHECK:            %[[LAST:.*]]:14 = scf.if %[[STEPS]]
// CHECK:              scf.while (%[[READY:[^ ]*]] = %[[WAITED]], %[[NOW:[^ ]*]] = %[[AT]], %[[THEN:[^ ]*]] = %[[AFTER]],

// A step loads the rows of the next offset first of all, and finds the offset after
// that and its neighbours, ..
// CHECK-NOT:            arith.select {{.*}}, %c0_i32
// CHECK-COUNT-2:        ld.global.v4.b32
// CHECK:                math.cttz
// CHECK:                %[[BEHIND:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:                %[[MORE:.*]] = arith.cmpi sge, %[[BEHIND]], %c0_i32
// CHECK:                ld.global.v2.b32

// .. waits for the weights of its own offset, at their first use only, ..
// CHECK:                %[[BIT:.*]] = arith.shli %c1_i32, %[[NOW]]
// CHECK:                arith.andi %[[READY]], %[[BIT]]
// CHECK:                scf.if
// CHECK:                  llvm.getelementptr %[[BARRIERS]]
// CHECK:                  nvvm.mbarrier.try_wait.parity
// CHECK:                arith.ori %[[READY]], %[[BIT]]

// .. and multiplies. The descriptor says where the offset's 1024 bytes are, in
// units of 16. It has a leading byte offset of 16 (bit 16), a stride byte
// offset of 1024 (64 from bit 32 on), and the 128-byte swizzle (1 from bit 62
// on). The second wgmma's channels are 32 bytes further on.
// CHECK:                arith.muli %[[NOW]], %c1024_i32
// CHECK:                %[[DESCRIPTOR:.*]] = arith.ori {{.*}}, %c4611686293305360384_i64
// CHECK:                nvvm.wgmma.fence.aligned
// CHECK:                wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16{{.*}}, %[[DESCRIPTOR]],
// CHECK:                %[[SECOND:.*]] = arith.addi %[[DESCRIPTOR]], %c2_i64
// CHECK:                wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16{{.*}}, %[[SECOND]],
// CHECK:                nvvm.wgmma.commit.group.sync.aligned
// CHECK:                nvvm.wgmma.wait.group.sync.aligned 0

// Behind the products the registers of this step's rows are free: those of the next
// offset, which have come meanwhile, are moved there.
// CHECK-COUNT-8:        arith.select {{.*}}, %c0_i32
// CHECK:                scf.condition(%[[MORE]]) %{{.*}}, %[[THEN]], %[[BEHIND]],

// Before the last step the warpgroup takes its next tile and asks for the masks of that.
// The step loads no rows. A tile without offsets multiplies zeros by the weights of offset
// 0, which may be NaN: its sums are cleared.
// CHECK:            llvm.atomicrmw uinc_wrap
// CHECK:            nvvm.barrier id = {{.*}} number_of_threads = %c128_i32
// CHECK:            %[[NEXT_TILE:.*]] = nvvm.shfl.sync idx
// CHECK:            llvm.getelementptr %[[MASKS]]
// CHECK-COUNT-2:    arith.ori
// CHECK:            %[[NEXT_MASK:.*]] = arith.ori
// CHECK:            %[[CLAMPED:.*]] = arith.maxsi %[[LAST]]#1, %c0_i32
// CHECK:            arith.muli %[[CLAMPED]], %c1024_i32
// CHECK-COUNT-2:    wgmma.mma_async
// CHECK:            %[[ANY:.*]] = arith.cmpi sge, %[[LAST]]#1, %c0_i32
// CHECK-COUNT-4:    arith.select %[[ANY]], %{{.*}}, %cst : f32

// The next tile's first neighbours come while this one is stored.
// CHECK:            nvvm.shfl.sync idx {{.*}}, %[[NEXT_MASK]],
// CHECK:            llvm.getelementptr %[[TABLE]]
// CHECK-COUNT-2:    ld.global.v2.b32

// Epilogue: each lane stores two channels of its two rows.
// CHECK:            arith.cmpi sge, %[[OUT0]], %c0_i32
// CHECK:            scf.if
// CHECK:              llvm.getelementptr %[[Y]]
// CHECK:              llvm.store
// CHECK:            arith.cmpi sge, %[[OUT1]], %c0_i32
// CHECK:            scf.if
// CHECK:              llvm.store
// CHECK:            scf.condition

// After the last tile: the block must not end while weights are still under way
// that no tile needed.
// CHECK:        scf.for
// CHECK:          nvvm.mbarrier.try_wait.parity
// CHECK:        gpu.return
