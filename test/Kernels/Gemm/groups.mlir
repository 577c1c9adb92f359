// RUN: gpu-gemm-kernels --chip=sm_80 --main-loop=warp16 --groups=3 --in=48 --out=72 --tile-k=16 --tile-n=16 --warps=4 --blocks=1 --resident=1 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s
// RUN: gpu-gemm-kernels --chip=sm_80 --main-loop=warp16 --groups=2 --in=16 --out=16 --tile-k=16 --tile-n=8 --warps=4 --blocks=1 --resident=1 --split-k=1 --emit=ir \
// RUN:   | sparseconv-opt --canonicalize --cse | FileCheck %s --check-prefix=NARROW

// Groups in a main loop, here warp16: three groups of 16 to 24 channels of f16. The 24
// take two column tiles of 16, so there are six, and the weight image has one after
// another: 27 offsets of 512 bytes each.

// CHECK:      gpu.func @gemm(%[[X:[^:]*]]: !llvm.ptr<1>, %[[WEIGHTS:[^:]*]]: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %{{[^:]*}}: !llvm.ptr<1>, %[[Y:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[COLUMN_TILE:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK:        arith.muli %{{.*}}, %c13824_i64
// CHECK:        llvm.getelementptr %[[WEIGHTS]]

// The thread block reads the channels of its group, and writes those of its column
// tile in the group.
// CHECK:        %[[GROUP:.*]] = arith.divui %[[COLUMN_TILE]], %c2_i32
// CHECK:        %[[IN:.*]] = arith.muli %[[GROUP]], %c32_i32
// CHECK:        %[[IN64:.*]] = arith.extui %[[IN]] : i32 to i64
// CHECK:        %[[X_GROUP:.*]] = llvm.getelementptr %[[X]][%[[IN64]]]
// CHECK:        %[[OUT:.*]] = arith.muli %[[GROUP]], %c48_i32
// CHECK:        %[[OUT64:.*]] = arith.extui %[[OUT]] : i32 to i64
// CHECK:        %[[Y_GROUP:.*]] = llvm.getelementptr %[[Y]][%[[OUT64]]]
// CHECK:        %[[TILE:.*]] = arith.remui %[[COLUMN_TILE]], %c2_i32
// CHECK:        %[[COLUMN:.*]] = arith.muli %[[TILE]], %c32_i32
// CHECK:        %[[COLUMN64:.*]] = arith.extui %[[COLUMN]] : i32 to i64
// CHECK:        llvm.getelementptr %[[Y_GROUP]][%[[COLUMN64]]]

// Rows of the input have all 48 channels, 96 bytes.
// CHECK:        %[[X_LANE:.*]] = llvm.getelementptr %[[X_GROUP]]
// CHECK:        arith.muli %{{.*}}, %c96_i64
// CHECK:        llvm.getelementptr %[[X_LANE]]
// CHECK:        nvvm.mma.sync

// Rows of the output have 72 channels, 144 bytes. The second column tile ends with the
// group, at 24.
// CHECK:        arith.muli %{{.*}}, %c144_i64
// CHECK:        arith.cmpi ult, %{{.*}}, %c24_i32
// CHECK:        llvm.store

// An element of the image is of group c / 32 and channel c % 32, c counting the columns
// of all column tiles; those behind channel 23 are zero. A slice of the weights is a
// group of an offset.
// CHECK:      gpu.func @pack(
// CHECK:        %[[OFFSET:.*]] = arith.remui %{{.*}}, %c27_i32
// CHECK:        %[[SLICE:.*]] = arith.muli %[[OFFSET]], %c3_i32
// CHECK:        %[[NUMBER:.*]] = arith.divui %[[COLUMN:.*]], %c32_i32
// CHECK:        arith.addi %[[SLICE]], %[[NUMBER]]
// CHECK:        %[[CHANNEL:.*]] = arith.remui %[[COLUMN]], %c32_i32
// CHECK:        arith.cmpi ult, %[[CHANNEL]], %c24_i32

// Groups of 8 channels fill half of an instruction's inner dimension. The other half is
// zero, not the next group's channels: only two of the four lanes of a lane group load.
// NARROW:      gpu.func @gemm(
// NARROW:        %[[LANE:.*]] = arith.remui %{{.*}}, %c4_i32
// NARROW:        %[[CHANNEL:.*]] = arith.muli %[[LANE]], %c4_i32
// NARROW:        %[[INSIDE:.*]] = arith.cmpi ult, %[[CHANNEL]], %c8_i32
// NARROW:        arith.andi %{{.*}}, %[[INSIDE]]
// NARROW:        ld.global.nc.v2.b32
// NARROW:        nvvm.mma.sync
