// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --split-input-file | FileCheck %s

// A kernel of one thread block finds how many steps of 32 pairs each thread block of
// the gradient has: as few as 528 of them can do. It says where the thread blocks of
// each offset begin. The gradient kernel leaves one split for each thread block. The
// last kernel adds the splits of an offset up in f32 and rounds once: eight threads take
// every eighth split of an element each, and one of them adds up their sums, always in
// the same order. Where elements are many, fewer threads share one.

// CHECK-LABEL: func.func @tensor_cores(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x64xf16>, %[[DY:[^:]*]]: memref<?x64xf16>, %[[IN:[^:]*]]: memref<?xi32>, %[[OUT:[^:]*]]: memref<?xi32>, %[[COUNTS:[^:]*]]: memref<27xi32>, %[[DW:[^:]*]]: memref<27x64x64xf16>)
// CHECK:         %[[SHARES:.*]] = memref.alloc() {{.*}} : memref<28xi32>
// CHECK:         gpu.launch
// CHECK:           memref.load %[[COUNTS]]
// CHECK:           scf.while
// CHECK:             memref.load %[[COUNTS]]
// CHECK:             arith.cmpi sle, %{{.*}}, %c528
// CHECK:           memref.store %{{.*}}, %[[SHARES]]
// CHECK:         %[[SPLITS:.*]] = memref.alloc() {{.*}} : memref<528x4096xf32>
// CHECK:         gpu.launch_func @weight_grad::@weight_grad blocks in (%[[GRID:.*]], %{{.*}}, %{{.*}}) threads in (%[[THREADS:.*]], %{{.*}}, %{{.*}}) dynamic_shared_memory_size
// CHECK:         gpu.launch
// CHECK-SAME:        threads({{.*}}) in ({{.*}} = %c256{{.*}}) workgroup(%[[SUMS:.*]] : memref<8x32xf32, #gpu.address_space<workgroup>>)
// CHECK-COUNT-2:   memref.load %[[SHARES]]
// CHECK:           %[[OWN:.*]] = scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c64
// CHECK-COUNT-8:     memref.load %[[SPLITS]]
// CHECK-COUNT-8:     arith.addf
// CHECK:           memref.store %[[OWN]], %[[SUMS]]
// CHECK:           gpu.barrier
// CHECK:           scf.if
// CHECK-COUNT-7:     memref.load %[[SUMS]]
// CHECK:             %[[ROUNDED:.*]] = arith.truncf
// CHECK:             memref.store %[[ROUNDED]], %[[DW]]
// CHECK:       gpu.func @weight_grad(
// CHECK:         nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<col>
// CHECK:         nvvm.mma.sync
// CHECK-NOT:     atomic
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @tensor_cores(%x: memref<?x64xf16>, %dy: memref<?x64xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x64x64xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x64xf16>, memref<?x64xf16>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x64x64xf16>)
      {split_k = 528 : i64, tiling = #sparseconv.weight_grad_tiling<mma, tile_in = 64, tile_out = 64, piece_in = 32, piece_out = 32, pairs = 32, stages = 4, blocks = 4>}
  return
}
}

// -----

// In f32, and where rows are not whole pieces of 16 bytes, threads multiply and add.

// CHECK-LABEL: func.func @f32(
// CHECK:       gpu.func @weight_grad(
// CHECK-NOT:     nvvm.mma
// CHECK:         math.fma
// CHECK-NOT:     nvvm.mma
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @f32(%x: memref<?x64xf32>, %dy: memref<?x64xf32>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x64x64xf32>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x64xf32>, memref<?x64xf32>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x64x64xf32>)
      {split_k = 2 : i64, tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 64, tile_out = 64, piece_in = 4, piece_out = 4, pairs = 32, blocks = 2>}
  return
}
}

// -----

// CHECK-LABEL: func.func @odd(
// CHECK:       gpu.func @weight_grad(
// CHECK-NOT:     nvvm.mma
// CHECK:         math.fma
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @odd(%x: memref<?x12xf16>, %dy: memref<?x64xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<27xi32>, %dw: memref<27x12x64xf16>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x12xf16>, memref<?x64xf16>, memref<?xi32>, memref<?xi32>, memref<27xi32>)
      outs(%dw : memref<27x12x64xf16>)
      {tiling = #sparseconv.weight_grad_tiling<fma, tile_in = 12, tile_out = 64, piece_in = 4, piece_out = 4, slices = 4, pairs = 32, blocks = 2>}
  return
}
}

// -----

// The elements of a gradient with groups: [offsets, groups, in, out].

// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    %[[DW:[^:]*]]: memref<8x4x2x3xf32>)
// CHECK:         gpu.launch_func @weight_grad
// CHECK:         gpu.launch
// CHECK:           %[[PLACE:.*]] = arith.addi
// CHECK:           arith.minsi %[[PLACE]], %c191
// CHECK-DAG:       %[[COLUMN:.*]] = arith.remui %[[PLACE]], %c3
// CHECK-DAG:       %[[REST:.*]] = arith.divui %[[PLACE]], %c3
// CHECK-DAG:       %[[ROW:.*]] = arith.remui %[[REST]], %c2
// CHECK-DAG:       %[[SLICE:.*]] = arith.divui %[[REST]], %c2
// CHECK-DAG:       %[[GROUP:.*]] = arith.remui %[[SLICE]], %c4
// CHECK-DAG:       %[[OFFSET:.*]] = arith.divui %[[SLICE]], %c4
// CHECK:           memref.store %{{.*}}, %[[DW]][%[[OFFSET]], %[[GROUP]], %[[ROW]], %[[COLUMN]]]
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_80">} {
func.func @groups(%x: memref<?x8xf32>, %dy: memref<?x12xf32>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %counts: memref<8xi32>, %dw: memref<8x4x2x3xf32>) {
  sparseconv.kernel.tiled_weight_grad
      ins(%x, %dy, %in_rows, %out_rows, %counts
          : memref<?x8xf32>, memref<?x12xf32>, memref<?xi32>, memref<?xi32>, memref<8xi32>)
      outs(%dw : memref<8x4x2x3xf32>)
      {split_k = 7 : i64, tiling = #sparseconv.weight_grad_tiling<fma, tile_groups = 4, tile_in = 2, tile_out = 4, piece_in = 2, piece_out = 4, slices = 64, pairs = 64, blocks = 2>}
  return
}
}
