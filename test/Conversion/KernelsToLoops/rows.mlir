// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [16, 16, 16], guard = [4, 4, 4]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #packing>

// The lowest position at fault of each block is kept; the lowest of all is
// reported after the loop.
// CHECK-LABEL: func @gather_rows
// CHECK-SAME: %[[X:.*]]: memref<?x19xbf16>, %[[ROWS:.*]]: memref<?xi32>, %[[STATUS:.*]]: memref<8xi64>, %[[Y:.*]]: memref<?x19xbf16>
// CHECK-DAG: %[[CODE:.*]] = arith.constant 6 : i64
// CHECK: %[[LOWEST:.*]] = memref.alloc
// CHECK: scf.parallel (%[[BLOCK:.*]]) =
// CHECK: %[[FIRST:.*]] = scf.for {{.*}} -> (index)
// CHECK: scf.if
// CHECK: vector.load %[[X]]{{.*}} vector<16xbf16>
// CHECK: vector.load %[[X]]{{.*}} vector<3xbf16>
// CHECK: else
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} vector<16xbf16>
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} vector<3xbf16>
// CHECK: memref.store %[[FIRST]], %[[LOWEST]][%[[BLOCK]]]
// CHECK: scf.reduce
// CHECK: memref.dealloc %[[LOWEST]]
// CHECK: memref.store %[[CODE]], %[[STATUS]]
func.func @gather_rows(%x: memref<?x19xbf16>, %rows: memref<?xi32>, %status: memref<8xi64>, %y: memref<?x19xbf16>) {
  sparseconv.kernel.gather_rows
    ins(%x, %rows, %status : memref<?x19xbf16>, memref<?xi32>, memref<8xi64>)
    outs(%y : memref<?x19xbf16>) {op_id = 3 : i64}
  return
}

// CHECK-LABEL: func @weighted_gather
// CHECK: scf.parallel
// CHECK: scf.if
// CHECK: vector.fma {{.*}} : vector<16xf32>
// CHECK: arith.truncf
func.func @weighted_gather(%x: memref<?x16xf16>, %rows: memref<?x8xi32>, %weights: memref<?x8xf32>, %y: memref<?x16xf16>) {
  sparseconv.kernel.weighted_gather
    ins(%x, %rows, %weights : memref<?x16xf16>, memref<?x8xi32>, memref<?x8xf32>)
    outs(%y : memref<?x16xf16>)
  return
}

// The pairs are sorted by counting, in 8 parts; the sums are by output row.
// CHECK-LABEL: func @scatter_rows
// CHECK-SAME: %[[Y:[a-z0-9]+]]: memref<?x16xf32>) {
// CHECK: %[[ENDS:.*]] = memref.alloc({{.*}} : memref<?xindex>
// CHECK: %[[POINTS:.*]] = memref.alloc({{.*}} : memref<?xi32>
// CHECK: %[[WEIGHTS:.*]] = memref.alloc({{.*}} : memref<?xf32>
// CHECK: memref.alloc({{.*}} : memref<8x?xindex>
// CHECK: scf.parallel {{.*}} to (%c8
// CHECK: scf.parallel {{.*}} to (%c8
// CHECK: memref.store {{.*}}, %[[POINTS]]
// CHECK: scf.parallel
// CHECK: memref.load %[[POINTS]]
// CHECK: vector.fma
// CHECK: arith.divf
// CHECK: vector.store {{.*}}, %[[Y]]
// CHECK: memref.dealloc %[[ENDS]]
// CHECK: memref.dealloc %[[POINTS]]
// CHECK: memref.dealloc %[[WEIGHTS]]
func.func @scatter_rows(%x: memref<?x16xf32>, %rows: memref<?x8xi32>, %weights: memref<?x8xf32>, %status: memref<8xi64>, %y: memref<?x16xf32>) {
  sparseconv.kernel.scatter_rows
    ins(%x, %rows, %weights, %status : memref<?x16xf32>, memref<?x8xi32>, memref<?x8xf32>, memref<8xi64>)
    outs(%y : memref<?x16xf32>) {kind = #sparseconv<pool_kind avg>, op_id = 1 : i64}
  return
}

// One search finds both corners of the last axis: 4 for 8 corners, in one loop.
// CHECK-LABEL: func @trilinear
// CHECK-SAME: %[[STATUS:[a-z0-9]+]]: memref<8xi64>
// CHECK-DAG: %[[CODE:.*]] = arith.constant 8 : i64
// CHECK: arith.bitcast
// CHECK: math.floor
// CHECK: scf.while
// CHECK: do
// CHECK-COUNT-4: memref.load
// CHECK-NOT: memref.load
// CHECK: scf.yield
// CHECK-NOT: scf.while
// CHECK: memref.store %[[CODE]], %[[STATUS]]
func.func @trilinear(%points: memref<?x4xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %rows: memref<?x8xi32>, %weights: memref<?x8xf32>) {
  sparseconv.kernel.interpolate
    ins(%points, %keys, %status : memref<?x4xf32>, memref<?xi64>, memref<8xi64>)
    outs(%rows, %weights : memref<?x8xi32>, memref<?x8xf32>)
    {interpolation = #sparseconv<interpolation trilinear>, set = !set, op_id = 1 : i64}
  return
}

// CHECK-LABEL: func @nearest
// CHECK-COUNT-1: scf.while
// CHECK-NOT: scf.while
// CHECK: return
func.func @nearest(%points: memref<?x4xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %rows: memref<?x1xi32>, %weights: memref<?x1xf32>) {
  sparseconv.kernel.interpolate
    ins(%points, %keys, %status : memref<?x4xf32>, memref<?xi64>, memref<8xi64>)
    outs(%rows, %weights : memref<?x1xi32>, memref<?x1xf32>)
    {interpolation = #sparseconv<interpolation nearest>, set = !set, op_id = 1 : i64}
  return
}

// Bounds are in units of the finest grid: 10 + 2 * 31 for 32 cells of stride 2.
// CHECK-LABEL: func @to_dense
// CHECK-SAME: %[[DENSE:[a-z0-9]+]]: memref<2x32x32x8x16xf32>) {
// CHECK-DAG: arith.constant 72 : i64
// CHECK: scf.parallel
// CHECK: scf.if
// CHECK: vector.store {{.*}}, %[[DENSE]]
func.func @to_dense(%x: memref<?x16xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %dense: memref<2x32x32x8x16xf32>) {
  sparseconv.kernel.to_dense
    ins(%x, %keys, %status : memref<?x16xf32>, memref<?xi64>, memref<8xi64>)
    outs(%dense : memref<2x32x32x8x16xf32>)
    {origin = array<i64: 10, 0, -4>, set = !set, op_id = 1 : i64}
  return
}

// CHECK-LABEL: func @from_dense
// CHECK: scf.if
// CHECK: vector.load
// CHECK: else
// CHECK: vector.store %cst
func.func @from_dense(%dense: memref<2x32x32x8x16xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %x: memref<?x16xf32>) {
  sparseconv.kernel.from_dense
    ins(%dense, %keys, %status : memref<2x32x32x8x16xf32>, memref<?xi64>, memref<8xi64>)
    outs(%x : memref<?x16xf32>)
    {origin = array<i64: 10, 0, -4>, set = !set, op_id = 1 : i64}
  return
}
