// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse --split-input-file --verify-diagnostics | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [1, 1, 1]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #packing>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// Operations that work row by row have the loops of the CPU, with an iteration
// for each row, or for each vector of channels of a row. A thread moves 16
// bytes where they are aligned.

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
// CHECK:         %[[ITEMS:.*]] = arith.muli %{{.*}}, %c4
// CHECK:         %[[FIRST:.*]] = memref.alloc() {{.*}} : memref<1xi64>
// CHECK:         memref.store %{{.*}}, %[[FIRST]]
// CHECK:         scf.parallel (%[[ITEM:.*]]) = (%c0) to (%[[ITEMS]])
// CHECK:           %[[CHUNK:.*]] = arith.remui %[[ITEM]], %c4
// CHECK:           %[[CHANNEL:.*]] = arith.muli %[[CHUNK]], %c8
// CHECK:           %[[ROW:.*]] = arith.divui %[[ITEM]], %c4
// CHECK:           vector.load %{{.*}}[%{{.*}}, %[[CHANNEL]]] {alignment = 16 : i64} : memref<?x32xf16>, vector<8xf16>
// CHECK:           vector.store %{{.*}}[%[[ROW]], %[[CHANNEL]]] {alignment = 16 : i64}
// CHECK:           memref.atomic_rmw minu %{{.*}}, %[[FIRST]]
// CHECK:         memref.load %[[FIRST]]
func.func @gather_rows(%x: memref<?x32xf16>, %index: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x32xf16>) {
  sparseconv.kernel.gather_rows ins(%x, %index, %status : memref<?x32xf16>, memref<?xi32>, memref<8xi64>)
      outs(%y : memref<?x32xf16>) {op_id = 0 : i64}
  return
}

// Numbers that are trusted are no error, and nothing looks for the first.

// CHECK-LABEL: func.func @gather_trusted_rows(
// CHECK-NOT:     atomic_rmw
// CHECK:         scf.parallel
// CHECK:           vector.load
// CHECK:           vector.store
// CHECK-NOT:     memref.load
// CHECK:         return
func.func @gather_trusted_rows(%x: memref<?x32xf16>, %index: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x32xf16>) {
  sparseconv.kernel.gather_rows ins(%x, %index, %status : memref<?x32xf16>, memref<?xi32>, memref<8xi64>)
      outs(%y : memref<?x32xf16>) {op_id = 0 : i64, trusted}
  return
}

// Rows of 11 channels of 2 bytes are not aligned to more than that: each element is
// a work item, so that neighbouring threads have neighbours.

// CHECK-LABEL: func.func @gather_odd_rows(
// CHECK:         scf.parallel
// CHECK:           arith.remui %{{.*}}, %c11
// CHECK:           vector.load {{.*}} {alignment = 2 : i64} : memref<?x11xf16>, vector<1xf16>
// CHECK-NOT:       vector.load
// CHECK:           vector.store {{.*}} {alignment = 2 : i64} : memref<?x11xf16>, vector<1xf16>
func.func @gather_odd_rows(%x: memref<?x11xf16>, %index: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x11xf16>) {
  sparseconv.kernel.gather_rows ins(%x, %index, %status : memref<?x11xf16>, memref<?xi32>, memref<8xi64>)
      outs(%y : memref<?x11xf16>) {op_id = 0 : i64}
  return
}

// Each 8 channels of an offset of a row are a work item: 16 bytes. Where there is no
// neighbour, zeros.

// CHECK-LABEL: func.func @im2col(
// CHECK-SAME:    %[[X:.*]]: memref<?x32xf16>, %[[TABLE:.*]]: memref<?x27xi32>, %[[COLUMNS:.*]]: memref<?x27x32xf16>)
// CHECK:         scf.parallel
// CHECK:           %[[ITEM:.*]] = arith.divui %{{.*}}, %c4
// CHECK:           %[[ROW:.*]] = arith.divui %[[ITEM]], %c27
// CHECK:           %[[OFFSET:.*]] = arith.remui %[[ITEM]], %c27
// CHECK:           memref.load %[[TABLE]][%[[ROW]], %[[OFFSET]]]
// CHECK:           scf.if
// CHECK:             %[[PIECE:.*]] = vector.load %[[X]][%{{.*}}, %[[CHANNEL:.*]]] {alignment = 16 : i64} : memref<?x32xf16>, vector<8xf16>
// CHECK:             vector.store %[[PIECE]], %[[COLUMNS]][%[[ROW]], %[[OFFSET]], %[[CHANNEL]]] {alignment = 16 : i64}
// CHECK:           } else {
// CHECK:             vector.store %cst{{.*}}, %[[COLUMNS]][%[[ROW]], %[[OFFSET]], %[[CHANNEL]]] {alignment = 16 : i64}
func.func @im2col(%x: memref<?x32xf16>, %table: memref<?x27xi32>, %columns: memref<?x27x32xf16>) {
  sparseconv.kernel.im2col ins(%x, %table : memref<?x32xf16>, memref<?x27xi32>) outs(%columns : memref<?x27x32xf16>)
  return
}

