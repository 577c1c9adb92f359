// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
// Pair lists: a thread block counts the pairs of a row block, learns where those
// of each offset begin, and writes them. It waits for no other.
// CHECK-LABEL: func.func @pair_lists(
// CHECK:         gpu.launch
// CHECK:           memref.load {{.*}} : memref<?x27xi32>
// CHECK:           memref.store {{.*}} : memref<8x27xi32,
// CHECK:           gpu.barrier
// CHECK:           memref.store {{.*}} : memref<27xi32,
// CHECK:           gpu.barrier
// CHECK:           memref.store {{.*}} : memref<?x28xi64>
// CHECK:           gpu.barrier
// CHECK-COUNT-2:   memref.store {{.*}} : memref<?xi32>
// CHECK-NOT:     gpu.launch
func.func @pair_lists(%table: memref<?x27xi32>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %segments: memref<?x28xi64>) {
  sparseconv.kernel.pair_lists ins(%table : memref<?x27xi32>)
      outs(%in_rows, %out_rows, %segments : memref<?xi32>, memref<?xi32>, memref<?x28xi64>) {row_block = 128 : i64}
  return
}
}

// -----

// The weight-stationary product. A thread block is one warp with a row block and
// some columns, whose sums are in shared memory; it adds to them the products of
// one offset after the other.

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {

// Two column tiles of 24; 14336 = 128 rows of 28 f32.
// CHECK-LABEL: func.func @gather_gemm_scatter(
// CHECK:         gpu.launch_func @gemm::@pack_weights
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %{{.*}}, %c128
// CHECK:         gpu.launch_func @{{.*}}::@pair_gemm blocks in (%[[BLOCKS]], %c2, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c14336_i32

// CHECK:       gpu.func @pair_gemm(
//              The offsets that have pairs.
// CHECK:         nvvm.vote.sync ballot
//              While there are tiles of 16 pairs: products, then sums.
// CHECK:         scf.while
// CHECK-COUNT-6:   nvvm.mma.sync
// CHECK-NOT:       nvvm.mma.sync
// CHECK:           scf.if
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK:             arith.addf
// CHECK:             llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           nvvm.bar.warp.sync
func.func @gather_gemm_scatter(%x: memref<?x32xf16>, %w: memref<27x32x48xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %segments: memref<?x28xi64>, %y: memref<?x48xf16>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in_rows, %out_rows, %segments : memref<?x32xf16>, memref<27x32x48xf16>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x48xf16>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>}
  return
}
}

// -----

// Products that are kept in f32: the columns of a tile are 24 x 4 bytes of a row.

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
// CHECK-LABEL: func.func @f32_rows(
// CHECK:       gpu.func @pair_gemm({{.*}} %[[Y:[^ ]*]]: !llvm.ptr<1>, %{{[^ ]*}}: !llvm.ptr<1>, %{{[^ ]*}}: !llvm.ptr<1>, %{{[^ ]*}}: !llvm.ptr<1>) kernel
// CHECK:         %[[TILE:.*]] = nvvm.read.ptx.sreg.ctaid.y
// CHECK:         %[[BYTES:.*]] = arith.muli %[[TILE]], %c96_i32
// CHECK:         %[[WIDE:.*]] = arith.extui %[[BYTES]]
// CHECK:         llvm.getelementptr %[[Y]][%[[WIDE]]]
func.func @f32_rows(%x: memref<?x32xf16>, %w: memref<27x32x48xf16>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %segments: memref<?x28xi64>, %y: memref<?x48xf32>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in_rows, %out_rows, %segments : memref<?x32xf16>, memref<27x32x48xf16>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x48xf32>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>}
  return
}
}

// -----

// A tiling of the CPU.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {
func.func @cpu_tiling(%x: memref<?x8xf16>, %w: memref<2x8x16xf16>, %rows: memref<?xi32>, %segments: memref<?x3xi64>, %y: memref<?x16xf16>) {
  // expected-error @+1 {{cannot be made: tensor cores take rows = 16 and lanes = 8, found 6 and 8}}
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : memref<?x8xf16>, memref<2x8x16xf16>, memref<?xi32>, memref<?xi32>, memref<?x3xi64>)
      outs(%y : memref<?x16xf16>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>}
  return
}
}

// -----

// Sums that are not yet those of a row stay in f32, 4 of them in a store.

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {

// CHECK-LABEL: func.func @products(
// CHECK:       gpu.func @pair_gemm(
// CHECK:         nvvm.mma.sync
// CHECK:         llvm.store %{{.*}} {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
func.func @products(%x: memref<?x32xf16>, %w: memref<27x32x48xf16>, %rows: memref<?xi32>, %segments: memref<?x28xi64>, %y: memref<?x48xf32>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : memref<?x32xf16>, memref<27x32x48xf16>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x48xf32>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>}
  return
}
}
