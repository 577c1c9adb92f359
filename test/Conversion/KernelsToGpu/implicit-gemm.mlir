// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#tiling = #sparseconv.tiling<row_block = 512, rows = 6, columns = 16, lanes = 8>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// A thread takes the channels of one row that divide evenly into 4, 3 or 2. It
// adds up, over the offsets with a neighbour, the products of all channels of
// x, in f32; the epilogue and one rounding follow.

// CHECK-LABEL: func.func @groups(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x6xf16>, %[[W:[^:]*]]: memref<3x2x3x4xf16>, %[[TABLE:[^:]*]]: memref<?x3xi32>, %[[BIAS:[^:]*]]: memref<8xf32>, %[[Y:[^:]*]]: memref<?x8xf16>)
// CHECK:         %[[ROWS:.*]] = memref.dim %[[Y]], %c0
// CHECK:         %[[XROWS:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[ITEMS:.*]] = arith.muli %[[ROWS]], %c2
// CHECK:         scf.parallel (%[[ITEM:.*]]) = (%c0) to (%[[ITEMS]])
// CHECK:           %[[ROW:.*]] = arith.divui %[[ITEM]], %c2
// CHECK:           %[[GROUP:.*]] = arith.remui %[[ITEM]], %c2
// CHECK:           %[[SUMS:.*]]:4 = scf.for %[[K:.*]] = %c0 to %c3 {{.*}} -> (f32, f32, f32, f32) {
// CHECK:             %[[ENTRY:.*]] = memref.load %[[TABLE]][%[[ROW]], %[[K]]]
// CHECK:             %[[NEIGHBOUR:.*]] = arith.index_cast %[[ENTRY]]
//                    Also -1, which is large without a sign, is not a row of x.
// CHECK:             %[[IS:.*]] = arith.cmpi ult, %[[NEIGHBOUR]], %[[XROWS]]
// CHECK:             scf.if %[[IS]]
// CHECK:               scf.for %[[C:.*]] = %c0 to %c3
// CHECK:                 memref.load %[[X]][%[[NEIGHBOUR]],
// CHECK:                 arith.extf
// CHECK:                 memref.load %[[W]][%[[K]], %[[GROUP]], %[[C]],
// CHECK:                 math.fma
// CHECK-COUNT-3:         math.fma
// CHECK-NOT:             math.fma
// CHECK:           %[[B:.*]] = memref.load %[[BIAS]][%[[CHANNEL:.*]]]
// CHECK:           %[[SUM:.*]] = arith.addf %[[SUMS]]#0, %[[B]]
// CHECK:           %[[ROUNDED:.*]] = arith.truncf %[[SUM]] : f32 to f16
// CHECK:           memref.store %[[ROUNDED]], %[[Y]][%[[ROW]], %[[CHANNEL]]]
// CHECK-COUNT-3:   memref.store
func.func @groups(%x: memref<?x6xf16>, %w: memref<3x2x3x4xf16>, %table: memref<?x3xi32>, %bias: memref<8xf32>,
                  %y: memref<?x8xf16>) {
  sparseconv.kernel.implicit_gemm
      ins(%x, %w, %table, %bias : memref<?x6xf16>, memref<3x2x3x4xf16>, memref<?x3xi32>, memref<8xf32>)
      outs(%y : memref<?x8xf16>) epilogue {
  ^bb0(%acc: f32, %b: f32):
    %sum = arith.addf %acc, %b : f32
    sparseconv.yield %sum : f32
  }
  return
}

// The slices of the weights as they lie, read by rows for columns.
// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[W:[^:]*]]: memref<27x5x16xf32>
// CHECK:         scf.parallel
// CHECK:           -> (f32) {
// CHECK:             scf.for %[[C:.*]] = %c0 to %c16
// CHECK:               memref.load %[[W]][%{{.*}}, %[[CHANNEL:.*]], %[[C]]]
// CHECK:           memref.store
func.func @transposed(%w: memref<27x5x16xf32>, %x: memref<?x16xf32>, %table: memref<?x27xi32>, %y: memref<?x5xf32>) {
  sparseconv.kernel.implicit_gemm
      ins(%x, %w, %table : memref<?x16xf32>, memref<27x5x16xf32>, memref<?x27xi32>)
      outs(%y : memref<?x5xf32>)
      {transpose_weights}
  return
}

}
