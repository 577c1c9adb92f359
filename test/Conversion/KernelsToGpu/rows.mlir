// RUN: sparseconv-opt %s --convert-sparseconv-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

module attributes {sparseconv.target = "cuda"} {

// Operations that work row by row have the loops of the CPU, an iteration for
// each row.

// CHECK-LABEL: func.func @decode(
// CHECK:         %[[N:.*]] = memref.dim
// CHECK:         scf.parallel (%[[ROW:.*]]) = (%c0) to (%[[N]]) step (%c1)
// CHECK-NOT:       scf.for
// CHECK:           memref.load %{{.*}}[%[[ROW]]]
func.func @decode(%keys: memref<?xi64>, %points: memref<?x4xi32>) {
  sparseconv.kernel.decode ins(%keys : memref<?xi64>) outs(%points : memref<?x4xi32>) {set = !set}
  return
}

// The first row that fails, by an atomic minimum: the same on every run.

// CHECK-LABEL: func.func @gather_rows(
// CHECK:         %[[FIRST:.*]] = memref.alloc() {{.*}} : memref<1xi64>
// CHECK:         memref.store %{{.*}}, %[[FIRST]]
// CHECK:         scf.parallel
// CHECK:           memref.atomic_rmw minu %{{.*}}, %[[FIRST]]
// CHECK:         memref.load %[[FIRST]]
func.func @gather_rows(%x: memref<?x8xf32>, %index: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x8xf32>) {
  sparseconv.kernel.gather_rows ins(%x, %index, %status : memref<?x8xf32>, memref<?xi32>, memref<8xi64>)
      outs(%y : memref<?x8xf32>) {op_id = 0 : i64}
  return
}

// A search is a thread for each column of each row: it halves, then walks the
// column. No thread has memory of its own.

// CHECK-LABEL: func.func @search(
// CHECK-SAME:    %[[IN:[^:]*]]: memref<?xi64>, %[[OUT:[^:]*]]: memref<?xi64>, %[[TABLE:[^:]*]]: memref<?x27xi32>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[OUT]], %c0
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[ROWS]], %c9
// CHECK:         scf.parallel (%[[ITEM:.*]]) = (%c0) to (%[[ITEMS]])
// CHECK-NOT:       memref.alloc
// CHECK:           %[[ROW:.*]] = arith.divui %[[ITEM]], %c9
// CHECK:           %[[COLUMN:.*]] = arith.remui %[[ITEM]], %c9
// CHECK:           scf.while
// CHECK:           scf.for
// CHECK:             memref.store %{{.*}}, %[[TABLE]][%[[ROW]],
func.func @search(%in: memref<?xi64>, %out: memref<?xi64>, %table: memref<?x27xi32>) {
  sparseconv.kernel.search ins(%in, %out : memref<?xi64>, memref<?xi64>) outs(%table : memref<?x27xi32>)
      {displacements = array<i64: -1, -1, -1, -1, -1, 0, -1, -1, 1, -1, 0, -1, -1, 0, 0, -1, 0, 1, -1, 1, -1, -1, 1, 0, -1, 1, 1,
                                  0, -1, -1, 0, -1, 0, 0, -1, 1, 0, 0, -1, 0, 0, 0, 0, 0, 1, 0, 1, -1, 0, 1, 0, 0, 1, 1,
                                  1, -1, -1, 1, -1, 0, 1, -1, 1, 1, 0, -1, 1, 0, 0, 1, 0, 1, 1, 1, -1, 1, 1, 0, 1, 1, 1>,
       packing = #packing}
  return
}

}

// -----

// What a GPU has no form for is refused.

module attributes {sparseconv.target = "cuda"} {
func.func @gather_gemm(%x: memref<?x8xf32>, %w: memref<2x8x16xf32>, %rows: memref<?xi32>, %segments: memref<?x3xi64>, %y: memref<?x16xf32>) {
  // expected-error @+1 {{'sparseconv.kernel.gather_gemm' has no form on the GPU}}
  sparseconv.kernel.gather_gemm
      ins(%x, %w, %rows, %rows, %segments : memref<?x8xf32>, memref<2x8x16xf32>, memref<?xi32>, memref<?xi32>, memref<?x3xi64>)
      outs(%y : memref<?x16xf32>)
      {dataflow = #sparseconv.dataflow<weight_stationary>, tiling = #sparseconv.tiling<block = 512, rows = 6, columns = 16, lanes = 8>}
  return
}
}
