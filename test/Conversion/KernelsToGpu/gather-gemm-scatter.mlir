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
  // expected-error @+1 {{cannot be made: expected rows = 16, and lanes = 8 for tensor cores or 4 for threads, found 6 and 8}}
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

// -----

// In f32 that may not be rounded threads multiply: rows and weights of a chunk are
// copied into one of two stages of shared memory while the other one is used. 31232 =
// 128 rows of 36 sums, and stages of 32 x 32 weights and 16 rows of 36.

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {

// CHECK-LABEL: func.func @threads(
// CHECK:         gpu.launch_func @{{.*}}::@pair_gemm blocks in (%{{.*}}, %c2, %c1) threads in (%c32, %c1, %c1) dynamic_shared_memory_size %c31232_i32
// CHECK:       gpu.func @pair_gemm(
// CHECK-NOT:     nvvm.mma.sync
// CHECK:         nvvm.vote.sync ballot
// CHECK:         nvvm.cp.async.commit.group
// CHECK:         scf.while
// CHECK:           nvvm.cp.async.wait.group 0
// CHECK:           nvvm.bar.warp.sync
// CHECK:           nvvm.cp.async.commit.group
// CHECK-COUNT-512: math.fma
// CHECK-NOT:       math.fma
// CHECK:           nvvm.shfl.sync
// CHECK:             llvm.load %{{.*}} : !llvm.ptr<3> -> vector<4xf32>
// CHECK-COUNT-4:     arith.addf
// CHECK:             llvm.store %{{.*}} : vector<4xf32>, !llvm.ptr<3>
// CHECK:           nvvm.bar.warp.sync
func.func @threads(%x: memref<?x32xf32>, %w: memref<27x32x48xf32>, %rows: memref<?xi32>, %segments: memref<?x28xi64>, %y: memref<?x48xf32>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : memref<?x32xf32>, memref<27x32x48xf32>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x48xf32>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 32, lanes = 4>}
  return
}
}

// -----

// Products that are added atomically: to zeros, by a thread block for each offset of a
// row block, which has no sums and no list of offsets. Of the second column tile 8 of
// 24 columns are no channels.

module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {

// CHECK-LABEL: func.func @atomic(
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}} : memref<?x40xf32>
// CHECK:         %[[BLOCKS:.*]] = arith.ceildivsi %{{.*}}, %c128
// CHECK:         %[[ALL:.*]] = arith.muli %[[BLOCKS]], %c27
// CHECK:         gpu.launch_func @{{.*}}::@pair_gemm blocks in (%[[ALL]], %c2, %c1) threads in (%c32, %c1, %c1) args(
// CHECK:       gpu.func @pair_gemm(
// CHECK-NOT:     nvvm.vote.sync
// CHECK:         scf.while
// CHECK:           nvvm.mma.sync
// CHECK-NOT:       llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK:           scf.if
// CHECK:             llvm.atomicrmw fadd %{{.*}} syncscope("device") monotonic : !llvm.ptr<1>, f32
func.func @atomic(%x: memref<?x32xf16>, %w: memref<27x32x40xf16>, %rows: memref<?xi32>, %segments: memref<?x28xi64>, %y: memref<?x40xf32>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %rows, %rows, %segments : memref<?x32xf16>, memref<27x32x40xf16>, memref<?xi32>, memref<?xi32>, memref<?x28xi64>)
      outs(%y : memref<?x40xf32>)
      {tiling = #sparseconv.tiling<row_block = 128, rows = 16, columns = 24, lanes = 8>, atomic}
  return
}
}
