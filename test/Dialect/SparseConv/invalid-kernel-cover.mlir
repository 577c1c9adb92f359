// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifier of the kernel that covers a region refuses.

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<8xi64>, %coarse: memref<4xi64>, %count: memref<1xindex>, %status: memref<8xi64>) {
  // expected-error @+1 {{expects 'coarse' to have room for 8 elements, one for each that a key can reach, but found 'memref<4xi64>'}}
  sparseconv.kernel.cover ins(%keys, %status : memref<8xi64>, memref<8xi64>) outs(%coarse, %count : memref<4xi64>, memref<1xindex>)
      {capacity = 100 : i64, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>,
       displacements = array<i64: 0, 0, 0, 0, 0, 1>, op_id = 0 : i64, set = !set}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<?xi64>, %count: memref<1xindex>, %status: memref<8xi64>) {
  // expected-error @+1 {{makes a bitmap for a clip region within -32736 and 32735 on axis 2, but it is from 0 to 40000}}
  sparseconv.kernel.cover ins(%keys, %status : memref<?xi64>, memref<8xi64>) outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {capacity = 100 : i64, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 40000]>,
       displacements = array<i64: 0, 0, 0>, op_id = 0 : i64, set = !set}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<?xi64>, %count: memref<1xindex>, %status: memref<8xi64>) {
  // expected-error @+1 {{'displacements' within the guard 32 of the packing on axis 1, but found 33}}
  sparseconv.kernel.cover ins(%keys, %status : memref<?xi64>, memref<8xi64>) outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {capacity = 100 : i64, clip = #sparseconv.region<[0, 0, 0] to [64, 64, 64]>,
       displacements = array<i64: 0, 33, 0>, op_id = 0 : i64, set = !set}
  return
}
