// RUN: sparseconv-opt %s --split-input-file --verify-diagnostics

// What the verifiers of kernel operations on keys refuse, and what they say; and
// what they all refuse.

//===----------------------------------------------------------------------===//
// All kernel operations
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'op_id' of at least 0, but found -1}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {op_id = -1 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: memref<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects operands that are all tensors or all buffers, but for the status record, but found 'tensor<?xi64>' and 'memref<?xi64>'}}
  %r = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : memref<?xi64>, tensor<1xindex>) {op_id = 0 : i64, set = !set} -> tensor<1xindex>
  return
}

// -----

func.func @f(%i0: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects operands that are all tensors or all buffers, but for the status record, but found 'memref<8xi64>' and 'tensor<?xi64>'}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> (tensor<?xi64>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64, 1 : i64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects operand #0 without an encoding, but found 'tensor<?xi64, 1 : i64>'}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi64, 1 : i64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> (tensor<?xi64>, tensor<?xi32>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<7xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{operand #1 must be the status record, a buffer of eight i64, but got 'memref<7xi64>'}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi64>, memref<7xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<2xindex>) {
  // expected-error @+1 {{operand #3 must be one index, as a tensor or a buffer, but got 'tensor<2xindex>'}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<2xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<2xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expected the number of tensor results (1) to be equal to the number of output tensors (2)}}
  %r = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> tensor<?xi64>
  return
}

// -----

func.func @f(%i0: memref<?x2xi32>, %o0: memref<?x2xi32>) {
  // expected-error @+1 {{expected the number of tensor results (1) to be equal to the number of output tensors (0)}}
  %r = sparseconv.kernel.invert_table
      ins(%i0 : memref<?x2xi32>)
      outs(%o0 : memref<?x2xi32>) -> tensor<?x2xi32>
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expected type of operand #1 ('tensor<?xi64>') to match type of corresponding result ('tensor<?xi32>')}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: 64>} -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// sort, unique
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects 'sorted' to have elements of type 'i64', those of 'keys', but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi64>)
      outs(%o0, %o1 : tensor<?xi32>, tensor<?xi32>) {fields = array<i64: 32>} -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %o0: tensor<5xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects 'sorted' to have size 4 in dimension 0, the rows of 'keys', but found 'tensor<5xi64>'}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<4xi64>)
      outs(%o0, %o1 : tensor<5xi64>, tensor<?xi32>) {fields = array<i64: 32>} -> (tensor<5xi64>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: memref<4xi64>, %o0: memref<4xi64>, %o1: memref<5xi32>) {
  // expected-error @+1 {{expects 'permutation' to have size 4 in dimension 0, the rows of 'keys', but found 'memref<5xi32>'}}
  sparseconv.kernel.sort
      ins(%i0 : memref<4xi64>)
      outs(%o0, %o1 : memref<4xi64>, memref<5xi32>) {fields = array<i64: 32>}
  return
}

// -----

