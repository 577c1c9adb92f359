// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

// Pairs by offset, without a number that the host knows: two kernels number all
// pairs; then a thread for each offset finds its rank by size; one thread forms
// groups and says where offsets begin; and every pair moves to its place.

// CHECK-LABEL: func.func @group_pairs(
// CHECK-SAME:    %[[TABLE:.*]]: memref<?x27xi32>, %[[STATUS:.*]]: memref<8xi64>, %[[ROWS:.*]]: memref<?xi32>, %[[PLACES:.*]]: memref<?x27xi32>, %[[SEGMENTS:.*]]: memref<?x28xi64>, %[[COUNT:.*]]: memref<1xindex>)
// CHECK:         %[[NUMBERS:.*]] = memref.alloc() {{.*}} : memref<28xindex>
//                No rows where there is no room.
// CHECK:         arith.cmpi sle, %{{.*}}, %c2147483646
// CHECK:         arith.select
// CHECK:         scf.parallel
// CHECK:           memref.store %c-1_i32, %[[ROWS]]
// CHECK:         gpu.launch
// CHECK:         gpu.launch
// CHECK:           memref.store %{{.*}}, %[[PLACES]]
// CHECK:         scf.parallel (%[[K:.*]]) = (%c0) to (%c27)
// CHECK:           scf.for
// CHECK:           memref.store %[[K]], %[[ORDER:.*]][%{{.*}}] : memref<27xindex>
// CHECK:         scf.for {{.*}} to %c27
// CHECK:           memref.load %[[ORDER]]
//                  1 - own / largest > 25 per cent.
// CHECK:           arith.muli %{{.*}}, %c25
// CHECK:           arith.muli %{{.*}}, %c100
// CHECK:           arith.cmpi slt, %{{.*}}, %c20000
// CHECK:         memref.store %{{.*}}, %[[COUNT]][%c0]
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}}, %[[PLACES]]
// CHECK:           memref.store %{{.*}}, %[[ROWS]]
// CHECK:         scf.parallel
// CHECK:           memref.store %{{.*}}, %[[SEGMENTS]]
module attributes {sparseconv.target = #sparseconv.target<cuda, chip = "sm_90a">} {
func.func @group_pairs(%table: memref<?x27xi32>, %status: memref<8xi64>, %rows: memref<?xi32>,
                       %places: memref<?x27xi32>, %segments: memref<?x28xi64>, %count: memref<1xindex>) {
  sparseconv.kernel.group_pairs ins(%table, %status : memref<?x27xi32>, memref<8xi64>)
      outs(%rows, %places, %segments, %count : memref<?xi32>, memref<?x27xi32>, memref<?x28xi64>, memref<1xindex>)
      {epsilon = 25 : i64, op_id = 0 : i64, row_block = 128 : i64, s = 20000 : i64}
  return
}
}
