// RUN: sparseconv-opt %s --convert-sparseconv-kernels-to-gpu --canonicalize --cse | FileCheck %s

#packing = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [2, 2, 2]>

module attributes {sparseconv.target = #sparseconv.target<cuda>} {

// A thread for each row, and one more, finds where items begin: no load waits for
// another.

// CHECK-LABEL: func.func @pool(
// CHECK-SAME:    %[[X:[^:]*]]: memref<?x64xf16>, %[[KEYS:[^:]*]]: memref<?xi64>, %[[STATUS:[^:]*]]: memref<8xi64>, %[[Y:[^:]*]]: memref<4x64xf16>)
// CHECK:         %[[BEGINS:.*]] = memref.alloc() {{.*}} : memref<5xindex>
// CHECK:         scf.parallel
// CHECK-NOT:       scf.while
// CHECK-COUNT-2:   memref.load %[[KEYS]]
// CHECK:           memref.store %{{.*}}, %[[BEGINS]]

// The rows are cut into up to 512 row blocks of 128 rows or more. A thread block
// combines the rows of each item in its row block. 32 threads side by side have a
// row's 64 channels, four rows at a time; then half as many rows are combined,
// until one is left.
// CHECK:         %[[ROWS:.*]] = memref.dim %[[X]], %c0
// CHECK:         %[[MOST:.*]] = arith.ceildivsi %[[ROWS]], %c128
// CHECK:         %[[PARTS:.*]] = arith.minsi %[[MOST]], %c512
// CHECK:         %[[FOUND:.*]] = memref.alloc() {{.*}} : memref<516x64xf32>
// CHECK:         gpu.launch {{.*}} in ({{.*}} = %[[PARTS]],
// CHECK-SAME:      workgroup(%[[SHARED:[^ ]*]] : memref<256xvector<8xf32>, #gpu.address_space<workgroup>>)
// CHECK:           scf.for
// CHECK-COUNT-2:     memref.load %[[BEGINS]]
// CHECK:             scf.for {{.*}} step %c4
// CHECK-COUNT-4:       vector.load %[[X]]{{.*}} {alignment = 16 : i64} : memref<?x64xf16>, vector<8xf16>
// CHECK:             memref.store %{{.*}}, %[[SHARED]]
// CHECK-COUNT-5:     scf.if
// CHECK:             vector.store %{{.*}}, %[[FOUND]]

// A block combines the parts of an item.
// CHECK:         gpu.launch {{.*}} in ({{.*}} = %c4,
// CHECK-COUNT-4:     vector.load %[[FOUND]]
// CHECK:             vector.store %{{.*}}, %[[Y]]
// CHECK-NOT:     gpu.launch
// CHECK:         return
func.func @pool(%x: memref<?x64xf16>, %keys: memref<?xi64>, %status: memref<8xi64>, %y: memref<4x64xf16>) {
  sparseconv.kernel.global_pool
    ins(%x, %keys, %status : memref<?x64xf16>, memref<?xi64>, memref<8xi64>)
    outs(%y : memref<4x64xf16>)
    {kind = #sparseconv<pool_kind sum>, packing = #packing, op_id = 2 : i64}
  return
}

// The gradient of a maximum needs the rows, which go along with what they hold.
// Channels that no vector divides are taken one by one.

// CHECK-LABEL: func.func @gradient(
// CHECK:         %[[WINNERS:.*]] = memref.alloc() {{.*}} : memref<4x33xi32>
// CHECK:         memref.alloc() {{.*}} : memref<516x33xf32>
// CHECK:         %[[FOUND:.*]] = memref.alloc() {{.*}} : memref<516x33xi32>
// CHECK:         gpu.launch
// CHECK-SAME:      memref<256xvector<1xf32>, {{[^%]*}}%{{[^ ]*}} : memref<256xvector<1xi32>
// CHECK:           vector.store %{{.*}}, %[[FOUND]]
// CHECK:         gpu.launch
// CHECK:           vector.store %{{.*}}, %[[WINNERS]]
// CHECK:         scf.parallel
// CHECK:         return
func.func @gradient(%dy: memref<4x33xf32>, %keys: memref<?xi64>, %x: memref<?x33xf32>, %status: memref<8xi64>, %dx: memref<?x33xf32>) {
  sparseconv.kernel.global_pool_grad
    ins(%dy, %keys, %x, %status : memref<4x33xf32>, memref<?xi64>, memref<?x33xf32>, memref<8xi64>)
    outs(%dx : memref<?x33xf32>)
    {kind = #sparseconv<pool_kind max>, packing = #packing, op_id = 2 : i64}
  return
}

}