func.func @f(%i0: tensor<?xi32>, %o0: tensor<?xi32>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects 'fields' of 0 to 32, but found 33}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi32>)
      outs(%o0, %o1 : tensor<?xi32>, tensor<?xi32>) {fields = array<i64: 33>} -> (tensor<?xi32>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>) {
  // expected-error @+1 {{expects 'fields' of 0 to 64, but found -1}}
  %r:2 = sparseconv.kernel.sort
      ins(%i0 : tensor<?xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<?xi32>) {fields = array<i64: -1>} -> (tensor<?xi64>, tensor<?xi32>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<3xi32>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'permutation' to have size 4 in dimension 0, the rows of 'sorted', but found 'tensor<3xi32>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<3xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 9 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'capacity' of 0 to 2147483646, but found -1}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = -1 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'capacity' of 0 to 2147483646, but found 2147483647}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 2147483647 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'cells' of at least 0, but found -1}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 9 : i64, cells = -1 : i64, op_id = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'reach' of at least 1, but found 0}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 9 : i64, op_id = 0 : i64, reach = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', those of 'sorted', but found 'tensor<?xi32>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 9 : i64, op_id = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<3xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have room for 4 elements, one for each distinct key, but found 'tensor<3xi64>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<3xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 9 : i64, op_id = 0 : i64} -> (tensor<3xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'order' to have room for 2 elements, one for each distinct key, but found 'tensor<1xi32>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<1xi32>, tensor<?xi32>, tensor<1xindex>)
      {capacity = 2 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<1xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %k: tensor<1xi64>, %o1: tensor<?xi32>, %o2: tensor<2xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have room for 2 elements, one for each distinct key, but found 'tensor<1xi64>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%k, %o1, %o2, %o3 : tensor<1xi64>, tensor<?xi32>, tensor<2xi32>, tensor<1xindex>)
      {capacity = 9 : i64, cells = 2 : i64, op_id = 0 : i64} -> (tensor<1xi64>, tensor<?xi32>, tensor<2xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi32>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<2xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'row_of' to have room for 4 elements, one for each position, but found 'tensor<2xi32>'}}
  %r:4 = sparseconv.kernel.unique
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<2xi32>, tensor<1xindex>)
      {capacity = 2 : i64, op_id = 0 : i64} -> (tensor<?xi64>, tensor<?xi32>, tensor<2xi32>, tensor<1xindex>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// floor, spread
//===----------------------------------------------------------------------===//

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi32>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi32>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'floored' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi32>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4xi64>, %i1: memref<8xi64>, %o0: tensor<3xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'floored' to have room for 4 elements, one for each key, but found 'tensor<3xi64>'}}
  %r:2 = sparseconv.kernel.floor
      ins(%i0, %i1 : tensor<4xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<3xi64>, tensor<1xindex>)
      {op_id = 0 : i64, set = !set} -> (tensor<3xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'candidates' to have elements of type 'i64', the keys of the packing, but found 'tensor<?xi32>'}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi32>, tensor<1xindex>)
      {displacements = array<i64: 0, 0, 1>, op_id = 0 : i64, set = !set} -> (tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'displacements' with one number for each of 3 axes per displacement, and at least one, but found 4 numbers}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {displacements = array<i64: 0, 0, 1, 0>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'displacements' with one number for each of 3 axes per displacement, and at least one, but found 0 numbers}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {displacements = array<i64>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'displacements' within the guard 32 of the packing on axis 1, but found -33}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {displacements = array<i64: 32, -33, 1>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<?xi64>, %i1: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'clip' with one number for each of 3 axes of the set, but found 2}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<?xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<?xi64>, tensor<1xindex>)
      {clip = #sparseconv.region<[0, 0] to [4, 4]>, displacements = array<i64: 0, 0, 1>, op_id = 0 : i64, set = !set} -> (tensor<?xi64>, tensor<1xindex>)
  return
}

// -----

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [1, 1, 1], #p>
func.func @f(%i0: tensor<4xi64>, %i1: memref<8xi64>, %o0: tensor<7xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'candidates' to have room for 8 elements, one for each that a key can reach, but found 'tensor<7xi64>'}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<4xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<7xi64>, tensor<1xindex>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, op_id = 0 : i64, set = !set} -> (tensor<7xi64>, tensor<1xindex>)
  return
}

// -----

// At stride 2 a key reaches one of two neighbours.

#p = #sparseconv.packing<i64, batch = 8, bits = [20, 20, 16], guard = [32, 32, 32]>
!set = !sparseconv.coords<3, stride = [2, 2, 2], #p>
func.func @f(%i0: tensor<4xi64>, %i1: memref<8xi64>, %o0: tensor<3xi64>, %o1: tensor<1xindex>) {
  // expected-error @+1 {{expects 'candidates' to have room for 4 elements, one for each that a key can reach, but found 'tensor<3xi64>'}}
  %r:2 = sparseconv.kernel.spread
      ins(%i0, %i1 : tensor<4xi64>, memref<8xi64>)
      outs(%o0, %o1 : tensor<3xi64>, tensor<1xindex>)
      {displacements = array<i64: 0, 0, 0, 0, 0, 1>, op_id = 0 : i64, set = !set} -> (tensor<3xi64>, tensor<1xindex>)
  return
}

// -----

