// RUN: gpu-gemm-kernels --main-loop=ring64 --in=32 --out=8 --tile-k=32 --tile-n=8 --warps=8 --blocks=1 --stages=4 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s

// The main loop ring64: 27 offsets from 32 to 8 channels of f16, two warpgroups
// and a ring of four stages of 1024 bytes. An offset has one chunk.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared

// Each stage has two barriers: one thread says that it is full, eight warps say
// that it is empty.
// CHECK:        %[[IS_FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0_i32
// CHECK:        %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][4096]
// CHECK:        %[[EMPTY:.*]] = llvm.getelementptr %[[FULL]][32]
// CHECK:        scf.if %[[IS_FIRST]]
// CHECK:          nvvm.mbarrier.init %[[FULL]], %c1_i32
// CHECK:          nvvm.mbarrier.init %[[EMPTY]], %c8_i32
// CHECK-COUNT-6:  nvvm.mbarrier.init

// Thread blocks stay, and take every n-th task, n being their number. The next
// task begins at the stage where the ring stands.
// CHECK:        %[[BLOCK:.*]] = nvvm.read.ptx.sreg.ctaid.x
// CHECK:        %[[HAS_TASK:.*]] = arith.cmpi ult, %[[BLOCK]], %{{.*}}
// CHECK:        scf.if %[[HAS_TASK]]
// CHECK:          scf.while (%[[NUMBER:[^ ]*]] = %[[BLOCK]], %[[STAGE:[^ ]*]] = %c0_i32, %[[PARITY:[^ ]*]] = %c0_i32

// A task is 128 rows. Its offsets are those of both tiles; a warpgroup's
// are those of its own. A tile has four masks of 16 rows each.
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          %[[OWN_BITS:.*]] = arith.select {{.*}}, %c0_i32
// CHECK-COUNT-6:  arith.ori
// CHECK:          %[[RING_BITS:.*]] = arith.ori
// CHECK:          %[[RING_MASK:.*]] = nvvm.shfl.sync idx {{.*}}, %[[RING_BITS]],
// CHECK:          %[[OWN_MASK:.*]] = nvvm.shfl.sync idx {{.*}}, %[[OWN_BITS]],
// CHECK:          nvvm.barrier

// Prologue, beside the end of the kernel before. One thread starts the copies of the first two chunks, into this stage
// and the one after it. Each warp finds its first two offsets and their neighbours. It
// waits for the kernel before, and asks for the rows of the first offset.
// CHECK:          math.cttz %[[RING_MASK]]
// CHECK:          %[[PLACE:.*]] = arith.muli %{{.*}}, %c1024_i32
// CHECK:          %[[TARGET:.*]] = llvm.getelementptr %[[SHARED]][%[[PLACE]]]
// CHECK:          nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c1024_i32
// CHECK:          nvvm.cp.async.bulk.shared.cluster.global %[[TARGET]],
// CHECK:          nvvm.mbarrier.arrive.expect_tx %{{.*}}, %c1024_i32
// CHECK:          nvvm.cp.async.bulk.shared.cluster.global
// CHECK:          %[[OUT_ROWS:.*]] = llvm.getelementptr %[[ORDER]]
// CHECK:          nvvm.prefetch level = L1, %[[OUT_ROWS]]
// CHECK:          math.cttz %[[OWN_MASK]]
// CHECK-COUNT-2:  ld.global.nc.v2.b32
// CHECK:          nvvm.griddepcontrol wait
// CHECK-COUNT-2:  ld.global.v4.b32

// A step first lets pass what is not the warpgroup's, until the ring is at its
// own offset. Each chunk that passes is a turn of the ring like any other:
// CHECK:          scf.while (%[[OWN:[^ ]*]] = %{{[^ ]*}}, %[[AFTER:[^ ]*]] =
// CHECK:            scf.while
// CHECK:              arith.cmpi ne, %{{.*}}, %[[OWN]]
// CHECK:              scf.condition
// - thread 0 waits until the stage of two chunks ago is empty and fills it,
// CHECK:              scf.if
// CHECK:                llvm.getelementptr %[[EMPTY]]
// CHECK:                nvvm.mbarrier.try_wait.parity
// CHECK:                nvvm.mbarrier.arrive.expect_tx
// CHECK:                nvvm.cp.async.bulk.shared.cluster.global
// - the warp waits until its stage is full,
// CHECK:              llvm.getelementptr %[[FULL]]
// CHECK:              nvvm.mbarrier.try_wait.parity
// - and says that it is done with it.
// CHECK:              llvm.getelementptr %[[EMPTY]]
// CHECK:              nvvm.mbarrier.arrive

// Then it uses its own chunk in the same way. But between waiting and letting
// go it moves its rows to where wgmma wants them, loads the rows of its next
// offset, finds the offset after that, and multiplies.
// CHECK:            scf.if
// CHECK:              llvm.getelementptr %[[EMPTY]]
// CHECK:              nvvm.mbarrier.try_wait.parity
// CHECK:              nvvm.mbarrier.arrive.expect_tx
// CHECK:              nvvm.cp.async.bulk.shared.cluster.global
// CHECK:            llvm.getelementptr %[[FULL]]
// CHECK:            nvvm.mbarrier.try_wait.parity
// CHECK-COUNT-8:    arith.select {{.*}}, %c0_i32
// CHECK-COUNT-2:    ld.global.v4.b32
// CHECK:            ld.global.nc.v2.b32
// CHECK:            nvvm.wgmma.fence.aligned
// CHECK-COUNT-2:    wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
// CHECK:            nvvm.wgmma.commit.group.sync.aligned
// CHECK:            nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:            llvm.getelementptr %[[EMPTY]]
// CHECK:            nvvm.mbarrier.arrive
// CHECK:            %[[MORE:.*]] = arith.cmpi sge, %[[AFTER]], %c0_i32
// CHECK:            scf.condition(%[[MORE]])

// Epilogue: the chunks that are left pass in the same way, since the other warpgroup
// may need them. Then the rows are stored.
// CHECK:          scf.while
// CHECK:            arith.cmpi ne, %{{.*}}, %c-1_i32
// CHECK:            scf.condition
// CHECK:            scf.if
// CHECK:              llvm.getelementptr %[[EMPTY]]
// CHECK:              nvvm.mbarrier.try_wait.parity
// CHECK:              nvvm.mbarrier.arrive.expect_tx
// CHECK:              nvvm.cp.async.bulk.shared.cluster.global
// CHECK:            llvm.getelementptr %[[FULL]]
// CHECK:            nvvm.mbarrier.try_wait.parity
// CHECK:            llvm.getelementptr %[[EMPTY]]
// CHECK:            nvvm.mbarrier.arrive %
// CHECK:            scf.yield
// CHECK:          llvm.load %[[OUT_ROWS]] invariant
// CHECK:          llvm.getelementptr %[[Y]]
// CHECK:          llvm.store

// The shared memory is the next task's once all threads are done with this one.
// CHECK:          nvvm.barrier
// CHECK:          scf.condition
// CHECK:        gpu.return