// Points that name one row each are sorted by it: what names none gets the number
// of rows and comes last. A row then finds the end of its points by itself.

// CHECK-LABEL: func.func @scatter_rows(
// CHECK:         %[[POINTS:.*]] = memref.dim %arg1
// CHECK:         scf.parallel (%[[P:.*]]) = (%c0) to (%[[POINTS]])
// CHECK:           arith.select
// CHECK:           memref.store %{{.*}}, %[[KEYS:.*]][%[[P]]] : memref<?xi32>
// CHECK:           memref.atomic_rmw minu
// CHECK:         gpu.launch
// CHECK:           memref.load %[[KEYS]]
// CHECK:         scf.parallel (%{{.*}}) = (%c0) to (%[[POINTS]])
// CHECK:         scf.parallel (%[[ROW:.*]]) = (%c0) to (%[[ROWS:.*]]) step
// CHECK:           scf.while
// CHECK:           memref.store %{{.*}}, %[[ENDS:.*]][%[[ROW]]] : memref<?xindex>
// CHECK:         scf.parallel (%[[ROW:.*]]) = (%c0) to (%[[ROWS]]) step
// CHECK:           %[[END:.*]] = memref.load %[[ENDS]][%[[ROW]]]
// CHECK:           scf.for %{{.*}} to %[[END]] step
func.func @scatter_rows(%x: memref<?x4xf32>, %rows: memref<?x1xi32>, %weights: memref<?x1xf32>, %status: memref<8xi64>,
                        %y: memref<?x4xf32>) {
  sparseconv.kernel.scatter_rows
      ins(%x, %rows, %weights, %status : memref<?x4xf32>, memref<?x1xi32>, memref<?x1xf32>, memref<8xi64>)
      outs(%y : memref<?x4xf32>) {kind = #sparseconv<pool_kind sum>, op_id = 0 : i64}
  return
}

// Pair lists of more offsets than threads share counts of, too: counts and pairs
// of a block of rows by a thread.

// CHECK-LABEL: func.func @pair_lists(
// CHECK:         scf.parallel
// CHECK:           memref.store {{.*}} : memref<?x2002xi64>
// CHECK:         scf.parallel
// CHECK-COUNT-2:   memref.store {{.*}} : memref<?xi32>
func.func @pair_lists(%table: memref<?x2001xi32>, %in_rows: memref<?xi32>, %out_rows: memref<?xi32>, %segments: memref<?x2002xi64>) {
  sparseconv.kernel.pair_lists ins(%table : memref<?x2001xi32>)
      outs(%in_rows, %out_rows, %segments : memref<?xi32>, memref<?xi32>, memref<?x2002xi64>) {row_block = 512 : i64}
  return
}

}

// -----

// What a GPU has no form for is refused.

module attributes {sparseconv.target = #sparseconv.target<cuda>} {
func.func @weight_grad(%x: memref<?x8xf32>, %dy: memref<?x16xf32>, %rows: memref<?xi32>, %segments: memref<?x3xi64>, %dw: memref<2x8x16xf32>) {
  // expected-error @+1 {{'sparseconv.kernel.weight_grad' has no form on the GPU}}
  sparseconv.kernel.weight_grad
      ins(%x, %dy, %rows, %rows, %segments : memref<?x8xf32>, memref<?x16xf32>, memref<?xi32>, memref<?xi32>, memref<?x3xi64>)
      outs(%dw : memref<2x8x16xf32>)
      {tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>}
  return
}
}
