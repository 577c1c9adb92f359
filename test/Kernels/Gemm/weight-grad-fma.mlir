// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// The main loop fma of a gradient by the weights: 27 offsets, 8 by 4 channels of
// f32. A thread owns a piece of 4 by 4, and there are two. Sixteen threads share
// each piece: of a step of 32 pairs, each of them takes two. The other 224 of the
// 256 threads help to bring the rows, and repeat what the last one multiplies.

// There are never fewer thread blocks than offsets.
// CHECK-LABEL: func.func @weight_grad(
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<432x32xf32>
// CHECK:         gpu.launch_func @{{.*}} blocks in (%c27, %c1, %c1) threads in (%c256, %c1, %c1)

// CHECK:      gpu.func @weight_grad(%[[X:[^:]*]]: !llvm.ptr<1>, %[[DY:[^:]*]]: !llvm.ptr<1>, %[[IN:[^:]*]]: !llvm.ptr<1>, %[[OUT:[^:]*]]: !llvm.ptr<1>, %[[COUNTS:[^:]*]]: !llvm.ptr<1>, %[[SHARES:[^:]*]]: !llvm.ptr<1>, %[[SUMS:[^:]*]]: !llvm.ptr<1>,
// CHECK:        %[[SHARED:.*]] = llvm.mlir.addressof @sparseconv_dynamic_shared
// CHECK:        %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK:        %[[ROWS:.*]] = llvm.getelementptr %[[SHARED]][1536]
// CHECK:        %[[WORKER:.*]] = arith.minui %[[THREAD]], %c31_i32
// CHECK:        %[[SLICE:.*]] = arith.divui %[[WORKER]], %c2_i32

// A step first brings the numbers of its rows: 32 of x and 32 of dy.
// CHECK:          scf.for %{{.*}} = %c0_i32 to %{{.*}} step %c1_i32
// CHECK:            arith.select %{{.*}}, %[[OUT]], %[[IN]]
// CHECK:            ld.global.nc.b32 {{.*}}, %c0_i32
// CHECK:            llvm.store {{.*}} : i32, !llvm.ptr<3>
// CHECK:            nvvm.barrier

// Then it brings the rows to shared memory, as f32. Rows of x have eight channels,
// one for each thread; those of dy have four, and half of the threads bring them.
// What is no row of x, or behind the last pair, becomes zeros.
// CHECK:            arith.divui %[[THREAD]], %c8_i32
// CHECK:            llvm.getelementptr %[[X]]
// CHECK:            ld.global.nc.b32 {{.*}}, %c0_i32
// CHECK:            llvm.store {{.*}} : f32, !llvm.ptr<3>
// CHECK:            %[[DY_ROWS:.*]] = llvm.getelementptr %[[SHARED]][1024]
// CHECK:            %[[HALF:.*]] = arith.cmpi ult, %[[THREAD]], %c128_i32
// CHECK:            scf.if %[[HALF]]
// CHECK:              llvm.getelementptr %[[DY]]
// CHECK:              ld.global.nc.b32 {{.*}}, %c0_i32
// CHECK:              llvm.getelementptr %[[DY_ROWS]]
// CHECK:              llvm.store {{.*}} : f32, !llvm.ptr<3>

// All wait until the rows are there. Then each thread multiplies its two pairs:
// four channels of x by four of dy. The numbers of the next rows go elsewhere, and
// all wait for those before anybody overwrites the rows.
// CHECK:            nvvm.barrier
// CHECK:            scf.for %[[TURN:.*]] = %c0_i32 to %c2_i32
// CHECK:              %[[PAIR:.*]] = arith.muli %[[TURN]], %c16_i32
// CHECK:              arith.addi %[[PAIR]], %[[SLICE]]
// CHECK-COUNT-2:      llvm.load {{.*}} !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-16:     math.fma
// CHECK-NOT:          math.fma
// CHECK:              scf.yield
// CHECK-NOT:        nvvm.barrier
// CHECK:            scf.yield

// Epilogue: the threads that own a piece store its 16 sums.
// CHECK:          llvm.getelementptr %[[SUMS]]
// CHECK:          arith.cmpi ult, %[[THREAD]], %c32_i32
// CHECK-COUNT-16: llvm.store {{.*}} : f32, !llvm.ptr<1>
// CHECK-NOT:      llvm.store
// CHECK:        gpu.return
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @weight_grad(%x: memref<?x8xf32>, %dy: memref<?x4xf32>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x8x4xf32>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x8xf32>, memref<?x4xf32>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x8x4xf32>)
      {split_k = 5 : i64, tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 8, tile_out = 4, piece_in = 4, piece_out = 4, slices = 16, pairs = 32, blocks = 2>}
  return
}
}
