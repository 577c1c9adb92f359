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
// CHECK:        scf.while
// CHECK:          llvm.atomicrmw add
// CHECK:          nvvm.barrier id = {{.*}} number_of_threads = %c128_i32
// CHECK:          scf.condition

// Prologue: the offsets that any of the tile's four masks of 16 rows has, two of
// them, their neighbours, and the rows of the first one. Of each row, the four
// lanes of a group load 16 bytes each. Until those rows the kernel before this one
// may still be running: what comes earlier, no kernel of this kind writes, and the rows
// are no constants. Nor are neighbours, whose loads ptxas would move behind a barrier.
// Absent rows are zeros, and nothing is left to be selected.
// CHECK-NOT:      nvvm.griddepcontrol
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          llvm.load {{.*}} -> vector<4xi32>
// CHECK-COUNT-3:  arith.ori
// CHECK-NEXT:     nvvm.shfl.sync {{.*}}idx
// CHECK:          %[[OUT_ROWS:.*]] = llvm.getelementptr %[[ORDER]]
// CHECK:          nvvm.prefetch level = L1, %[[OUT_ROWS]]
// CHECK:          %[[OFFSET:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK:          %[[NEXT:.*]] = arith.select {{.*}}, %c-1_i32
// CHECK-COUNT-4:  ld.global.b32
// CHECK:          nvvm.griddepcontrol wait
// CHECK-NEXT:     nvvm.griddepcontrol launch_dependents
// CHECK-COUNT-2:  ld.global.v4.b32 {{.*}}, %c0_i32, %c0_i32, %c0_i32, %c0_i32
// CHECK-NOT:      arith.select

// Steps. The loop carries the offsets whose weights have been waited for, this
// offset and the next one, the next one's neighbours, the rest of the mask,
// eight registers with rows as wgmma wants them, and four sums.
// CHECK:          scf.if
// CHECK:            scf.while (%[[READY:[^ ]*]] = {{[^ ]*}}, %[[AT:[^ ]*]] = %[[OFFSET]], %[[AFTER:[^ ]*]] = %[[NEXT]],

// A step loads the rows of the next offset first of all, and finds the offset after
// that and its neighbours, ..
// CHECK-NOT:          arith.select {{.*}}, %c0_i32
// CHECK-COUNT-2:      ld.global.v4.b32
// CHECK:              math.cttz
// CHECK-COUNT-2:      ld.global.b32

// .. waits for the weights of its own offset, at their first use only, ..
// CHECK:              %[[BIT:.*]] = arith.shli %c1_i32, %[[AT]]
// CHECK:              arith.andi %[[READY]], %[[BIT]]
// CHECK:              scf.if
// CHECK:                llvm.getelementptr %[[BARRIERS]]
// CHECK:                nvvm.mbarrier.try_wait.parity
// CHECK:              arith.ori %[[READY]], %[[BIT]]

// .. and multiplies. The descriptor says where the offset's 1024 bytes are, in
// units of 16. It has a leading byte offset of 16 (bit 16), a stride byte
// offset of 1024 (64 from bit 32 on), and the 128-byte swizzle (1 from bit 62
// on). The second wgmma's channels are 32 bytes further on.
// CHECK:              arith.muli %[[AT]], %c1024_i32
// CHECK:              %[[DESCRIPTOR:.*]] = arith.ori {{.*}}, %c4611686293305360384_i64
// CHECK:              nvvm.wgmma.fence.aligned
// CHECK:              wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16{{.*}}, %[[DESCRIPTOR]],
// CHECK:              %[[SECOND:.*]] = arith.addi %[[DESCRIPTOR]], %c2_i64
// CHECK:              wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16{{.*}}, %[[SECOND]],
// CHECK:              nvvm.wgmma.commit.group.sync.aligned
// CHECK:              nvvm.wgmma.wait.group.sync.aligned 0

// Behind the products the registers of this step's rows are free: those of the next
// offset, which have come meanwhile, are moved there.
// CHECK-COUNT-8:      arith.select {{.*}}, %c0_i32
// CHECK:              %[[MORE:.*]] = arith.cmpi sge, %[[AFTER]], %c0_i32
// CHECK:              scf.condition(%[[MORE]])

// Epilogue: each lane stores two channels of its two rows.
// CHECK:          llvm.load %[[OUT_ROWS]] invariant
// CHECK:          scf.if
// CHECK:            llvm.getelementptr %[[Y]]
// CHECK:            llvm.store
// CHECK:          scf.if
// CHECK:            llvm.store

// After the last tile: the block must not end while weights are still under way
// that no tile needed.
// CHECK:        scf.for
// CHECK:          nvvm.mbarrier.try_wait.parity
// CHECK:        gpu.return
