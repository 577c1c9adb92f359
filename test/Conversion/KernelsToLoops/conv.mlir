// RUN: sparseconv-opt %s -convert-sparseconv-kernels-to-loops -canonicalize -cse | FileCheck %s

#tiling = #sparseconv.tiling<row_block = 512, rows = 2, columns = 32, lanes = 16>

// The weights become f32 panels. A work item then owns 512 output rows; threads
// take one after another, as blocks differ in their pairs.

// CHECK-LABEL: func @gather_gemm_scatter(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x3xf32>, %[[W:[a-z0-9]+]]: memref<27x3x32xf16>,
// CHECK-SAME:    %[[IN:[a-z0-9]+]]: memref<?xi32>, %[[OUT:[a-z0-9]+]]: memref<?xi32>,
// CHECK-SAME:    %[[SEGMENTS:[a-z0-9]+]]: memref<?x28xi64>, %[[BIAS:[a-z0-9]+]]: memref<32xf32>,
// CHECK-SAME:    %[[SKIP:[a-z0-9]+]]: memref<?x32xf16>, %[[Y:[a-z0-9]+]]: memref<?x32xf16>)
// CHECK-DAG:     %[[ZERO:.*]] = arith.constant dense<0.0{{.*}}> : vector<16xf32>
// CHECK:         %[[PACKED:.*]] = memref.alloc() {{.*}} : memref<27x1x1x3x32xf32>
// CHECK:         scf.parallel
// CHECK:           %[[NARROW:.*]] = vector.load %[[W]]
// CHECK:           %[[WIDE:.*]] = arith.extf %[[NARROW]] : vector<16xf16> to vector<16xf32>
// CHECK:           vector.store %[[WIDE]], %[[PACKED]]

// CHECK:         scf.parallel
// CHECK:           memref.atomic_rmw addi
// CHECK:         ^bb0(%[[BLOCK:.*]]: index):
// CHECK:           %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<512x32xf32>
// CHECK:           vector.store %[[ZERO]], %[[SUMS]]

// Each offset: tiles of two pairs by two vectors, whose loop over channels is
// unrolled, then single pairs, whose loop is not.

// CHECK:           scf.for %[[K:.*]] = %{{.*}} to %c27 step %c1
// CHECK:             memref.load %[[SEGMENTS]][%[[BLOCK]], %[[K]]]
// CHECK:             scf.for %[[PAIR:.*]] = %{{.*}} to %{{.*}} step %c2
// CHECK-DAG:           memref.load %[[IN]][%[[PAIR]]]
// CHECK-DAG:           memref.load %[[OUT]][%[[PAIR]]]
// CHECK-COUNT-3:       vector.load %[[PACKED]]{{.*}} vector<16xf32>
// CHECK-COUNT-6:       vector.fma
// CHECK-COUNT-4:       vector.store %{{.*}}, %[[SUMS]]
// CHECK:             scf.for %{{.*}} = %{{.*}} to %{{.*}} step %c1
// CHECK:               scf.for %{{.*}} = %c0 to %c3 step %c1
// CHECK-COUNT-2:         vector.fma
// CHECK-NOT:             vector.fma
// CHECK-COUNT-2:       vector.store %{{.*}}, %[[SUMS]]

// The epilogue on vectors, and one rounding.

// CHECK:             %[[SUM:.*]] = vector.load %[[SUMS]]
// CHECK:             %[[B:.*]] = vector.load %[[BIAS]]
// CHECK:             %[[S:.*]] = vector.load %[[SKIP]]
// CHECK:             %[[S32:.*]] = arith.extf %[[S]] : vector<16xf16> to vector<16xf32>
// CHECK:             %[[T:.*]] = arith.addf %[[SUM]], %[[B]] : vector<16xf32>
// CHECK:             %[[U:.*]] = arith.addf %[[T]], %[[S32]] : vector<16xf32>
// CHECK:             %[[V:.*]] = arith.maximumf %[[U]], %[[ZERO]] : vector<16xf32>
// CHECK:             %[[ROUNDED:.*]] = arith.truncf %[[V]] : vector<16xf32> to vector<16xf16>
// CHECK:             vector.store %[[ROUNDED]], %[[Y]]
// CHECK:           memref.dealloc %[[SUMS]]
// CHECK:         memref.dealloc %[[PACKED]]
func.func @gather_gemm_scatter(
    %x: memref<?x3xf32>, %w: memref<27x3x32xf16>, %in: memref<?xi32>,
    %out: memref<?xi32>, %segments: memref<?x28xi64>, %bias: memref<32xf32>,
    %skip: memref<?x32xf16>, %y: memref<?x32xf16>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in, %out, %segments, %bias, %skip
          : memref<?x3xf32>, memref<27x3x32xf16>, memref<?xi32>, memref<?xi32>,
            memref<?x28xi64>, memref<32xf32>, memref<?x32xf16>)
      outs(%y : memref<?x32xf16>)
      {tiling = #tiling} epilogue {
  ^bb0(%acc: f32, %b: f32, %s: f16):
    %zero = arith.constant 0.0 : f32
    %s32 = arith.extf %s : f16 to f32
    %0 = arith.addf %acc, %b : f32
    %1 = arith.addf %0, %s32 : f32
    %2 = arith.maximumf %1, %zero : f32
    sparseconv.yield %2 : f32
  }
  return
}

