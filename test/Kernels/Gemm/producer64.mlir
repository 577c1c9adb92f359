// RUN: gpu-gemm-kernels --main-loop=producer64 --in=64 --out=256 --tile-k=64 --tile-n=256 --warps=12 --blocks=1 --stages=2 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s

// The main loop producer64: 27 offsets from 64 to 256 channels of f16, two
// warpgroups that multiply and one that copies. A stage has 256 rows of 128 bytes of
// weights, and behind them 128 of the input. An offset has one chunk.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared

// Each stage has two barriers: the 128 threads of the producer and the weights make it
// full, eight warps say that it is empty.
// CHECK:        %[[FULL:.*]] = llvm.getelementptr %[[SHARED]][98304]
// CHECK:        %[[EMPTY:.*]] = llvm.getelementptr %[[FULL]][16]
// CHECK:        nvvm.mbarrier.init %[[FULL]], %c129_i32
// CHECK:        nvvm.mbarrier.init %[[EMPTY]], %c8_i32
// The number of the next task has two as well: one thread sends it to all twelve warps.
// CHECK:        nvvm.mbarrier.init %[[SENT:.*]], %c1_i32
// CHECK:        nvvm.mbarrier.init %[[RECEIVED:.*]], %c12_i32
// CHECK:        nvvm.barrier

// The last warpgroup keeps few registers. It goes over all tasks and over the offsets
// that any tile of a task has.
// CHECK:        %[[IS_PRODUCER:.*]] = arith.cmpi eq, %{{.*}}, %c2_i32
// CHECK:        scf.if %[[IS_PRODUCER]]
// CHECK:          nvvm.setmaxregister decrease 56
// CHECK:          scf.while
// CHECK:            %[[ALL:.*]] = nvvm.shfl.sync
// CHECK:            math.cttz
// CHECK:            scf.while

// Each of its threads finds the neighbours of eight rows, one of 16 bytes of which it
// copies when the stage is empty; an absent row becomes zeros. One of the threads starts
// the copy of the weights. All arrive once what they have copied is there.
// CHECK:              llvm.getelementptr %[[TABLE]]
// CHECK-COUNT-8:      ld.global.nc.b32
// CHECK:              llvm.getelementptr %[[EMPTY]]
// CHECK:              nvvm.mbarrier.try_wait.parity
// CHECK:              scf.if
// CHECK:                nvvm.mbarrier.arrive.expect_tx %[[STAGE_FULL:[^,]*]], %c32768_i32
// CHECK:                nvvm.cp.async.bulk.shared.cluster.global
// CHECK-COUNT-8:      nvvm.cp.async.shared.global
// CHECK:              nvvm.cp.async.mbarrier.arrive %[[STAGE_FULL]] {noinc = true}

// Behind its last copy for a task it sends the number of the next one.
// CHECK:            scf.if
// CHECK:              nvvm.mbarrier.try_wait.parity %[[RECEIVED]],
// CHECK:              llvm.store
// CHECK:              nvvm.mbarrier.arrive %[[SENT]]
// CHECK:            nvvm.mbarrier.try_wait.parity %[[SENT]],
// CHECK:            nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32

// The others take what it has left. A step lets pass what is not the warpgroup's, until
// the producer is at its own offset.
// CHECK:        } else {
// CHECK:          nvvm.setmaxregister increase 224
// CHECK:          scf.while
// CHECK:            scf.while
// CHECK:              scf.while
// CHECK:                nvvm.mbarrier.try_wait.parity
// CHECK:                nvvm.mbarrier.arrive

// Then it waits for its own chunk, sees what was written there, multiplies both sides
// from shared memory and lets the stage go.
// CHECK:              llvm.getelementptr %[[FULL]]
// CHECK:              nvvm.mbarrier.try_wait.parity
// CHECK:              nvvm.fence.proxy
// CHECK:              nvvm.wgmma.fence.aligned
// CHECK-COUNT-4:      wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {{.*}}, $128, $129, 1, 1, 1, 0, 0;
// CHECK:              nvvm.wgmma.commit.group.sync.aligned
// CHECK:              nvvm.wgmma.wait.group.sync.aligned 0
// CHECK:              llvm.getelementptr %[[EMPTY]]
// CHECK:              nvvm.mbarrier.arrive

// The chunks that are left pass in the same way, since the other warpgroup may need
// them. Then the rows are stored, while the producer is at the next task. The threads
// of a warpgroup meet when they have its number, and nobody waits for all threads.
// CHECK:            scf.while
// CHECK:              nvvm.mbarrier.try_wait.parity
// CHECK:              nvvm.mbarrier.arrive
// CHECK:            llvm.getelementptr %[[ORDER]]
// CHECK:            llvm.getelementptr %[[Y]]
// CHECK:            llvm.store
// CHECK-NOT:        nvvm.barrier{{$}}
// CHECK:            nvvm.mbarrier.try_wait.parity %[[SENT]],
// CHECK:            nvvm.mbarrier.arrive %[[RECEIVED]]
// CHECK:            nvvm.barrier id = %{{.*}} number_of_threads = %c128_i32
// CHECK-NOT:        nvvm.barrier{{$}}
// CHECK:        gpu.return
