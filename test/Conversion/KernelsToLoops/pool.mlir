// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-loops --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [16, 16, 16], guard = [4, 4, 4]>
#unbatched = #sparseconv.packing<i64, batch = 0, bits = [16, 16, 16], guard = [4, 4, 4]>

// Blocks of 256 rows are the work items; channels go in vectors of 16, sums in
// f32 with one rounding.
// CHECK-LABEL: func @pool_avg
// CHECK-SAME: %[[X:.*]]: memref<?x32xf16>, %[[TABLE:.*]]: memref<?x8xi32>, %[[Y:.*]]: memref<?x32xf16>
// CHECK-DAG: %[[C16:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[C256:.*]] = arith.constant 256 : index
// CHECK-DAG: %[[ZEROS:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[BLOCKS:.*]] = arith.ceildivsi %{{.*}}, %[[C256]]
// CHECK: scf.parallel {{.*}} to (%[[BLOCKS]])
// CHECK: scf.for %[[ROW:.*]] =
// CHECK: scf.for {{.*}} -> (i32)
// CHECK: %[[COUNT:.*]] = arith.uitofp
// CHECK: scf.for %[[CHANNEL:.*]] = {{.*}} step %[[C16]]
// CHECK: scf.for {{.*}} iter_args(%[[SUM:.*]] = %[[ZEROS]]) -> (vector<16xf32>)
// CHECK: scf.if
// CHECK: %[[NARROW:.*]] = vector.load %[[X]]{{.*}} vector<16xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[NARROW]]
// CHECK: arith.addf %[[SUM]], %[[WIDE]]
// CHECK: %[[DIVISOR:.*]] = vector.broadcast %[[COUNT]]
// CHECK: %[[MEAN:.*]] = arith.divf %{{.*}}, %[[DIVISOR]]
// CHECK: %[[RESULT:.*]] = arith.truncf %[[MEAN]]
// CHECK: vector.store %[[RESULT]], %[[Y]][%[[ROW]], %[[CHANNEL]]]
func.func @pool_avg(%x: memref<?x32xf16>, %table: memref<?x8xi32>, %y: memref<?x32xf16>) {
  sparseconv.kernel.pool ins(%x, %table : memref<?x32xf16>, memref<?x8xi32>)
    outs(%y : memref<?x32xf16>)
    {kind = #sparseconv<pool_kind avg>, count_kind = #sparseconv<count_kind present>}
  return
}

// With the volume nothing is counted.
// CHECK-LABEL: func @pool_avg_volume
// CHECK-DAG: %[[VOLUME:.*]] = arith.constant dense<8.000000e+00> : vector<16xf32>
// CHECK-NOT: -> (i32)
// CHECK: arith.divf %{{.*}}, %[[VOLUME]]
func.func @pool_avg_volume(%x: memref<?x16xf32>, %table: memref<?x8xi32>, %y: memref<?x16xf32>) {
  sparseconv.kernel.pool ins(%x, %table : memref<?x16xf32>, memref<?x8xi32>)
    outs(%y : memref<?x16xf32>)
    {kind = #sparseconv<pool_kind avg>, count_kind = #sparseconv<count_kind volume>}
  return
}

// A NaN wins once, an equal value does not; the rest of the channels is one
// shorter vector.
// CHECK-LABEL: func @pool_max
// CHECK: arith.cmpf ugt, %{{.*}}, %[[BEST:.*]] : vector<3xf32>
// CHECK: arith.cmpf ord, %[[BEST]], %[[BEST]] : vector<3xf32>
// CHECK: vector.store {{.*}} vector<3xf32>
// CHECK-NOT: vector.store
func.func @pool_max(%x: memref<?x3xf32>, %table: memref<?x27xi32>, %y: memref<?x3xf32>) {
  sparseconv.kernel.pool ins(%x, %table : memref<?x3xf32>, memref<?x27xi32>)
    outs(%y : memref<?x3xf32>)
    {kind = #sparseconv<pool_kind max>, count_kind = #sparseconv<count_kind present>}
  return
}

// Channels whose number is not static: vectors, then one by one.
// CHECK-LABEL: func @pool_dynamic
// CHECK: scf.for {{.*}} step %c16
// CHECK: vector.store {{.*}} vector<16xf32>
// CHECK: scf.for {{.*}} step %c1
// CHECK: vector.store {{.*}} vector<1xf32>
func.func @pool_dynamic(%x: memref<?x?xf32>, %table: memref<?x27xi32>, %y: memref<?x?xf32>) {
  sparseconv.kernel.pool ins(%x, %table : memref<?x?xf32>, memref<?x27xi32>)
    outs(%y : memref<?x?xf32>)
    {kind = #sparseconv<pool_kind sum>, count_kind = #sparseconv<count_kind present>}
  return
}

// The winners, of one byte for up to 127 offsets, are found by output row, the gradient is gathered by input row.
// CHECK-LABEL: func @pool_grad_max
// CHECK-SAME: %[[DY:.*]]: memref<?x16xf32>, %[[TABLE:.*]]: memref<?x8xi32>, %[[INVERSE:.*]]: memref<?x8xi32>, %[[X:.*]]: memref<?x16xf32>, %[[DX:.*]]: memref<?x16xf32>
// CHECK: %[[WINNERS:.*]] = memref.alloc({{.*}}) {{.*}} : memref<?x16xi8>
// CHECK: scf.parallel
// CHECK: memref.load %[[TABLE]]
// CHECK: vector.load %[[X]]
// CHECK: vector.store {{.*}}, %[[WINNERS]]
// CHECK: scf.parallel
// CHECK: memref.load %[[INVERSE]]
// CHECK: vector.load %[[DY]]
// CHECK: vector.load %[[WINNERS]]
// CHECK: vector.store {{.*}}, %[[DX]]
// CHECK: memref.dealloc %[[WINNERS]]
func.func @pool_grad_max(%dy: memref<?x16xf32>, %table: memref<?x8xi32>, %inverse: memref<?x8xi32>, %x: memref<?x16xf32>, %dx: memref<?x16xf32>) {
  sparseconv.kernel.pool_grad
    ins(%dy, %table, %inverse, %x : memref<?x16xf32>, memref<?x8xi32>, memref<?x8xi32>, memref<?x16xf32>)
    outs(%dx : memref<?x16xf32>)
    {kind = #sparseconv<pool_kind max>, count_kind = #sparseconv<count_kind present>}
  return
}

// CHECK-LABEL: func @pool_grad_sum
// CHECK-NOT: memref.alloc
// CHECK: scf.parallel
// CHECK-NOT: scf.parallel
// CHECK: return
func.func @pool_grad_sum(%dy: memref<?x16xf32>, %table: memref<?x8xi32>, %inverse: memref<?x8xi32>, %dx: memref<?x16xf32>) {
  sparseconv.kernel.pool_grad
    ins(%dy, %table, %inverse, %dy : memref<?x16xf32>, memref<?x8xi32>, memref<?x8xi32>, memref<?x16xf32>)
    outs(%dx : memref<?x16xf32>)
    {kind = #sparseconv<pool_kind sum>, count_kind = #sparseconv<count_kind present>}
  return
}

// The batch is the top field, 48 bits up; a work item is one batch item and 16
// channels.
// CHECK-LABEL: func @global_pool
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[KEYS:.*]]: memref<?xi64>, %[[STATUS:.*]]: memref<8xi64>, %[[Y:.*]]: memref<4x64xf32>
// CHECK-DAG: %[[C48:.*]] = arith.constant 48 : i64
// CHECK-DAG: %[[WORK:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[CODE:.*]] = arith.constant 7 : i64
// CHECK: scf.while
// CHECK: arith.shrui %{{.*}}, %[[C48]]
// CHECK: memref.store %[[CODE]], %[[STATUS]]
// CHECK: scf.parallel {{.*}} to (%[[WORK]])
// CHECK: vector.store {{.*}}, %[[Y]]
func.func @global_pool(%x: memref<?x64xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %y: memref<4x64xf32>) {
  sparseconv.kernel.global_pool
    ins(%x, %keys, %status : memref<?x64xf32>, memref<?xi64>, memref<8xi64>)
    outs(%y : memref<4x64xf32>)
    {kind = #sparseconv<pool_kind max>, packing = #packing, op_id = 2 : i64}
  return
}

// Without a batch field all rows are of item 0; nothing is searched.
// CHECK-LABEL: func @global_pool_unbatched
// CHECK-NOT: scf.while
// CHECK: return
func.func @global_pool_unbatched(%x: memref<?x64xf32>, %keys: memref<?xi64>, %status: memref<8xi64>, %y: memref<1x64xf32>) {
  sparseconv.kernel.global_pool
    ins(%x, %keys, %status : memref<?x64xf32>, memref<?xi64>, memref<8xi64>)
    outs(%y : memref<1x64xf32>)
    {kind = #sparseconv<pool_kind sum>, packing = #unbatched, op_id = 2 : i64}
  return
}

// CHECK-LABEL: func @global_pool_grad
// CHECK-SAME: %[[DX:[a-z0-9]+]]: memref<?x64xf32>) {
// CHECK: %[[WINNERS:.*]] = memref.alloc() {{.*}} : memref<4x64xi32>
// CHECK: vector.store {{.*}}, %[[WINNERS]]
// CHECK: scf.parallel
// CHECK: vector.load %[[WINNERS]]
// CHECK: vector.store {{.*}}, %[[DX]]
func.func @global_pool_grad(%dy: memref<4x64xf32>, %keys: memref<?xi64>, %x: memref<?x64xf32>, %status: memref<8xi64>, %dx: memref<?x64xf32>) {
  sparseconv.kernel.global_pool_grad
    ins(%dy, %keys, %x, %status : memref<4x64xf32>, memref<?xi64>, memref<?x64xf32>, memref<8xi64>)
    outs(%dx : memref<?x64xf32>)
    {kind = #sparseconv<pool_kind max>, packing = #packing, op_id = 2 : i64}
  return
}