// Panels are padded to the lanes, so that only the store has a tail. Narrow
// rows are widened once for each block and offset.

// CHECK-LABEL: func @padded(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x8xbf16>
// CHECK:         memref.alloc() {{.*}} : memref<8x1x2x8x32xf32>
// CHECK:         scf.parallel
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<512x64xf32>
// CHECK:         %[[STAGED:.*]] = memref.alloc() {{.*}} : memref<512x8xf32>
// CHECK:         %[[NARROW:.*]] = memref.load %[[X]]
// CHECK:         %[[WIDE:.*]] = arith.extf %[[NARROW]] : bf16 to f32
// CHECK:         memref.store %[[WIDE]], %[[STAGED]]
// CHECK:         %[[VALUE:.*]] = memref.load %[[STAGED]]
// CHECK:         %[[SPREAD:.*]] = vector.broadcast %[[VALUE]] : f32 to vector<16xf32>
// CHECK:         vector.fma %[[SPREAD]]
// CHECK:         arith.truncf {{.*}} : vector<16xf32> to vector<16xbf16>
// CHECK:         arith.truncf {{.*}} : f32 to bf16
func.func @padded(
    %x: memref<?x8xbf16>, %w: memref<8x8x33xbf16>, %in: memref<?xi32>,
    %out: memref<?xi32>, %segments: memref<?x9xi64>, %y: memref<?x33xbf16>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in, %out, %segments
          : memref<?x8xbf16>, memref<8x8x33xbf16>, memref<?xi32>,
            memref<?xi32>, memref<?x9xi64>)
      outs(%y : memref<?x33xbf16>)
      {tiling = #tiling}
  return
}

// Vectors of four lanes multiply and add apart. Vectors run along the channels
// of a depthwise convolution.

// CHECK-LABEL: func @depthwise(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x6xf32>
// CHECK:         %[[PACKED:.*]] = memref.alloc() {{.*}} : memref<8x6xf32>
// CHECK:         scf.parallel
// CHECK:         vector.load %[[PACKED]]
// CHECK:         %[[VALUE:.*]] = vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK-NOT:     fma
// CHECK:         arith.mulf %[[VALUE]], {{.*}} : vector<4xf32>
// CHECK:         arith.addf {{.*}} : vector<4xf32>
// CHECK:         arith.mulf {{.*}} : f32
func.func @depthwise(
    %x: memref<?x6xf32>, %w: memref<8x6x1x1xf32>, %in: memref<?xi32>,
    %out: memref<?xi32>, %segments: memref<?x9xi64>, %y: memref<?x6xf32>) {
  sparseconv.kernel.gather_gemm_scatter
      ins(%x, %w, %in, %out, %segments
          : memref<?x6xf32>, memref<8x6x1x1xf32>, memref<?xi32>,
            memref<?xi32>, memref<?x9xi64>)
      outs(%y : memref<?x6xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 4, columns = 8, lanes = 4>}
  return
}

// Some blocks at a time go through all offsets. The rows of the pairs are lined
// up; then a tile of the gradient is in registers while all pairs pass.

// CHECK-LABEL: func @weight_grad(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: memref<?x5xf32>, %[[DY:[a-z0-9]+]]: memref<?x32xf32>
// CHECK-SAME:    %[[SEGMENTS:[a-z0-9]+]]: memref<?x28xi64>, %[[DW:[a-z0-9]+]]: memref<27x5x32xf32>)
// CHECK:         %[[SUMS:.*]] = memref.alloc() {{.*}} : memref<27x5x32xf32>
// CHECK:         %[[BLOCKS:.*]] = memref.dim %[[SEGMENTS]]
// CHECK:         scf.for %{{.*}} = %c0 to %[[BLOCKS]] step %c13
// CHECK:           scf.parallel
// CHECK:             %[[XS:.*]] = memref.alloc() {{.*}} : memref<512x12xf32>
// CHECK:             %[[DYS:.*]] = memref.alloc() {{.*}} : memref<512x32xf32>
// CHECK:             vector.load %[[DY]]
// CHECK:             memref.load %[[X]]
// CHECK-COUNT-4:     vector.load %[[SUMS]]
// CHECK:             %[[TILE:.*]]:4 = scf.for
// CHECK-COUNT-2:       vector.load %[[DYS]]
// CHECK:               memref.load %[[XS]]
// CHECK-COUNT-4:       vector.fma
// CHECK:             vector.store %[[TILE]]#0, %[[SUMS]]
// CHECK:         vector.store %{{.*}}, %[[DW]]
func.func @weight_grad(
    %x: memref<?x5xf32>, %dy: memref<?x32xf32>, %in: memref<?xi32>,
    %out: memref<?xi32>, %segments: memref<?x28xi64>,
    %dw: memref<27x5x32xf32>) {
  sparseconv.kernel.weight_grad
      ins(%x, %dy, %in, %out, %segments
          : memref<?x5xf32>, memref<?x32xf32>, memref<?xi32>, memref<?xi32>,
            memref<?x28xi64>)
      outs(%dw : memref<27x5x32xf32>) {tiling = #tiling}
  return
}