//===----------------------------------------------------------------------===//
// select, intersect
//===----------------------------------------------------------------------===//

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi1>, %i2: memref<8xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<1xindex>) {
  // expected-error @+1 {{expects 'kept' to have elements of type 'i64', those of 'keys', but found 'tensor<?xi32>'}}
  %r:3 = sparseconv.kernel.select
      ins(%i0, %i1, %i2 : tensor<?xi64>, tensor<?xi1>, memref<8xi64>)
      outs(%o0, %o1, %o2 : tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      {op_id = 0 : i64} -> (tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi1>, %i2: memref<8xi64>, %o0: tensor<3xi64>, %o1: tensor<?xi32>, %o2: tensor<1xindex>) {
  // expected-error @+1 {{expects 'kept' to have room for 4 elements, one for each key, but found 'tensor<3xi64>'}}
  %r:3 = sparseconv.kernel.select
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi1>, memref<8xi64>)
      outs(%o0, %o1, %o2 : tensor<3xi64>, tensor<?xi32>, tensor<1xindex>)
      {op_id = 0 : i64} -> (tensor<3xi64>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<?xi1>, %i2: memref<8xi64>, %o0: tensor<?xi64>, %o1: tensor<3xi32>, %o2: tensor<1xindex>) {
  // expected-error @+1 {{expects 'rows' to have room for 4 elements, one for each key, but found 'tensor<3xi32>'}}
  %r:3 = sparseconv.kernel.select
      ins(%i0, %i1, %i2 : tensor<4xi64>, tensor<?xi1>, memref<8xi64>)
      outs(%o0, %o1, %o2 : tensor<?xi64>, tensor<3xi32>, tensor<1xindex>)
      {op_id = 0 : i64} -> (tensor<?xi64>, tensor<3xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi32>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'rhs' to have elements of type 'i64', those of 'lhs', but found 'tensor<?xi32>'}}
  %r:4 = sparseconv.kernel.intersect
      ins(%i0, %i1 : tensor<?xi64>, tensor<?xi32>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      -> (tensor<?xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<?xi64>, %i1: tensor<?xi64>, %o0: tensor<?xi32>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have elements of type 'i64', those of 'lhs', but found 'tensor<?xi32>'}}
  %r:4 = sparseconv.kernel.intersect
      ins(%i0, %i1 : tensor<?xi64>, tensor<?xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      -> (tensor<?xi32>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<5xi64>, %o0: tensor<3xi64>, %o1: tensor<?xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'keys' to have room for 4 elements, the keys of the shorter list, but found 'tensor<3xi64>'}}
  %r:4 = sparseconv.kernel.intersect
      ins(%i0, %i1 : tensor<4xi64>, tensor<5xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<3xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
      -> (tensor<3xi64>, tensor<?xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<5xi64>, %o0: tensor<?xi64>, %o1: tensor<3xi32>, %o2: tensor<?xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'lhs_rows' to have room for 4 elements, the keys of the shorter list, but found 'tensor<3xi32>'}}
  %r:4 = sparseconv.kernel.intersect
      ins(%i0, %i1 : tensor<4xi64>, tensor<5xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<3xi32>, tensor<?xi32>, tensor<1xindex>)
      -> (tensor<?xi64>, tensor<3xi32>, tensor<?xi32>, tensor<1xindex>)
  return
}

// -----

func.func @f(%i0: tensor<4xi64>, %i1: tensor<5xi64>, %o0: tensor<?xi64>, %o1: tensor<?xi32>, %o2: tensor<3xi32>, %o3: tensor<1xindex>) {
  // expected-error @+1 {{expects 'rhs_rows' to have room for 4 elements, the keys of the shorter list, but found 'tensor<3xi32>'}}
  %r:4 = sparseconv.kernel.intersect
      ins(%i0, %i1 : tensor<4xi64>, tensor<5xi64>)
      outs(%o0, %o1, %o2, %o3 : tensor<?xi64>, tensor<?xi32>, tensor<3xi32>, tensor<1xindex>)
      -> (tensor<?xi64>, tensor<?xi32>, tensor<3xi32>, tensor<1xindex>)
  return
}
