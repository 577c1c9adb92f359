// RUN: gpu-gemm-kernels --main-loop=depthwise --groups=32 --in=32 --out=32 --tile-n=32 --warps=4 --blocks=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s
// RUN: gpu-gemm-kernels --main-loop=depthwise --groups=33 --in=33 --out=33 --tile-n=16 --warps=4 --blocks=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s --check-prefix=ODD
// RUN: gpu-gemm-kernels --main-loop=depthwise --offsets=125 --groups=32 --in=32 --out=32 --tile-n=32 --warps=4 --blocks=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s --check-prefix=WORDS

// The main loop depthwise: 27 offsets and 32 channels of f16, each a group of its
// own, in four warps with a tile each. Lane l has channels 8 (l % 4) .. + 7 of
// rows 2 (l / 4) and 2 (l / 4) + 1. A row is 64 bytes.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %[[TABLE:[^:]*]]: !llvm.ptr<1>, %[[ORDER:[^:]*]]: !llvm.ptr<1>, %[[MASKS:[^:]*]]: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK-NOT:    llvm.mlir.addressof
// CHECK:        %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
// CHECK:        %[[WARP:.*]] = nvvm.shfl.sync idx
// CHECK:        %[[COLUMN:.*]] = arith.remui %[[LANE]], %c4_i32
// CHECK:        %[[PAIR:.*]] = arith.divui %[[LANE]], %c4_i32
// CHECK:        %[[ROW:.*]] = arith.muli %[[PAIR]], %c2_i32

// Behind the last tile a warp has nothing to do.
// CHECK:        nvvm.read.ptx.sreg.ctaid.x
// CHECK:        scf.if
// CHECK:          %[[FIRST_TILE:.*]] = arith.muli %{{.*}}, %c4_i32
// CHECK:          %[[TILE:.*]] = arith.addi %[[FIRST_TILE]], %[[WARP]]
// CHECK:          %[[HAS_TILE:.*]] = arith.cmpi ult, %[[TILE]],
// CHECK:          scf.if %[[HAS_TILE]] {

// The first offset of the tile, and its neighbours of both rows by one load.
// CHECK:          %[[FIRST:.*]] = arith.muli %[[TILE]], %c16_i32
// CHECK:          %[[SLOT:.*]] = arith.addi %[[FIRST]], %[[ROW]]
// CHECK:          llvm.getelementptr %[[MASKS]]
// CHECK:          math.cttz
// CHECK:          llvm.getelementptr %[[TABLE]]
// CHECK:          ld.global.nc.v2.b32

// A step: 16 bytes of each row, zeros where it is absent; 16 bytes of weights, which
// serve both; the neighbours of the next offset; and all products.
// CHECK:          scf.while (%[[OFFSET:[^ ]*]] = %{{[^ ]*}}, %{{[^ ]*}} = %{{[^ ]*}}, %[[IN0:[^ ]*]] = %{{[^ ]*}}, %[[IN1:[^ ]*]] = %{{[^ ]*}},
// CHECK:            %[[IS0:.*]] = arith.cmpi ult, %[[IN0]],
// CHECK:            ld.global.nc.v4.b32 {{.*}} %[[IS0]], %c0_i32,
// CHECK:            %[[IS1:.*]] = arith.cmpi ult, %[[IN1]],
// CHECK:            ld.global.nc.v4.b32 {{.*}} %[[IS1]], %c0_i32,
// CHECK:            arith.extui %[[OFFSET]]
// CHECK:            llvm.getelementptr %[[WEIGHTS]]
// CHECK:            llvm.load {{.*}} invariant {alignment = 16 : i64} {{.*}} -> vector<4xi32>
// CHECK-COUNT-8:    arith.extf {{.*}} : f16 to f32
// CHECK:            math.cttz
// CHECK:            llvm.getelementptr %[[TABLE]]
// CHECK:            ld.global.nc.v2.b32
// CHECK-COUNT-16:   math.fma
// CHECK-NOT:        math.fma
// CHECK:            scf.condition

// The eight channels of a row are stored at once.
// CHECK:          llvm.getelementptr %[[ORDER]]
// CHECK:          llvm.getelementptr %[[Y]]
// CHECK:          scf.if
// CHECK:            llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK:          llvm.getelementptr %[[Y]]
// CHECK:          scf.if
// CHECK:            llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
// CHECK:        gpu.return

// The image has a row of weights for each offset, two in a register. A thread makes
// four registers.
// CHECK:      gpu.func @pack(
// CHECK:        arith.cmpi ult, %{{.*}}, %c108_i32
// CHECK:        arith.divui %{{.*}}, %c16_i32
// CHECK:        llvm.store {{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>

// With 33 channels rows begin at any multiple of two bytes, and of the third column
// tile one channel is there: pieces are loaded and stored element by element.
// ODD:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>,
// ODD:        nvvm.read.ptx.sreg.ctaid.y
// ODD:        scf.while
// ODD-COUNT-8:  ld.global.nc.b16
// ODD:          math.fma
// ODD:        scf.if
// ODD:          llvm.store {{.*}} {alignment = 2 : i64} : f16, !llvm.ptr<1>

// More than 32 offsets: each warp lists those of its tile in shared memory.
// WORDS:      gpu.func @gemm(
// WORDS:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// WORDS:        arith.muli %{{.*}}, %c288_i32
// WORDS:        nvvm.bar.warp.sync
// WORDS:        scf.while
// WORDS:          llvm.getelementptr %[[SHARED]]
// WORDS:          llvm.load {{.*}} -> i16
