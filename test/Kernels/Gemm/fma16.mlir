// RUN: gpu-gemm-kernels --main-loop=fma16 --element=f32 --in=8 --out=32 --tile-k=8 --tile-n=32 --warps=2 --blocks=1 --stages=2 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s

// The main loop fma16: 27 offsets from 8 to 32 channels of f32, two warps and a
// ring of two stages. A stage has 1024 bytes of weights and 32 rows of 48 bytes,
// of which 16 are padding: 2560 bytes. A lane owns four rows by four channels.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared

// The thread block's offsets are those of both warps' tiles; each warp keeps the
// mask of its own.
// CHECK:        nvvm.read.ptx.sreg.ctaid.x
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          arith.ori
// CHECK:          %[[OWN:.*]] = nvvm.shfl.sync idx
// CHECK:          %[[MASK:.*]] = nvvm.shfl.sync idx

// Prologue: two offsets of the thread block and, for the row that this thread
// helps to copy, its neighbours. Then the first stage is filled: 16 bytes of the
// weights by each thread, and half a row, zeros where it is absent.
// CHECK:          math.cttz %[[MASK]]
// CHECK-COUNT-2:  ld.global.nc.b32
// CHECK:          scf.if
// CHECK:            nvvm.cp.async.shared.global {{.*}}, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>{{$}}
// CHECK:            %[[ROWS:.*]] = llvm.getelementptr %[[SHARED]][1024]
// CHECK:            nvvm.cp.async.shared.global {{.*}}, 16, cache = cg, %{{.*}} : !llvm.ptr<3>, !llvm.ptr<1>, i32
// CHECK:          nvvm.cp.async.commit.group
// CHECK:          ld.global.nc.b32

// A step waits for its chunk, then for all threads, ..
// CHECK:          scf.while (%[[USED:[^ ]*]] = %{{[^ ]*}}, %[[STAGE:[^ ]*]] = %c0_i32, %[[COPIED:[^ ]*]] = %{{[^ ]*}}, %[[TARGET:[^ ]*]] = %c1_i32,
// CHECK:            nvvm.cp.async.wait.group 0
// CHECK:            nvvm.barrier

// .. fills the other stage with the next chunk, ..
// CHECK:            arith.cmpi sge, %[[COPIED]], %c0_i32
// CHECK:            scf.if
// CHECK:              arith.muli %[[TARGET]], %c2560_i32
// CHECK-COUNT-2:      nvvm.cp.async.shared.global
// CHECK:            nvvm.cp.async.commit.group
// CHECK:            ld.global.nc.b32

// .. and multiplies where the warp's own tile has the offset: eight channels, each
// of four rows by four columns.
// CHECK:            arith.shrui %[[OWN]],
// CHECK:            scf.if
// CHECK:              arith.muli %[[STAGE]], %c2560_i32
// CHECK-COUNT-4:      llvm.load {{.*}} -> vector<4xf32>
// CHECK:              llvm.load {{.*}} -> vector<4xf32>
// CHECK-COUNT-128:    math.fma
// CHECK-NOT:          math.fma
// CHECK:              scf.yield
// CHECK:            scf.condition

// Epilogue: four rows of a lane, four channels each.
// CHECK:          llvm.getelementptr %[[ORDER]]
// CHECK-COUNT-4:  llvm.store {{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
// CHECK:        gpu.return
