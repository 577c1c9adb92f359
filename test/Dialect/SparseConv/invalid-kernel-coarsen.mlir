// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifier of the kernel that coarsens a set refuses.

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<8xi64>, %coarse: memref<4xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'coarse' to have room for 8 elements, one for each key, but found 'memref<4xi64>'}}
  sparseconv.kernel.coarsen ins(%keys : memref<8xi64>) outs(%coarse, %count : memref<4xi64>, memref<1xindex>)
      {by = array<i64: 2, 2, 2>, set = !set}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<?xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects a factor that divides the stride 2 of axis 1, but found 3}}
  sparseconv.kernel.coarsen ins(%keys : memref<?xi64>) outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {by = array<i64: 2, 3, 2>, set = !set}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<?xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'by' with one number for each of 3 axes of the set, but found 2}}
  sparseconv.kernel.coarsen ins(%keys : memref<?xi64>) outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {by = array<i64: 2, 2>, set = !set}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%keys: memref<?xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'clip' with one number for each of 3 axes of the set, but found 2}}
  sparseconv.kernel.coarsen ins(%keys : memref<?xi64>) outs(%keys, %count : memref<?xi64>, memref<1xindex>)
      {by = array<i64: 2, 2, 2>, clip = #sparseconv.region<[0, 0] to [4, 4]>, set = !set}
  return
}
