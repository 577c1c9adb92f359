// RUN: gpu-gemm-kernels --offsets=125 --chip=sm_80 --main-loop=warp16 --in=16 --out=8 --tile-k=16 --tile-n=8 --warps=4 --blocks=1 --resident=1 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s
// RUN: gpu-gemm-kernels --offsets=125 --main-loop=ring64 --in=32 --out=8 --tile-k=32 --tile-n=8 --warps=8 --blocks=1 --stages=4 --split-k=8 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s --check-prefix=BLOCK

// The offsets of a tile whose mask has several words, as a list in shared memory:
// here 125 offsets in four words, in the main loop warp16.

// CHECK:      gpu.func @gemm({{.*}}, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>) kernel
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32

// Each warp has a list of its own behind the weights: 128 entries of 16 bits, and
// 16 for the end.
// CHECK:        scf.if
// CHECK:        scf.if
// CHECK:        scf.if
// CHECK:          %[[OWN:.*]] = arith.muli %{{.*}}, %c288_i32
// CHECK:          %[[LIST:.*]] = arith.addi %[[OWN]], %c32512_i32
// CHECK:          nvvm.bar.warp.sync

// A lane looks after one bit of each word. The bits below it, and those of the words
// before, say which entry is its own.
// CHECK:          %[[BIT:.*]] = arith.shli %c1_i32, %[[LANE]]
// CHECK:          %[[COUNT:.*]] = scf.for %[[WORD:.*]] = %c0_i32 to %c4_i32 step %c1_i32 iter_args(%[[BEFORE:.*]] = %c0_i32)
// CHECK:            llvm.getelementptr %[[MASKS]]
// CHECK:            %[[BITS:.*]] = llvm.load
// CHECK:            %[[BELOW:.*]] = arith.subi %[[BIT]], %c1_i32
// CHECK:            %[[LOWER:.*]] = arith.andi %[[BITS]], %[[BELOW]]
// CHECK:            %[[SMALLER:.*]] = math.ctpop %[[LOWER]]
// CHECK:            %[[PLACE:.*]] = arith.addi %[[BEFORE]], %[[SMALLER]]
// CHECK:            scf.if
// CHECK:              %[[OFFSET:.*]] = arith.addi %{{.*}}, %[[LANE]]
// CHECK:              arith.muli %[[PLACE]], %c2_i32
// CHECK:              %[[ENTRY:.*]] = arith.trunci %[[OFFSET]] : i32 to i16
// CHECK:              llvm.store %[[ENTRY]]
// CHECK:            math.ctpop %[[BITS]]

// The end is marked 16 times, for walks that are ahead.
// CHECK:          arith.cmpi ult, %[[LANE]], %c16_i32
// CHECK:          scf.if
// CHECK:            arith.addi %[[COUNT]], %[[LANE]]
// CHECK:            llvm.store %c-1_i16
// CHECK:          nvvm.bar.warp.sync

// The walk is an address. It starts with two entries, and a step takes one.
// CHECK:          llvm.getelementptr %[[SHARED]][%[[LIST]]]
// CHECK:          llvm.load {{.*}} -> i16
// CHECK:          llvm.load {{.*}} -> i16
// CHECK:          scf.while
// CHECK:            scf.while
// CHECK:              llvm.getelementptr %[[SHARED]][%{{.*}}]
// CHECK:              %[[NEXT:.*]] = llvm.load {{.*}} -> i16
// CHECK:              arith.extsi %[[NEXT]] : i16 to i32
// CHECK:              ld.global.nc.v2.b32

// The next tile's list is written once all entries of this one's have been taken. The
// warp may still be reading them.
// CHECK:            llvm.atomicrmw uinc_wrap
// CHECK:            nvvm.mma.sync
// CHECK:            nvvm.bar.warp.sync
// CHECK:            scf.for
// CHECK:              llvm.store {{.*}} : i16

// In the main loop ring64 a warpgroup's list is written by its first warp, and that
// of the ring, with the offsets of all warpgroups, by the second warp of the thread
// block. A split takes those from one offset up to another. All threads meet.
// BLOCK:      gpu.func @gemm(
// BLOCK:        scf.if
// BLOCK:          %[[RANGE:.*]]:2 = scf.if
// BLOCK:          scf.if
// BLOCK:            scf.for
// BLOCK:              arith.subi %[[RANGE]]#1,
// BLOCK:              arith.subi %[[RANGE]]#0,
// BLOCK:              math.ctpop
// BLOCK:              llvm.store {{.*}} : i16
// BLOCK:            llvm.store %c-1_i16
// BLOCK:          scf.if
// BLOCK:            scf.for
// BLOCK:              arith.ori
// BLOCK:              arith.subi %[[RANGE]]#1,
// BLOCK:              math.ctpop
// BLOCK:              llvm.store {{.*}} : i16
// BLOCK:            llvm.store %c-1_i16
// BLOCK:          nvvm.barrier
