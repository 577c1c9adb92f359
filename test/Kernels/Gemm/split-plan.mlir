// RUN: gpu-gemm-kernels --main-loop=ring64 --in=64 --out=64 --tile-k=64 --tile-n=64 --warps=8 --blocks=1 --stages=4 --split-k=4 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s

// How thread blocks of ring64 share rows, with at most four splits of each row
// block. The plan lies behind the ring, which takes 32832 bytes.

// CHECK:      gpu.func @gemm({{.*}}, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %[[SCRATCH:[^:]*]]: !llvm.ptr<1>, %[[COUNTERS:[^:]*]]: !llvm.ptr<1> {sparseconv.restored}

// Row blocks are cut where there are fewer than thread blocks, and a thread for
// each of them.
// CHECK:        %[[GRID:.*]] = nvvm.read.ptx.sreg.nctaid.x
// CHECK:        %[[MOST:.*]] = arith.minui %[[GRID]], %c257_i32
// CHECK:        %[[IS_CUT:.*]] = arith.cmpi ult, %{{.*}}, %[[MOST]]
// CHECK:        scf.if %[[IS_CUT]]

// A thread counts the offsets of its row block's two tiles.
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          math.ctpop
// CHECK:          nvvm.barrier

// A warp rates a grain after the other: it adds up the tasks of all row blocks, and
// looks for the largest task and for the most tasks of a row block.
// CHECK:          scf.for {{.*}} to %c16_i32 step %c8_i32
// CHECK:            nvvm.redux.sync add
// CHECK:            nvvm.redux.sync umax
// CHECK:            nvvm.redux.sync umax
// All tasks have to run at a time, and no row block may have more than four.
// CHECK:            arith.cmpi sle, %{{.*}}, %[[GRID]]
// CHECK:            arith.cmpi sle, %{{.*}}, %c4_i32
// CHECK:          nvvm.barrier
// The best of 16 grains.
// CHECK-COUNT-15: arith.minui
// Each row block learns how many tasks come before its own.
// CHECK-COUNT-5:  nvvm.shfl.sync
// CHECK:          nvvm.barrier

// Each thread block begins with the task of its number. The thread whose row block
// it is of tells the others; a whole row block is told by thread 0.
// CHECK:        scf.if %[[IS_CUT]]
// CHECK-COUNT-4:  llvm.store
// CHECK:        } else {
// CHECK-COUNT-4:  llvm.store
// CHECK:        nvvm.barrier
// CHECK:        %[[FIRST:.*]] = llvm.load
// CHECK:        scf.if
// CHECK:          scf.while (%[[NUMBER:.*]] = %[[FIRST]],

// Behind the walk over the offsets thread 0 takes another task.
// CHECK:          wgmma.mma_async
// CHECK:          llvm.atomicrmw uinc_wrap

// A split that is not the last one of its rows to end leaves its sums in memory, and
// says so.
// CHECK:          llvm.atomicrmw add
// CHECK:            llvm.store {{.*}} : vector<4xf32>, !llvm.ptr<1>
// CHECK:            llvm.fence syncscope("device") acq_rel
// CHECK:            llvm.atomicrmw add {{.*}}, %c65536_i32
// The last one waits for the sums of the others, and adds them and its own up in the
// order of the splits.
// CHECK:            scf.while
// CHECK:              llvm.atomicrmw add {{.*}}, %c0_i32
// CHECK:            llvm.fence syncscope("device") acq_rel
// CHECK:            scf.for
// CHECK:              llvm.load {{.*}} -> vector<4xf32>
// CHECK:              arith.addf
// CHECK:        gpu.return
