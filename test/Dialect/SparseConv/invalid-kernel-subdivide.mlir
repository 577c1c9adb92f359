// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of the kernels that divide and rescale a set refuse.

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%keys: memref<8xi64>, %rows: memref<8xi32>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'fine' to have room for 16 elements, one for each cell of a key, but found 'memref<8xi64>'}}
  sparseconv.kernel.subdivide ins(%keys, %rows, %rows, %status : memref<8xi64>, memref<8xi32>, memref<8xi32>, memref<8xi64>)
      outs(%keys, %rows, %rows, %rows, %count : memref<8xi64>, memref<8xi32>, memref<8xi32>, memref<8xi32>, memref<1xindex>)
      {by = array<i64: 2, 1>, capacity = 100 : i64, op_id = 0 : i64, set = !fine}
  return
}

// -----

// A capacity makes it enough, but not for the cells of points.
#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%keys: memref<8xi64>, %rows: memref<8xi32>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'row_of' to have room for 16 elements, one for each cell of a point, but found 'memref<8xi32>'}}
  sparseconv.kernel.subdivide ins(%keys, %rows, %rows, %status : memref<8xi64>, memref<8xi32>, memref<8xi32>, memref<8xi64>)
      outs(%keys, %rows, %rows, %rows, %count : memref<8xi64>, memref<8xi32>, memref<8xi32>, memref<8xi32>, memref<1xindex>)
      {by = array<i64: 2, 1>, capacity = 8 : i64, op_id = 0 : i64, set = !fine}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%keys: memref<?xi64>, %rows: memref<?xi32>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects at least one offset on axis 1, but found 0}}
  sparseconv.kernel.subdivide ins(%keys, %rows, %rows, %status : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %rows, %rows, %rows, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {by = array<i64: 2, 0>, capacity = 8 : i64, op_id = 0 : i64, set = !fine}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!fine = !sparseconv.coords<2, stride = [1, 1], #p>
func.func @f(%keys: memref<?xi64>, %rows: memref<?xi32>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{displacement}}
  sparseconv.kernel.subdivide ins(%keys, %rows, %rows, %status : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<8xi64>)
      outs(%keys, %rows, %rows, %rows, %count : memref<?xi64>, memref<?xi32>, memref<?xi32>, memref<?xi32>, memref<1xindex>)
      {by = array<i64: 2, 4>, capacity = 8 : i64, op_id = 0 : i64, set = !fine}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%keys: memref<?xi64>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'by' with one number for each of 2 axes of the set, but found 1}}
  sparseconv.kernel.rescale ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%keys, %count : memref<?xi64>, memref<1xindex>) {by = array<i64: 2>, op_id = 0 : i64, set = !half}
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20], guard = [2, 2]>
!half = !sparseconv.coords<2, stride = [2, 2], #p>
func.func @f(%keys: memref<?xi64>, %status: memref<8xi64>, %count: memref<1xindex>) {
  // expected-error @+1 {{expects 'by'}}
  sparseconv.kernel.rescale ins(%keys, %status : memref<?xi64>, memref<8xi64>)
      outs(%keys, %count : memref<?xi64>, memref<1xindex>) {by = array<i64: 2, 0>, op_id = 0 : i64, set = !half}
  return
}
